//! Every rule of the check layer, one file each, and nothing else.
//!
//! The first comment of a file is the page of its rule (`docs/rules/`), which a test keeps in step. A
//! new rule is a file here, a line in [`registry`], an empty page to begin with, and a fixture in which
//! it fires, one in which it passes, and one that tells it from its neighbour.

mod contraction;
mod language;
mod phrases;
mod say;
mod shell;
mod spelling;
mod states;
mod surface;
mod warrant;

/// Declares the modules and the registry from one list, in registry order.
macro_rules! rules {
    ($($scope:ident $module:ident;)*) => {
        $(mod $module;)*

        /// Every rule, in the order of reports.
        #[must_use]
        pub fn registry() -> headwater_check::Registry {
            headwater_check::Registry::new(vec![$(headwater_check::$scope::<$module::Rule>()),*])
        }

        /// The files of the rules, in the same order.
        pub const MODULES: &[&str] = &[$(stringify!($module)),*];
    };
}

rules! {
    document facet_required_missing;
    document facet_value_not_permitted;
    document facet_value_blank;
    document identifier_pattern_not_met;
    document shelf_placement_is_primary;
    entry relation_target_unresolved;
    entry relation_target_is_source;
    entry relation_target_suspect;
    pair relation_reciprocity_missing;
    pair relation_endpoint_not_permitted;
    pair lifecycle_dependency_on_terminal;
    pair lifecycle_dependency_on_initial;
    pair lifecycle_state_not_set_by_edge;
    pair relation_pair_invalid;
    pair warrant_evidence_unsupported;
    neighbourhood relation_participation_overdue;
    corpus lifecycle_state_set_twice;
    document relation_declaration_unusable;
    document identifier_unusable;
    corpus identifier_claimed_twice;
    corpus shelf_discriminator_unresolved;
    corpus identifier_claim_missing;
    corpus identifier_claim_stale;
    document voice_forbidden_construction;
    document language_controlled_not_met;
    document language_retired_term_used;
    document surface_local_path_instructed;
    document surface_command_undeclared;
    document language_source_form_not_met;
    document section_required_missing;
    corpus link_fragment_unresolved;
    corpus link_path_unresolved;
    corpus link_identifier_mismatch;
    corpus citation_lines_moved;
    document warrant_promoted;
    document lifecycle_transition_not_permitted;
    document lifecycle_state_not_admitted;
    document warrant_value_not_permitted;
    document warrant_acceptance_unpaired;
    corpus lifecycle_deletion_not_permitted;
    pair relation_target_verification_suspect;
    document facet_undeclared;
    document facet_forbidden;
    document facet_type_not_met;
    neighbourhood relation_cardinality_exceeded;
    pair facet_inherited_contradicted;
    pair lifecycle_satellite_outlives_nucleus;
    corpus relation_cycle;
    entry relation_attribute_undeclared;
    entry relation_attribute_not_permitted;
    pair relation_continuity_missing;
    corpus facet_pair_not_orthogonal;
    shelf shelf_scent_indistinct;
    document document_size_exceeded;
    document facet_date_future;
    document facet_freshness_stale;
    document lifecycle_entered_not_moved;
}
