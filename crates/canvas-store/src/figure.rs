//! The source of a figure, read from the file a caller names (canvas-store §3.2).

use std::io::Read;
use std::path::Path;

use crate::os::{self, Act};
use crate::refusal::{Exit, Next, Refusal, Subject};
use crate::request::Figure;

/// How much of a figure file is read: more than a whole canvas may hold.
const LIMIT: u64 = canvas_document::BYTES as u64;

/// The text of a figure file, its line ends made `LF`; a byte order mark or an XML declaration in
/// front of a drawing is dropped, because editors put them there.
///
/// # Errors
/// Exit 2, about the file and the option: unreadable, not UTF-8, or larger than a canvas may be.
pub fn figure_source(figure: Figure, path: &Path) -> Result<String, Refusal> {
    let option = match figure {
        Figure::Mermaid => "--mermaid-file",
        Figure::Svg => "--svg-file",
    };
    let shown = path.display().to_string();
    let about = |refusal: Refusal| refusal.and(Subject::about("option", option));
    let fail = |error: std::io::Error| {
        let subject = Subject::about("file", shown.clone());
        about(os::refusal(
            format!("cannot read the file that {option} names"),
            &error,
            Act::Read,
            path,
            subject,
        ))
    };
    let meta = match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let subject = Subject::about("file", shown.clone());
            let message = format!(
                "the file that {option} names is not there: {}: {shown}",
                os::words(&error)
            );
            let next = "correct the path and re-run; nothing was written";
            let refusal = Refusal::new(Exit::Tool, message, subject, Next::new(next));
            return Err(about(refusal.and_all(os::subjects(&error, &[path]))));
        }
        other => other.map_err(fail)?,
    };
    if meta.is_dir() {
        return Err(fail(std::io::Error::from_raw_os_error(21)));
    }
    let refuse = |what: &str, next: &str| {
        about(Refusal::new(
            Exit::Tool,
            format!("the file {shown} that {option} names {what}; nothing was written"),
            Subject::about("file", shown.clone()),
            Next::new(next),
        ))
    };
    if !meta.is_file() {
        return Err(refuse(
            "is not a regular file",
            "name a file that holds the figure's source and re-run",
        ));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(LIMIT + 1).read_to_end(&mut bytes))
        .map_err(fail)?;
    if bytes.len() as u64 > LIMIT {
        return Err(refuse(
            "is larger than 16 MiB, the limit of a canvas",
            "make the figure smaller and re-run",
        ));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| refuse("is not UTF-8", "convert the file to UTF-8 and re-run"))?
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    Ok(match figure {
        Figure::Mermaid => text,
        Figure::Svg => without_preamble(&text).to_owned(),
    })
}

/// The drawing without a byte order mark and an XML declaration.
fn without_preamble(text: &str) -> &str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let declared = text
        .strip_prefix("<?xml")
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_whitespace()));
    match declared.and_then(|rest| rest.split_once("?>")) {
        Some((_, after)) => after.trim_start(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_editors_put_in_front_of_a_drawing_is_dropped() {
        for (given, kept) in [
            ("\u{feff}<svg/>", "<svg/>"),
            ("<?xml version=\"1.0\"?>\n<svg/>", "<svg/>"),
            ("\u{feff}<?xml version=\"1.0\"?><svg/>", "<svg/>"),
            ("<?xml-stylesheet href=\"x\"?><svg/>", "<?xml-stylesheet href=\"x\"?><svg/>"),
            ("<?xml version=\"1.0\" <svg/>", "<?xml version=\"1.0\" <svg/>"),
            ("<svg><?xml version=\"1.0\"?></svg>", "<svg><?xml version=\"1.0\"?></svg>"),
        ] {
            assert_eq!(without_preamble(given), kept);
        }
    }
}
