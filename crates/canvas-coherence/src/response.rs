//! The version-1 response, read strictly: what is not exactly the contract is a fault, and a fault
//! anywhere in a response means that none of it is used (canvas-projections §7.6).
//!
//! The reader accepts objects only as objects, knows every key, wants every key once, and takes no
//! value for another type's. The parser bounds nesting, and [`FINDINGS`] bounds what one response may
//! ask to be written.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use canvas_store::PrimaryWrite;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;

use crate::request::SCHEMA;

/// Findings of one response. A model that names more contradictions in one write is not reading it.
pub const FINDINGS: usize = 1_000;

/// One contradiction.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Finding {
    /// The question, trimmed.
    pub question: String,
    /// What disagrees, in the model's words.
    pub reason: String,
    /// The nodes concerned; each is in the canvas and named in the question.
    pub node_ids: Vec<String>,
}

/// The findings of a response about `write`, or what follows "the model response" in words.
pub(crate) fn read(bytes: &[u8], write: &PrimaryWrite) -> Result<Vec<Finding>, String> {
    let ids = write.nodes.iter().map(|node| node.id.as_str()).collect();
    findings(bytes, &ids)
}

fn findings(bytes: &[u8], ids: &HashSet<&str>) -> Result<Vec<Finding>, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("is not UTF-8 from its byte {}", error.valid_up_to() + 1))?;
    if text.trim().is_empty() {
        return Err(String::from("is empty, and not one JSON object"));
    }
    let Object(response) =
        serde_json::from_str::<Object<Response>>(text).map_err(|error| match error.classify() {
            Category::Data => format!("breaks the contract: {error}"),
            _ => format!("is not one JSON object: {error}"),
        })?;
    if response.schema != SCHEMA {
        return Err(format!(
            "breaks the contract: its schema is {} and not {SCHEMA}",
            response.schema
        ));
    }
    let Findings(found) = response.findings;
    let mut findings = Vec::with_capacity(found.len());
    for (number, given) in found.into_iter().enumerate() {
        findings.push(
            checked(given, ids).map_err(|fault| {
                format!("breaks the contract in finding {}: {fault}", number + 1)
            })?,
        );
    }
    Ok(findings)
}

/// The rules that are not about shape.
fn checked(given: Given, ids: &HashSet<&str>) -> Result<Finding, String> {
    let Given { question, reason, node_ids } = given;
    let question = question.trim();
    if question.is_empty() {
        return Err(String::from("its question is blank"));
    }
    if reason.trim().is_empty() {
        return Err(String::from("its reason is blank"));
    }
    if node_ids.is_empty() {
        return Err(String::from("its node_ids is empty"));
    }
    let mut seen = HashSet::new();
    for id in &node_ids {
        if id.is_empty() {
            return Err(String::from("one of its node_ids is empty"));
        }
        if !seen.insert(id.as_str()) {
            return Err(format!("its node_ids hold {id} twice"));
        }
        if !ids.contains(id.as_str()) {
            return Err(format!("the canvas holds no node {id}"));
        }
    }
    let missing = node_ids.iter().find(|id| !names(question, id));
    if let Some(id) = missing {
        return Err(format!("its question does not name node {id}"));
    }
    Ok(Finding { question: question.to_owned(), reason, node_ids })
}

/// Whether `text` holds `id` as a word: no letter, digit or underscore right before or after it.
fn names(text: &str, id: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(id).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(word)
            && !text[at + id.len()..].chars().next().is_some_and(word)
    })
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Response {
    schema: u64,
    findings: Findings,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    question: String,
    reason: String,
    node_ids: Vec<String>,
}

/// A value that must be written as an object; the derived readers would take an array for it.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object<T>, D::Error> {
        struct Only<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Only<T> {
            type Value = Object<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }
        deserializer.deserialize_map(Only(PhantomData))
    }
}

/// The findings as given, so that a fault in one is told with its number.
struct Findings(Vec<Given>);

impl<'de> Deserialize<'de> for Findings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Findings, D::Error> {
        struct Array;
        impl<'de> Visitor<'de> for Array {
            type Value = Findings;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of findings")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Findings, A::Error> {
                let mut findings = Vec::new();
                loop {
                    let number = findings.len() + 1;
                    let next = array.next_element::<Object<Given>>();
                    match next
                        .map_err(|error| A::Error::custom(format!("finding {number}: {error}")))?
                    {
                        Some(_) if number > FINDINGS => {
                            return Err(A::Error::custom(format!(
                                "there are more than {FINDINGS} findings"
                            )));
                        }
                        Some(Object(finding)) => findings.push(finding),
                        None => return Ok(Findings(findings)),
                    }
                }
            }
        }
        deserializer.deserialize_seq(Array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    const IDS: [&str; 3] = ["ab23", "cd45", "read"];

    fn given(text: &str) -> Result<Vec<Finding>, String> {
        findings(text.as_bytes(), &IDS.into_iter().collect())
    }

    fn one(finding: Value) -> Result<Vec<Finding>, String> {
        given(&json!({"schema": 1, "findings": [finding]}).to_string())
    }

    #[test]
    fn no_finding_is_the_usual_answer() {
        for text in ["{\"schema\": 1, \"findings\": []}", " \n{\"findings\":[],\"schema\":1}\n"] {
            assert_eq!(given(text), Ok(Vec::new()));
        }
    }

    #[test]
    fn a_finding_is_trimmed_and_keeps_its_reason() {
        let found = one(json!({
            "question": "  ab23 or cd45: which governs?\n", "reason": " x\ny ",
            "node_ids": ["cd45", "ab23"],
        }));
        let finding = Finding {
            question: "ab23 or cd45: which governs?".to_owned(),
            reason: " x\ny ".to_owned(),
            node_ids: vec!["cd45".to_owned(), "ab23".to_owned()],
        };
        assert_eq!(found, Ok(vec![finding]));
    }

    #[test]
    fn what_is_not_the_contract_is_a_fault() {
        let finding = "{\"question\":\"ab23?\",\"reason\":\"r\",\"node_ids\":[\"ab23\"]}";
        assert_eq!(
            given(&format!("{{\"schema\":1,\"findings\":[{finding}]}}")).map(|f| f.len()),
            Ok(1)
        );
        let twice = |key: &str| finding.replacen('{', &format!("{{{key},"), 1);
        let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
        for text in [
            "",
            " ",
            "null",
            "true",
            "1",
            "\"x\"",
            "[]",
            "[1,[]]",
            "{}",
            "nonsense",
            "{\"schema\":1}",
            "{\"findings\":[]}",
            "{\"schema\":1,\"findings\":[]}{\"schema\":1,\"findings\":[]}",
            "{\"schema\":1,\"findings\":[]} x",
            "\u{feff}{\"schema\":1,\"findings\":[]}",
            "{\"schema\":1,\"findings\":[],}",
            "{\"schema\":1,\"findings\":[",
            "{\"schema\":1,\"findings\":[],\"note\":null}",
            "{\"schema\":1,\"findings\":null}",
            "{\"schema\":1,\"findings\":{}}",
            "{\"schema\":1,\"findings\":\"none\"}",
            "{\"schema\":1,\"findings\":[[\"ab23?\",\"r\",[\"ab23\"]]]}",
            "{\"schema\":1,\"findings\":[null]}",
            "{\"Schema\":1,\"findings\":[]}",
            "{\"schema\":1,\"schema\":1,\"findings\":[]}",
            "{\"schema\":1,\"findings\":[],\"findings\":[]}",
            &format!("{{\"schema\":1,\"findings\":{deep}}}"),
            &deep,
            &format!("{{\"schema\":1,\"findings\":[{}]}}", twice("\"reason\":\"r\"")),
            &format!("{{\"schema\":1,\"findings\":[{}]}}", twice("\"why\":\"r\"")),
        ] {
            assert!(given(text).is_err(), "{text:.80}");
        }
        for schema in [
            "true",
            "2",
            "0",
            "-1",
            "1.0",
            "1e0",
            "\"1\"",
            "null",
            "[1]",
            "01",
            "99999999999999999999",
        ] {
            assert!(
                given(&format!("{{\"schema\":{schema},\"findings\":[]}}")).is_err(),
                "{schema}"
            );
        }
        assert!(findings(b"{\"schema\":1,\"findings\":[]\xff}", &HashSet::new()).is_err());
    }

    #[test]
    fn a_fault_in_a_finding_names_its_number() {
        let good = json!({"question": "ab23?", "reason": "r", "node_ids": ["ab23"]});
        for (key, bad) in [
            ("question", json!(" \u{2003}")),
            ("question", json!(1)),
            ("question", json!(null)),
            ("question", json!("which of them governs?")),
            ("question", json!("xab23 ab234 ab23_")),
            ("reason", json!("\n")),
            ("reason", json!(["r"])),
            ("node_ids", json!([])),
            ("node_ids", json!("ab23")),
            ("node_ids", json!({"0": "ab23"})),
            ("node_ids", json!([1])),
            ("node_ids", json!([null])),
            ("node_ids", json!([""])),
            ("node_ids", json!(["ab23", "ab23"])),
            ("node_ids", json!(["zz99"])),
            ("node_ids", json!(["AB23"])),
            ("node_ids", json!(["ab23 "])),
        ] {
            let mut second = good.clone();
            second[key] = bad.clone();
            let fault = given(&json!({"schema": 1, "findings": [good, second]}).to_string());
            assert!(fault.clone().unwrap_err().contains("finding 2"), "{key} {bad}: {fault:?}");
        }
    }

    #[test]
    fn ids_are_matched_as_words() {
        for text in ["ab23", "(ab23)", "ab23-cd45", "«ab23»", "xab23 ab23.", "node `ab23`?"] {
            assert!(names(text, "ab23"), "{text}");
        }
        for text in ["", "ab2", "ab234", "éab23", "ab23é", "_ab23", "AB23"] {
            assert!(!names(text, "ab23"), "{text}");
        }
    }

    #[test]
    fn the_number_of_findings_has_a_limit() {
        let finding = json!({"question": "ab23?", "reason": "r", "node_ids": ["ab23"]});
        let many = |count: usize| {
            given(&json!({"schema": 1, "findings": vec![finding.clone(); count]}).to_string())
        };
        assert_eq!(many(FINDINGS).map(|found| found.len()), Ok(FINDINGS));
        assert!(many(FINDINGS + 1).unwrap_err().contains("1000"));
    }

    fn any_finding() -> impl Strategy<Value = Value> {
        let ids = proptest::sample::subsequence(IDS.to_vec(), 1..=IDS.len());
        (ids, "[^\u{0}]{0,12}", "\\PC{1,12}x").prop_map(|(ids, words, reason)| {
            json!({"question": format!("{words} {}", ids.join(" ")), "reason": reason, "node_ids": ids})
        })
    }

    proptest! {
        #[test]
        fn what_obeys_the_contract_is_read_as_it_was_written(
            written in proptest::collection::vec(any_finding(), 0..5)
        ) {
            let read = given(&json!({"schema": 1, "findings": written}).to_string()).unwrap();
            prop_assert_eq!(read.len(), written.len());
            for (read, written) in read.iter().zip(&written) {
                prop_assert_eq!(Some(read.question.as_str()), written["question"].as_str().map(str::trim));
                prop_assert_eq!(Some(read.reason.as_str()), written["reason"].as_str());
                prop_assert_eq!(json!(read.node_ids), written["node_ids"].clone());
            }
        }

        #[test]
        fn a_response_cut_anywhere_is_a_fault(
            written in proptest::collection::vec(any_finding(), 0..3), cut in 0.0..1.0
        ) {
            let text = json!({"schema": 1, "findings": written}).to_string();
            let cut = (text.len() as f64 * cut) as usize;
            prop_assert!(findings(&text.as_bytes()[..cut], &IDS.into_iter().collect()).is_err());
        }

        #[test]
        fn no_bytes_are_too_odd(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(findings(&bytes, &HashSet::new()).map_or(true, |found| found.is_empty()));
        }
    }
}
