//! Sentences as they came, ended. Their first letter stays: it may be a device's name.

/// With a full stop where there is no end yet.
pub fn ended(text: &str) -> String {
    let text = text.trim_end();
    if text.is_empty() || text.ends_with(['.', '!', '?']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}
