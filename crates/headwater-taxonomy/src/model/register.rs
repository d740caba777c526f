//! Obligations, controls, projections and the rest that only single rules and exports read.

use super::read::{flag, listed, named, scalars, text, texts};
use crate::ordered::Ordered;
use crate::yaml::Node;

/// What is stated about an obligation that no control discharges.
#[derive(Clone, Debug, PartialEq)]
pub enum Disposition {
    /// Nobody checks it yet.
    Gap {
        /// Who will.
        owner: String,
        /// By when or where.
        target: Option<String>,
    },
    /// Nothing can check it.
    Unverifiable {
        /// Why.
        reasoning: String,
    },
}

/// Something the corpus owes its readers.
#[derive(Clone, Debug, PartialEq)]
pub struct Obligation {
    /// What is owed.
    pub statement: String,
    /// Why.
    pub rationale: Option<String>,
    /// `cohesion` or `coherence`.
    pub class: Option<String>,
    /// What it prevents.
    pub prevents: Vec<String>,
    /// `high`, `medium` or `low`.
    pub severity: Option<String>,
    /// What is stated about it.
    pub disposition: Option<Disposition>,
}

/// How a control may become blocking.
#[derive(Clone, Debug, PartialEq)]
pub enum Promotion {
    /// When these are met.
    Criteria {
        /// Over which time.
        window: String,
        /// At which rate.
        threshold: String,
        /// Over how many.
        sample: String,
    },
    /// It stays as it is.
    FinalPosture(String),
    /// It stays advisory.
    PermanentlyAdvisory(String),
    /// It produces facts and no verdict.
    ProducesFacts(String),
}

/// What discharges obligations.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// `check:<rule>`, `phase:<phase>`, or a word for something outside the engine.
    pub mechanism: String,
    /// The obligations.
    pub discharges: Vec<String>,
    /// When it runs.
    pub trigger: Option<String>,
    /// Whether its posture is `blocking`.
    pub blocking: bool,
    /// `preventive`, `detective`, `corrective` or `adaptive`.
    pub acts: Option<String>,
    /// Who acts on it.
    pub handoff: Option<String>,
    /// How it may become blocking.
    pub promotion: Option<Promotion>,
}

impl Control {
    /// The rule that a `check:` mechanism names.
    pub fn rule(&self) -> Option<&str> {
        self.mechanism.strip_prefix("check:")
    }
}

/// One file that the engine writes from the corpus.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// What it is.
    pub kind: String,
    /// The shelves it covers; every shelf when empty.
    pub shelves: Vec<String>,
    /// Where it is written.
    pub output: String,
    /// The export profile; `default` when absent.
    pub profile: String,
    /// The emitter of a graph export.
    pub format: Option<String>,
    /// What a document must hold to be carried.
    pub include: Ordered<Vec<String>>,
    /// What a document may not hold to be carried.
    pub exclude: Ordered<Vec<String>>,
    /// Whether a filter is declared at all.
    pub filtered: bool,
    /// The grain of tombstones, `counted` or `sealed`, where declared.
    pub tombstone: Option<String>,
    /// The anchor kind of a transcription.
    pub anchor: Option<String>,
    /// What makes the output a document of the corpus.
    pub identity: Option<Identity>,
    /// Whether the file is committed.
    pub committed: bool,
    /// Titled sections.
    pub sections: Vec<ProjectionSection>,
}

/// What makes a generated file a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity {
    /// Its identifier.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: Option<String>,
}

/// A titled section of a projection.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectionSection {
    /// Its title.
    pub title: String,
    /// The shelves in it.
    pub shelves: Vec<String>,
    /// Titled groups of shelves.
    pub groups: Vec<(String, Vec<String>)>,
    /// The `noindex` texts.
    pub noindex: Vec<String>,
}

/// What adopters may see and type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Documents that adopters read.
    pub adopter_documents: Vec<String>,
    /// Directories that exist only in this repository.
    pub local_roots: Vec<String>,
    /// Programs an adopter has after installing.
    pub commands: Vec<String>,
    /// Programs an adopter has before.
    pub prerequisites: Vec<String>,
    /// What the archive holds.
    pub archive: Vec<String>,
    /// What the Debian package holds.
    pub deb: Vec<String>,
    /// What is shipped beside it.
    pub companions: Vec<String>,
    /// Programs that each integration point depends on.
    pub integration_points: Ordered<Vec<String>>,
}

pub(super) fn obligations(root: &Node) -> Ordered<Obligation> {
    named(root, "obligations", |_, node| Obligation {
        statement: text(node, "statement").unwrap_or_default(),
        rationale: text(node, "rationale"),
        class: text(node, "class"),
        prevents: texts(node, "prevents"),
        severity: text(node, "severity"),
        disposition: node.get("disposition").and_then(|node| {
            if let Some(gap) = node.get("gap") {
                let owner = text(gap, "owner").unwrap_or_default();
                return Some(Disposition::Gap { owner, target: text(gap, "target") });
            }
            let reasoning = text(node.get("unverifiable")?, "reasoning").unwrap_or_default();
            Some(Disposition::Unverifiable { reasoning })
        }),
    })
}

pub(super) fn controls(root: &Node) -> Ordered<Control> {
    named(root, "controls", |_, node| Control {
        mechanism: text(node, "mechanism").unwrap_or_default(),
        discharges: texts(node, "discharges"),
        trigger: text(node, "trigger"),
        blocking: text(node, "posture").as_deref() == Some("blocking"),
        acts: text(node, "acts"),
        handoff: text(node, "handoff"),
        promotion: node.get("promotion").and_then(promotion),
    })
}

fn promotion(node: &Node) -> Option<Promotion> {
    let of = |node: &Node, key: &str| text(node, key).unwrap_or_default();
    if let Some(criteria) = node.get("criteria") {
        return Some(Promotion::Criteria {
            window: of(criteria, "window"),
            threshold: of(criteria, "threshold"),
            sample: of(criteria, "sample"),
        });
    }
    let reasoning = |key: &str| node.get(key).map(|node| of(node, "reasoning"));
    None.or_else(|| reasoning("final_posture").map(Promotion::FinalPosture))
        .or_else(|| reasoning("permanently_advisory").map(Promotion::PermanentlyAdvisory))
        .or_else(|| reasoning("produces_facts").map(Promotion::ProducesFacts))
}

pub(super) fn projections(root: &Node) -> Vec<Projection> {
    listed(root, "projections", |node| {
        let clauses = |key: &str| {
            node.get("filter")
                .map(|node| named(node, key, |_, node| scalars(node)))
                .unwrap_or_default()
        };
        Projection {
            kind: text(node, "kind").unwrap_or_default(),
            shelves: texts(node, "for"),
            output: text(node, "output").unwrap_or_default(),
            profile: text(node, "profile").unwrap_or_else(|| "default".to_owned()),
            format: text(node, "format"),
            include: clauses("include"),
            exclude: clauses("exclude"),
            filtered: node.get("filter").is_some(),
            tombstone: text(node, "tombstone"),
            anchor: node.get("from").and_then(|node| text(node, "anchor")),
            identity: node.get("identity").map(|node| Identity {
                id: text(node, "id").unwrap_or_default(),
                kind: text(node, "kind").unwrap_or_default(),
                name: text(node, "name"),
            }),
            committed: node.get("committed").is_none() || flag(node, "committed"),
            sections: listed(node, "sections", |node| ProjectionSection {
                title: text(node, "title").unwrap_or_default(),
                shelves: texts(node, "for"),
                groups: listed(node, "groups", |node| {
                    (text(node, "title").unwrap_or_default(), texts(node, "for"))
                }),
                noindex: texts(node, "noindex"),
            }),
        }
    })
}

pub(super) fn surface(root: &Node) -> Option<Surface> {
    let node = root.get("surface")?;
    Some(Surface {
        adopter_documents: texts(node, "adopter_documents"),
        local_roots: texts(node, "local_roots"),
        commands: texts(node, "commands"),
        prerequisites: texts(node, "prerequisites"),
        archive: texts(node, "archive"),
        deb: texts(node, "deb"),
        companions: texts(node, "companions"),
        integration_points: named(node, "integration_points", |_, node| texts(node, "depends_on")),
    })
}
