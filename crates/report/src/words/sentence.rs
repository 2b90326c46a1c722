//! The first and the last letter of a sentence.

/// First letter in upper case.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// A full stop last. The first letter stays: it may be that of a device, whose case matters.
pub fn sentence(text: &str) -> String {
    let text = text.trim().to_owned();
    if text.ends_with(['.', '!', '?']) || text.is_empty() {
        text
    } else {
        text + "."
    }
}
