//! `.headwater/taxonomy.yml`, what a repository declares about itself, and `package.yml`, what a
//! vendored package says it is.

use crate::engine_range::{ENGINE_VERSION, EngineRange};
use crate::ordered::Ordered;
use crate::path::{BadPath, is_name, normalize};
use crate::pattern::PathPattern;
use crate::refusal::{Class, Next, Refusal};
use crate::shape::advice;
use crate::yaml::{Map, Node, Span, load_bytes, shown};

/// Where the declaration is, relative to the repository root.
pub const DECLARATION_PATH: &str = ".headwater/taxonomy.yml";

/// A part of the tree that is not read.
#[derive(Clone, Debug, PartialEq)]
pub struct Exclusion {
    /// Which paths.
    pub pattern: PathPattern,
    /// Why.
    pub reason: String,
}

/// Something pinned that the repository brings in: an import or a harvest.
#[derive(Clone, Debug, PartialEq)]
pub struct Pinned {
    /// Where it is, as written.
    pub at: String,
    /// The digest it must have.
    pub digest: Option<String>,
    /// How the digest reached us.
    pub channel: Option<String>,
    /// The resolver that it answers for.
    pub resolver: Option<String>,
}

/// A rule plugin.
#[derive(Clone, Debug, PartialEq)]
pub struct Plugin {
    /// Where it is, as written.
    pub at: String,
    /// The digest it must have.
    pub digest: Option<String>,
}

/// The declaration of a repository.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// The package whose taxonomy governs it.
    pub package: String,
    /// The version of the package.
    pub version: String,
    /// The digest that pins the package.
    pub digest: Option<String>,
    /// The bundles it selects, in listed order.
    pub bundles: Vec<String>,
    /// The overlay of the repository: normalized when inside it, as written otherwise.
    pub overlay: Option<String>,
    /// The corpus root, normalized; empty for the repository root.
    pub root: String,
    /// What is not read.
    pub exclude: Vec<Exclusion>,
    /// The engine versions it asks for.
    pub engine: Option<EngineRange>,
    /// Snapshots of external systems, by name.
    pub imports: Ordered<Pinned>,
    /// Exports of other corpora, by name.
    pub harvests: Ordered<Pinned>,
    /// Rule plugins.
    pub plugins: Vec<Plugin>,
    /// One sentence for each unknown key. They stop nothing.
    pub notes: Vec<Refusal>,
    /// What `taxonomy validate` warns of.
    pub warnings: Vec<Refusal>,
}

/// The manifest of a package.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Its name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// The engine versions it asks for.
    pub requires_engine: Option<EngineRange>,
    /// The taxonomy source, normalized, inside the package directory.
    pub taxonomy: String,
    /// The directory of bundles, normalized, inside the package directory.
    pub bundles: Option<String>,
}

/// Reads fields and collects what is wrong with them.
struct Reader<'f> {
    file: &'f str,
    refusals: Vec<Refusal>,
    notes: Vec<Refusal>,
}

impl Reader<'_> {
    fn about(&self, span: Span, address: &str, what: String, next: String) -> Refusal {
        Refusal {
            class: Class::Input,
            file: self.file.to_owned(),
            at: Some(span.start),
            address: (!address.is_empty()).then(|| address.to_owned()),
            what,
            next: Next::Do(next),
        }
    }

    fn refuse(&mut self, span: Span, address: &str, what: String, next: &str) {
        let refusal = self.about(span, address, what, next.to_owned());
        self.refusals.push(refusal);
    }

    fn note(&mut self, span: Span, address: &str, what: String, next: String) {
        let note = self.about(span, address, what, next);
        self.notes.push(note);
    }

    fn map<'n>(&mut self, node: &'n Node, address: &str, known: &[&str]) -> Option<&'n Map> {
        let Some(map) = node.map() else {
            if !node.is_null() {
                let what = format!("{} stands where a mapping belongs", node.describe());
                self.refuse(node.span, address, what, "write a mapping");
            }
            return None;
        };
        for (key, member) in map.iter() {
            if !known.contains(&key) {
                let what = format!("the key `{}` is not read", shown(key));
                let next = advice(key, known.iter().copied(), "remove it");
                let address = if address.is_empty() {
                    shown(key)
                } else {
                    format!("{address}.{}", shown(key))
                };
                self.note(member.key, &address, what, next);
            }
        }
        Some(map)
    }

    /// A text that may be left out.
    fn text(&mut self, map: Option<&Map>, key: &str, address: &str) -> Option<String> {
        let node = &map?.get(key)?.value;
        match node.text().filter(|text| !node.is_null() && !text.trim().is_empty()) {
            Some(text) => Some(text.to_owned()),
            None => {
                let what = format!("{} stands where a text belongs", node.describe());
                self.refuse(node.span, address, what, "write a text, or remove the key");
                None
            }
        }
    }

    /// A text that must be there; empty when it is refused.
    fn needed(&mut self, map: Option<&Map>, key: &str, address: &str, span: Span) -> String {
        if map.is_some_and(|map| map.contains(key)) {
            return self.text(map, key, address).unwrap_or_default();
        }
        self.refuse(span, address, "it is absent".to_owned(), &format!("add `{key}:`"));
        String::new()
    }

    fn items<'n>(&mut self, map: Option<&'n Map>, key: &str, address: &str) -> &'n [Node] {
        let Some(member) = map.and_then(|map| map.get(key)) else { return &[] };
        match member.value.items() {
            Some(items) => items,
            None if member.value.is_null() => &[],
            None => {
                let what = format!("{} stands where a list belongs", member.value.describe());
                self.refuse(member.value.span, address, what, "write a list");
                &[]
            }
        }
    }

    fn range(&mut self, map: Option<&Map>, key: &str) -> Option<EngineRange> {
        let text = self.text(map, key, key)?;
        let range = EngineRange::parse(&text);
        if range.is_none() {
            let span = map.and_then(|map| map.get(key)).map_or(Span::default(), |m| m.value.span);
            let what = format!("`{}` is no range of versions", shown(&text));
            self.refuse(span, key, what, "write it as \">=0.6 <0.8\"");
        }
        range
    }

    fn pinned(&mut self, map: Option<&Map>, key: &str) -> Ordered<Pinned> {
        let Some(member) = map.and_then(|map| map.get(key)) else { return Ordered::default() };
        let Some(entries) = member.value.map() else {
            if !member.value.is_null() {
                let what = format!("{} stands where a mapping belongs", member.value.describe());
                self.refuse(member.value.span, key, what, "write a mapping of names");
            }
            return Ordered::default();
        };
        let mut found = Ordered::default();
        for (name, entry) in entries.iter() {
            let address = format!("{key}.{}", shown(name));
            let known = ["at", "digest", "channel", "resolver"];
            let map = self.map(&entry.value, &address, &known);
            let at = self.needed(map, "at", &format!("{address}.at"), entry.value.span);
            let resolver = format!("{address}.resolver");
            let pinned = Pinned {
                at,
                digest: self.text(map, "digest", &format!("{address}.digest")),
                channel: self.text(map, "channel", &format!("{address}.channel")),
                resolver: match key {
                    // A harvest is read for nothing but the resolver that it answers for.
                    "harvests" => Some(self.needed(map, "resolver", &resolver, entry.value.span)),
                    _ => self.text(map, "resolver", &resolver),
                },
            };
            found.insert(name.to_owned(), pinned);
        }
        found
    }
}

impl Declaration {
    /// Reads the bytes of `.headwater/taxonomy.yml`.
    ///
    /// # Errors
    /// Every member that is absent, of another type, or leads out of the repository.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<Refusal>> {
        let file = DECLARATION_PATH;
        let node = load_bytes(bytes, 0).map_err(|faults| Refusal::of_faults(file, &faults))?;
        let mut r = Reader { file, refusals: Vec::new(), notes: Vec::new() };
        let known = ["engine", "taxonomy", "corpus", "imports", "harvests", "plugins"];
        let root = r.map(&node, "", &known);
        if root.is_none() && r.refusals.is_empty() {
            r.refuse(node.span, "", "the file declares nothing".to_owned(), "write a mapping");
        }
        let of = |key: &str| root.and_then(|map| map.get(key)).map(|member| &member.value);
        let span = |key: &str| of(key).map_or(node.span, |node| node.span);

        let known = ["package", "version", "digest", "bundles", "overlay"];
        let taxonomy = of("taxonomy").and_then(|node| r.map(node, "taxonomy", &known));
        let package = r.needed(taxonomy, "package", "taxonomy.package", span("taxonomy"));
        let version = r.needed(taxonomy, "version", "taxonomy.version", span("taxonomy"));
        let digest = r.text(taxonomy, "digest", "taxonomy.digest");
        let bundles = bundles(&mut r, taxonomy);
        let mut warnings = Vec::new();
        let overlay = r.text(taxonomy, "overlay", "taxonomy.overlay").map(|written| {
            normalize(&written).unwrap_or_else(|why| {
                let place = taxonomy.and_then(|map| map.get("overlay"));
                let span = place.map_or(Span::default(), |member| member.value.span);
                let what = format!(
                    "`{}` leaves the repository: {why}; the lock then depends on a file that is not \
                     committed with it",
                    shown(&written)
                );
                let next = "move the overlay inside".to_owned();
                warnings.push(r.about(span, "taxonomy.overlay", what, next));
                written
            })
        });

        let corpus = of("corpus").and_then(|node| r.map(node, "corpus", &["root", "exclude"]));
        let written = r.needed(corpus, "root", "corpus.root", span("corpus"));
        let root_path = match normalize(&written) {
            Ok(path) => path,
            Err(BadPath::Empty) => String::new(),
            Err(why) => {
                let what =
                    format!("`{}` is no directory of the repository: {why}", shown(&written));
                r.refuse(span("corpus"), "corpus.root", what, "name a directory inside");
                String::new()
            }
        };
        let exclude = exclusions(&mut r, corpus);
        let engine = r.range(root, "engine");
        let imports = r.pinned(root, "imports");
        let harvests = r.pinned(root, "harvests");
        let plugins = r
            .items(root, "plugins", "plugins")
            .iter()
            .enumerate()
            .map(|(place, node)| {
                let address = format!("plugins[{place}]");
                let map = r.map(node, &address, &["at", "digest"]);
                Plugin {
                    at: r.needed(map, "at", &format!("{address}.at"), node.span),
                    digest: r.text(map, "digest", &format!("{address}.digest")),
                }
            })
            .collect();
        if !r.refusals.is_empty() {
            return Err(r.refusals);
        }
        let (notes, root) = (r.notes, root_path);
        Ok(Self {
            package,
            version,
            digest,
            bundles,
            overlay,
            root,
            exclude,
            engine,
            imports,
            harvests,
            plugins,
            notes,
            warnings,
        })
    }
}

impl Declaration {
    /// The sentence that every run prints when this engine is outside the range that is asked for.
    pub fn unmet_engine(&self) -> Option<Refusal> {
        let range = self.engine.as_ref().filter(|range| !range.admits(ENGINE_VERSION))?;
        Some(Refusal::of_file(
            Class::Input,
            DECLARATION_PATH,
            format!("this engine is {ENGINE_VERSION}, and `engine` asks for `{range}`"),
            Next::Do("install an engine in that range, or widen it".to_owned()),
        ))
    }
}

fn bundles(r: &mut Reader<'_>, taxonomy: Option<&Map>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (place, node) in r.items(taxonomy, "bundles", "taxonomy.bundles").iter().enumerate() {
        let address = format!("taxonomy.bundles[{place}]");
        match node.text().filter(|name| is_name(name)) {
            None => {
                let what = format!("{} is no name of a bundle", node.describe());
                r.refuse(node.span, &address, what, "write the name of its directory");
            }
            Some(name) if names.iter().any(|held| held == name) => {
                let what = format!("`{name}` is selected twice");
                r.refuse(node.span, &address, what, "keep one");
            }
            Some(name) => names.push(name.to_owned()),
        }
    }
    names
}

fn exclusions(r: &mut Reader<'_>, corpus: Option<&Map>) -> Vec<Exclusion> {
    let mut found = Vec::new();
    for (place, node) in r.items(corpus, "exclude", "corpus.exclude").iter().enumerate() {
        let address = format!("corpus.exclude[{place}]");
        let map = r.map(node, &address, &["path", "reason"]);
        let path = r.needed(map, "path", &format!("{address}.path"), node.span);
        let reason = r.needed(map, "reason", &format!("{address}.reason"), node.span);
        found.push(Exclusion { pattern: PathPattern::new(&path), reason });
    }
    found
}

impl Manifest {
    /// Reads the bytes of a `package.yml` at `file`.
    ///
    /// # Errors
    /// Every member that is absent, of another type, or leads out of the package.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, Vec<Refusal>> {
        let node = load_bytes(bytes, 0).map_err(|faults| Refusal::of_faults(file, &faults))?;
        let mut r = Reader { file, refusals: Vec::new(), notes: Vec::new() };
        let root = r.map(&node, "", &[]);
        let package = r.needed(root, "package", "package", node.span);
        let version = r.needed(root, "version", "version", node.span);
        let requires_engine = r.range(root, "requires_engine");
        let contents = root.and_then(|map| map.get("contents")).map(|member| &member.value);
        let span = contents.map_or(node.span, |node| node.span);
        let contents = contents.and_then(|node| r.map(node, "contents", &[]));
        let taxonomy = r.needed(contents, "taxonomy", "contents.taxonomy", span);
        let bundles = r.text(contents, "bundles", "contents.bundles");
        let mut inside = |written: &str, address: &str| {
            normalize(written).unwrap_or_else(|why| {
                // An absent path is refused already.
                if !written.is_empty() {
                    let what = format!("`{}` is not inside the package: {why}", shown(written));
                    r.refuse(span, address, what, "write a path relative to package.yml");
                }
                String::new()
            })
        };
        let taxonomy = inside(&taxonomy, "contents.taxonomy");
        let bundles = bundles.map(|path| inside(&path, "contents.bundles"));
        if !r.refusals.is_empty() {
            return Err(r.refusals);
        }
        Ok(Self { package, version, requires_engine, taxonomy, bundles })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "taxonomy: {package: a/b, version: 1.0.0}\ncorpus: {root: docs}\n";

    #[test]
    fn a_small_declaration_reads() {
        let read = Declaration::parse(SMALL.as_bytes()).unwrap();
        assert_eq!((read.package.as_str(), read.root.as_str()), ("a/b", "docs"));
        assert!(read.notes.is_empty());
    }

    #[test]
    fn roots_are_normalized_and_stay_inside() {
        let root = |root: &str| {
            let text = SMALL.replace("docs", &format!("\"{root}\""));
            Declaration::parse(text.as_bytes()).map(|read| read.root)
        };
        assert_eq!(root("./docs/"), Ok("docs".to_owned()));
        assert_eq!(root("."), Ok(String::new()));
        assert!(root("../x").is_err());
        assert!(root("/x").is_err());
    }

    #[test]
    fn unknown_keys_are_noted_with_the_nearest_and_stop_nothing() {
        let text = SMALL.replace("root: docs", "root: docs, exclud: []");
        let read = Declaration::parse(text.as_bytes()).unwrap();
        let notes: Vec<String> = read.notes.iter().map(|note| note.render("headwater")).collect();
        assert_eq!(notes.len(), 1);
        assert!(notes[0].contains("corpus.exclud"), "{notes:?}");
        assert!(notes[0].ends_with("did you mean `exclude`?"), "{notes:?}");
    }

    #[test]
    fn an_overlay_outside_is_a_warning_and_kept_as_written() {
        let text = SMALL.replace("1.0.0", "1.0.0, overlay: ../x.yml");
        let read = Declaration::parse(text.as_bytes()).unwrap();
        assert_eq!((read.overlay.as_deref(), read.warnings.len()), (Some("../x.yml"), 1));
    }

    #[test]
    fn what_is_absent_or_of_another_type_is_refused_together() {
        let text =
            "taxonomy: {package: [], bundles: x}\ncorpus: {exclude: [{path: a}]}\nengine: 1\n";
        let refused = Declaration::parse(text.as_bytes()).unwrap_err();
        let addresses: Vec<_> = refused.iter().filter_map(|r| r.address.as_deref()).collect();
        let want = [
            "taxonomy.package",
            "taxonomy.version",
            "taxonomy.bundles",
            "corpus.root",
            "corpus.exclude[0].reason",
            "engine",
        ];
        assert_eq!(addresses, want);
    }

    #[test]
    fn a_manifest_stays_in_its_package() {
        let text = "package: a/b\nversion: 1\ncontents: {taxonomy: ../t.yml, bundles: b/}\n";
        assert!(Manifest::parse("package.yml", text.as_bytes()).is_err());
        let good = text.replace("../", "./");
        let read = Manifest::parse("package.yml", good.as_bytes()).unwrap();
        assert_eq!((read.taxonomy.as_str(), read.bundles.as_deref()), ("t.yml", Some("b")));
    }
}
