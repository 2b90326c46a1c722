//! Why a target could not be read, without what stands beside it anyway.

use super::clean;
use crate::model::ErrorInfo;

/// The message without the path before it and the place after it.
pub fn short(error: &ErrorInfo) -> String {
    let mut text = error.message.as_str();
    if let Some(path) = &error.path {
        let rest = text.strip_prefix(path.as_str());
        text = rest
            .and_then(|rest| rest.strip_prefix(": "))
            .unwrap_or(text);
    }
    for (opening, known) in [
        (" (field ", error.field.is_some()),
        (" (at byte ", error.offset.is_some()),
    ] {
        if let Some((before, _)) = text.rsplit_once(opening).filter(|_| known) {
            text = before;
        }
    }
    let without_number = text.rsplit_once(" (os error ").map(|(before, _)| before);
    clean(without_number.unwrap_or(text).trim_end_matches('.'))
}

/// One line: what cannot be read, why, where, and what to do next.
pub fn with_remedy(name: &str, error: &ErrorInfo) -> String {
    let mut place = Vec::new();
    place.extend(error.offset.map(|at| format!("byte {at}")));
    place.extend(
        error
            .field
            .as_deref()
            .map(|field| format!("field {}", clean(field))),
    );
    // The file that is damaged, where it is another one than the target.
    place.extend(
        error
            .path
            .as_deref()
            .filter(|path| *path != name)
            .map(clean),
    );
    let place = match place.is_empty() {
        true => String::new(),
        false => format!(" ({})", place.join(", ")),
    };
    format!(
        "{}: {}{place}; {}",
        clean(name),
        short(error),
        remedy(&error.kind)
    )
}

/// What to do about an error of this kind.
fn remedy(kind: &str) -> &'static str {
    match kind {
        "not-found" => "check the name; `ioalign check` without one checks this machine",
        "permission" => "run it as root, or as a user who may read it",
        "malformed" => "if it is the output of another program, name that with --as",
        "unsupported" => "convert it (qemu-img convert), or name its format with --as",
        "refused" => "`ioalign check --help` lists the options that allow it",
        _ => "`ioalign check --help` lists what can be read",
    }
}

/// The place of the damage: `byte 65536 (0x10000), field header`.
pub fn place(error: &ErrorInfo) -> Vec<String> {
    let mut parts = vec![clean(&error.kind)];
    parts.extend(error.path.as_deref().map(clean));
    parts.extend(error.offset.map(|at| format!("byte {at} (0x{at:x})")));
    let field = error.field.as_deref();
    parts.extend(field.map(|field| format!("field {}", clean(field))));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_with_a_remedy() {
        let error = ErrorInfo {
            kind: "not-found".to_owned(),
            message: "x.img: Cannot open it: No such file or directory (os error 2)".to_owned(),
            path: Some("x.img".to_owned()),
            ..ErrorInfo::default()
        };
        let line = with_remedy("x.img", &error);
        let wanted = "x.img: Cannot open it: No such file or directory; check the name";
        assert!(line.starts_with(wanted), "{line}");
        let damaged = ErrorInfo {
            kind: "malformed".to_owned(),
            message: "it ends early".to_owned(),
            path: Some("base.img".to_owned()),
            offset: Some(512),
            field: Some("header".to_owned()),
        };
        let line = with_remedy("x.img", &damaged);
        assert!(
            line.starts_with("x.img: it ends early (byte 512, field header, base.img); "),
            "{line}"
        );
    }

    #[test]
    fn nothing_is_said_twice() {
        let error = ErrorInfo {
            message: "/tmp/x: The header is damaged (field header at byte 512)".to_owned(),
            path: Some("/tmp/x".to_owned()),
            offset: Some(512),
            field: Some("header".to_owned()),
            ..ErrorInfo::default()
        };
        assert_eq!(short(&error), "The header is damaged");
        let error = ErrorInfo {
            message: "/x: Cannot open it: No such file or directory (os error 2)".to_owned(),
            path: Some("/x".to_owned()),
            ..ErrorInfo::default()
        };
        assert_eq!(short(&error), "Cannot open it: No such file or directory");
    }
}
