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
