//! The version-1 request: all that a model needs to read the canvas as the write left it, and
//! nothing with which it could reach the store (canvas-projections §7.3).

use std::collections::BTreeMap;

use canvas_store::PrimaryWrite;
use canvas_store::request::HistoryEntry;
use serde::Serialize;

/// The version of the contract, of request and response alike.
pub(crate) const SCHEMA: u64 = 1;

/// What the model is asked to do.
const INSTRUCTION: &str = "Find contradictions between current nodes of this canvas that the trigger \
introduced or exposed: statements that cannot both hold or be followed. Report nothing else. Do not \
rewrite or improve the canvas, give no advice, and do not invent a finding: an empty list of findings is \
the usual answer. For each contradiction give a question that names every node concerned by its id, a \
reason that says what in those nodes disagrees, and the ids. Answer with one JSON object and nothing \
else: {\"schema\": 1, \"findings\": [{\"question\": TEXT, \"reason\": TEXT, \"node_ids\": [ID, ...]}]}.";

/// The request, field for field as it is written.
#[derive(Debug, Serialize)]
pub(crate) struct Request<'a> {
    schema: u64,
    ledger: &'a str,
    trigger_sha: &'a str,
    canvas_sha: &'a str,
    canvas_xml: &'a str,
    trigger: Trigger<'a>,
    nodes: Vec<Node<'a>>,
    instruction: &'static str,
}

#[derive(Debug, Serialize)]
struct Trigger<'a> {
    sha: &'a str,
    subject: &'a str,
    verb: &'a str,
    node_id: &'a str,
    author: &'a str,
    reason: &'a str,
}

#[derive(Debug, Serialize)]
struct Node<'a> {
    id: &'a str,
    element: &'a str,
    text: &'a str,
    attributes: &'a BTreeMap<String, String>,
    history: Vec<Past<'a>>,
}

#[derive(Debug, Serialize)]
struct Past<'a> {
    sha: &'a str,
    verb: &'a str,
    reason: &'a str,
    author: &'a str,
}

impl<'a> Request<'a> {
    /// The request about one write.
    pub(crate) fn of(write: &'a PrimaryWrite) -> Request<'a> {
        let past = |entry: &'a HistoryEntry| Past {
            sha: &entry.commit,
            verb: &entry.verb,
            reason: &entry.reason,
            author: &entry.author,
        };
        Request {
            schema: SCHEMA,
            ledger: &write.canvas,
            trigger_sha: &write.commit,
            canvas_sha: &write.commit,
            canvas_xml: &write.xml,
            trigger: Trigger {
                sha: &write.commit,
                subject: &write.subject,
                verb: &write.edit.verb,
                node_id: &write.node,
                author: &write.edit.author,
                reason: &write.edit.reason,
            },
            nodes: write
                .nodes
                .iter()
                .map(|node| Node {
                    id: &node.id,
                    element: &node.element,
                    text: &node.text,
                    attributes: &node.attributes,
                    history: node.history.iter().map(past).collect(),
                })
                .collect(),
            instruction: INSTRUCTION,
        }
    }

    /// The request as one JSON object on one line, what is not ASCII as it stands.
    pub(crate) fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}
