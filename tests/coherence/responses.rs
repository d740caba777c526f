//! Responses that break the contract: exit 2, and nothing of them is used (canvas-projections §7.6).

use crate::desk::Desk;

pub fn faults() {
    let desk = Desk::new();
    let (a, b) = (desk.a.clone(), desk.b.clone());
    let whole = |findings: &str| format!(r#"{{"schema": 1, "findings": {findings}}}"#);
    let one = |finding: String| whole(&format!("[{finding}]"));
    let finding = |question: &str, reason: &str, ids: &str| {
        format!(r#"{{"question": {question}, "reason": {reason}, "node_ids": {ids}}}"#)
    };
    let good = desk.finding();
    let q = format!("\"{a} or {b}?\"");
    let ids = format!("[\"{a}\", \"{b}\"]");
    let faults = [
        String::new(),
        "no JSON".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        format!("{0}{0}", whole("[]")),
        whole("\"none\""),
        whole("{}"),
        whole("null"),
        whole("[null]"),
        r#"{"schema": true, "findings": []}"#.to_owned(),
        r#"{"schema": 2, "findings": []}"#.to_owned(),
        r#"{"schema": 1.0, "findings": []}"#.to_owned(),
        r#"{"schema": "1", "findings": []}"#.to_owned(),
        r#"{"schema": 1, "findings": [], "note": ""}"#.to_owned(),
        r#"{"schema": 1, "schema": 1, "findings": []}"#.to_owned(),
        r#"{"schema": 1}"#.to_owned(),
        one(good.replace('}', r#", "author": "me"}"#)),
        one(good.replace("\"reason\"", "\"Reason\"")),
        one(good.replace('{', r#"{"reason": "r", "#)),
        one(finding("\" \"", "\"r\"", &ids)),
        one(finding("7", "\"r\"", &ids)),
        one(finding(&q, "\"\"", &ids)),
        one(finding(&q, "null", &ids)),
        one(finding(&q, "\"r\"", "[]")),
        one(finding(&q, "\"r\"", "[\"\"]")),
        one(finding(&q, "\"r\"", "[1]")),
        one(finding(&q, "\"r\"", &format!("\"{a}\""))),
        one(finding(&q, "\"r\"", &format!("[\"{a}\", \"{a}\"]"))),
        one(finding("\"root zzzz?\"", "\"r\"", "[\"zzzz\"]")),
        one(finding("\"root zzzz?\"", "\"r\"", "[\"root\"]")),
        one(finding(&format!("\"{a} or x{b}?\""), "\"r\"", &ids)),
        one(finding(&format!("\"{a}?\""), "\"r\"", &ids)),
        one(finding(&format!("\"{a} {b} \\u0000\""), "\"r\"", &ids)),
        // What is good before it is not written.
        whole(&format!("[{good}, {}]", finding(&q, "\" \"", &ids))),
        whole(&format!("[{good}, {}]", finding(&format!("\"{a} {b} \\u001b\""), "\"r\"", &ids))),
    ];
    for fault in &faults {
        let (run, refusal) = desk.refused_with_request(2, |desk| desk.check(&desk.says(fault)));
        assert!(refusal.message.contains("response"), "{fault}\n{}", run.report());
        assert!(refusal.message.contains("model"), "{fault}\n{}", run.report());
    }
    let (run, _) = desk.refused_with_request(2, |desk| {
        desk.check(&format!("{}; printf '\\377'", desk.says(&whole("[]"))))
    });
    assert!(run.err().contains("not UTF-8"), "{}", run.report());
    // The canvas is as it was made.
    assert_eq!(desk.check(&desk.says(&whole("[]"))).code, Some(0));
}
