//! The closed shapes of everything a taxonomy may declare: the table that the walker of `shape`
//! reads. Nothing else in the engine lists these members.

use crate::shape::{Field, Record, Shape};
use Shape::{Duration, Flag, List, Names, Text, TextOr, Texts, Whole, Words};

const fn may(name: &'static str, shape: Shape) -> Field {
    Field { name, required: false, shape }
}

const fn must(name: &'static str, shape: Shape) -> Field {
    Field { name, required: true, shape }
}

const fn record(fields: &'static [Field]) -> Record {
    Record { fields, exactly_one_of: &[], beside: &[] }
}

const fn one_of(fields: &'static [Field], names: &'static [&'static str]) -> Record {
    Record { fields, exactly_one_of: names, beside: &[] }
}

/// What a facet may be for.
pub const ROLES: &[&str] = &["state", "state_entered", "created", "freshness", "scent", "name"];
/// The value types of facets and of relation attributes.
pub const TYPES: &[&str] = &["string", "integer", "boolean", "date", "duration"];
/// The six relation families.
pub const FAMILIES: &[&str] =
    &["succession", "derivation", "governance", "evidence", "composition", "association"];
/// The voice categories that the engine carries.
pub const VOICE_CATEGORIES: &[&str] = &["future_intent", "change_narration", "phased_rollout"];
/// Front-matter keys that the engine owns unless the bindings move them.
pub const ENGINE_KEYS: &[&str] = &["id", "relations", "provenance", "headwater:generated"];
/// The projection kinds that may be declared.
pub const PROJECTION_KINDS: &[&str] = &[
    "shelf_index",
    "shelf_sections",
    "relation_view",
    "agent_rules",
    "site_nav",
    "graph_export",
    "template",
    "transcription",
    "probe_result",
    "verb_index",
    "consumer_surface",
];
const SEVERITIES: &[&str] = &["error", "warn", "info"];
const ENDS: &[&str] = &["from", "to"];
const CREATORS: &[&str] = &["author", "scaffold", "generator", "hook", "agent", "import"];
const MATCHES: &[&str] = &["exactMatch", "closeMatch", "broadMatch", "narrowMatch", "relatedMatch"];

static TEXT: Shape = Text;
static TEXTS: Shape = List(&TEXT);

static VALUE: Shape = TextOr(&Shape::Record(&record(&[
    must("value", Text),
    may("role", Words(&["initial", "live", "terminal-retained"])),
])));
static VALUES: Shape = List(&VALUE);

static PURPOSE: Shape =
    Shape::Record(&record(&[must("intent", Text), may("answers", List(&TEXT))]));

static FACET: Shape = Shape::Record(&record(&[
    may("role", Words(ROLES)),
    may("values", Shape::Reference(&VALUES)),
    may("type", Words(TYPES)),
    may("required", Flag),
    may("severity", Words(SEVERITIES)),
    may("stale_after_days", Whole),
    may("volatility", Words(&["stable", "mutable"])),
    may("guidance", Texts(&TEXT)),
]));

static VOICE: Shape = Shape::Record(&record(&[may("forbid", List(&TEXT))]));
static LIFECYCLE: Shape = Shape::Record(&record(&[
    must("initial", Text),
    must("transitions", Texts(&TEXTS)),
    may("retain_terminal", Flag),
]));
static RETIRED: Shape =
    Shape::Record(&record(&[must("term", Text), must("reason", Text), may("replacement", Text)]));
static LANGUAGE: Shape = Shape::Record(&record(&[
    may("tag", Text),
    may("controlled", Text),
    may("profile", Text),
    may("source_form", Words(&["unconstrained", "one_line_per_block"])),
    may("retired_terms", List(&RETIRED)),
    may("outside_root", List(&TEXT)),
]));
static REGIMES: Record = record(&[
    may("voice", Names(&VOICE)),
    may("lifecycle", Names(&LIFECYCLE)),
    may("language", Names(&LANGUAGE)),
]);

static ATTRIBUTE: Shape = Shape::Record(&record(&[
    may("type", Words(TYPES)),
    may("values", List(&VALUE)),
    must("owner", Words(&["source", "target", "edge"])),
]));
static RELATION: Shape = Shape::Record(&record(&[
    must("family", Words(FAMILIES)),
    must("from", List(&TEXT)),
    must("to", List(&TEXT)),
    may("inverse", Text),
    may("reciprocal", Words(&["required", "symmetric", "optional"])),
    may("nuclearity", Words(&["multinuclear", "nucleus-satellite"])),
    may("nucleus", Words(ENDS)),
    may("evidence_at", Words(ENDS)),
    may("inherits", List(&TEXT)),
    may("cardinality", Words(&["one", "many"])),
    must("created_by", Words(CREATORS)),
    may("lifecycle_sensitive", Flag),
    may("attributes", Names(&ATTRIBUTE)),
    may("on_target", Shape::Record(&record(&[must("set_state", Text)]))),
    may("invalid_when", Shape::Record(&record(&[must("both", Names(&TEXT))]))),
    may("continuity", Words(&["expected"])),
]));

static ANCHOR: Shape = Shape::Record(&record(&[
    must("resolver", Text),
    may("pattern", Text),
    may("scope", List(&TEXT)),
]));

static EXPECTATION: Shape = Shape::Record(&record(&[
    must("id", Text),
    must("relation", Text),
    may("to_kind", Text),
    may("when", Names(&TEXT)),
    must("within", Duration),
    must("since", Words(&["created", "state_entered"])),
    may("severity", Words(SEVERITIES)),
    must("rationale", Text),
]));
static KIND: Shape = Shape::Record(&record(&[
    may("abstract", Flag),
    may("is_a", Text),
    may("purpose", Text),
    may("write_when", Text),
    may("identifier", Shape::Record(&record(&[must("scheme", Text)]))),
    may("voice", Text),
    may("lifecycle", Text),
    may("language", Text),
    may(
        "facets",
        Shape::Record(&record(&[
            may("require", List(&TEXT)),
            may("optional", List(&TEXT)),
            may("forbid", List(&TEXT)),
            may("values", Names(&TEXTS)),
        ])),
    ),
    may(
        "sections",
        Shape::Record(&record(&[may("require", List(&TEXT)), may("optional", List(&TEXT))])),
    ),
    may("relations", Shape::Record(&record(&[may("expect", List(&EXPECTATION))]))),
    may("budget", Shape::Record(&record(&[may("words", Whole), may("sections", Texts(&Whole))]))),
]));

static SHELF: Shape = Shape::Record(&record(&[
    must("path", Text),
    must("homogeneous", Flag),
    may("kind", Text),
    may("discriminator", Text),
    may("kinds", List(&TEXT)),
    may("group_by", Text),
    may("layout", Text),
    may("title", Text),
]));

static SCHEME: Shape = Shape::Record(&record(&[
    must("pattern", Text),
    may("namespace", Text),
    must("allocation", Text),
]));

static CORE: Record = record(&[must(
    "requires",
    List(&Shape::Record(&Record {
        fields: &[
            may("facet_role", Words(ROLES)),
            may("purpose", Text),
            may("relation_family", Words(FAMILIES)),
            may("lifecycle_sensitive", Flag),
            may("identifier_scheme", Text),
        ],
        exactly_one_of: &["facet_role", "purpose", "relation_family", "identifier_scheme"],
        beside: &[("lifecycle_sensitive", "relation_family")],
    })),
)]);

static TERM: Shape =
    Shape::Record(&record(&[must("relation", Words(MATCHES)), must("target", Text)]));
static MAPPING: Shape = Shape::Record(&record(&[
    must("to", Text),
    may("kinds", Names(&TERM)),
    may("facet_values", Texts(&TERM)),
]));

static GROUP: Shape = Shape::Record(&record(&[must("title", Text), must("for", TextOr(&TEXTS))]));
static SECTION: Shape = Shape::Record(&record(&[
    must("title", Text),
    may("for", TextOr(&TEXTS)),
    may("groups", List(&GROUP)),
    may("noindex", TextOr(&TEXTS)),
]));
static PROJECTION: Shape = Shape::Record(&record(&[
    must("kind", Words(PROJECTION_KINDS)),
    may("for", List(&TEXT)),
    must("output", Text),
    may("profile", Text),
    may("format", Words(&["json", "jsonschema"])),
    may(
        "filter",
        Shape::Record(&record(&[may("include", Names(&TEXTS)), may("exclude", Names(&TEXTS))])),
    ),
    may("tombstone", Words(&["counted", "sealed"])),
    may("from", Shape::Record(&record(&[must("anchor", Text)]))),
    may(
        "identity",
        Shape::Record(&record(&[must("id", Text), must("kind", Text), may("name", Text)])),
    ),
    may("committed", Flag),
    may("sections", List(&SECTION)),
]));

static OBLIGATION: Shape = Shape::Record(&record(&[
    must("statement", Text),
    must("rationale", Text),
    must("class", Words(&["cohesion", "coherence"])),
    must("prevents", TextOr(&TEXTS)),
    must("severity", Words(&["high", "medium", "low"])),
    may(
        "disposition",
        Shape::Record(&one_of(
            &[
                may("gap", Shape::Record(&record(&[must("owner", Text), may("target", Text)]))),
                may("unverifiable", Shape::Record(&record(&[must("reasoning", Text)]))),
            ],
            &["gap", "unverifiable"],
        )),
    ),
]));

const REASONED: Shape = Shape::Record(&record(&[must("reasoning", Text)]));
static CONTROL: Shape = Shape::Record(&record(&[
    must("mechanism", Text),
    must("discharges", List(&TEXT)),
    must("trigger", Text),
    must("posture", Words(&["advisory", "blocking"])),
    must("acts", Words(&["preventive", "detective", "corrective", "adaptive"])),
    may("handoff", Text),
    may(
        "promotion",
        Shape::Record(&one_of(
            &[
                may(
                    "criteria",
                    Shape::Record(&record(&[
                        must("window", Text),
                        must("threshold", Text),
                        must("sample", Text),
                    ])),
                ),
                may("final_posture", REASONED),
                may("permanently_advisory", REASONED),
                may("produces_facts", REASONED),
            ],
            &["criteria", "final_posture", "permanently_advisory", "produces_facts"],
        )),
    ),
]));

static INTEGRATION: Shape = Shape::Record(&record(&[may("depends_on", List(&TEXT))]));
static SURFACE: Record = record(&[
    may("archive", List(&TEXT)),
    may("deb", List(&TEXT)),
    may("prerequisites", List(&TEXT)),
    may("companions", List(&TEXT)),
    may("adopter_documents", List(&TEXT)),
    may("local_roots", List(&TEXT)),
    may("commands", List(&TEXT)),
    may("integration_points", Names(&INTEGRATION)),
]);

static BOUND_RELATION: Shape =
    Shape::Record(&record(&[must("relation", Text), may("split", Text), may("template", Text)]));
static BOUND_FACET: Shape = Shape::Record(&record(&[must("key", Text)]));
static BINDINGS: Record = record(&[
    may("identifier", Shape::Record(&record(&[may("key", Text), may("template", Text)]))),
    may("relations", Texts(&BOUND_RELATION)),
    may("facets", Names(&BOUND_FACET)),
    may("sidecar", Shape::Record(&record(&[must("file", Text), must("document", Text)]))),
    may("lists", Texts(&TEXT)),
]);

/// A taxonomy source, and the resolved tree.
pub static TAXONOMY: Shape = Shape::Record(&record(&[
    must("taxonomy", Text),
    must("version", Text),
    may("extends", TextOr(&TEXTS)),
    may("vocabularies", Names(&VALUES)),
    may("purposes", Names(&PURPOSE)),
    may("facets", Names(&FACET)),
    may("regimes", Shape::Record(&REGIMES)),
    may("relations", Names(&RELATION)),
    may("anchors", Names(&ANCHOR)),
    may("shelves", Names(&SHELF)),
    may("kinds", Names(&KIND)),
    may("identifier_schemes", Names(&SCHEME)),
    may("core", Shape::Record(&CORE)),
    may("mappings", List(&MAPPING)),
    may("projections", List(&PROJECTION)),
    may("obligations", Names(&OBLIGATION)),
    may("controls", Names(&CONTROL)),
    may("surface", Shape::Record(&SURFACE)),
    may("bindings", Shape::Record(&BINDINGS)),
]));

/// The root keys of a taxonomy source.
pub fn root_keys() -> Vec<&'static str> {
    match &TAXONOMY {
        Shape::Record(record) => record.fields.iter().map(|field| field.name).collect(),
        _ => Vec::new(),
    }
}
