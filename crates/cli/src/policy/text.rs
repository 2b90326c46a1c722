//! The text of a policy, to say where something stands.

use toml::Spanned;

/// The text, to say where something stands.
pub(super) struct PolicyText<'a>(pub(super) &'a str);

impl PolicyText<'_> {
    /// `what`, with the line of `place` before it.
    pub(super) fn at<T>(&self, place: &Spanned<T>, what: &str) -> String {
        let before = self.0.get(..place.span().start).unwrap_or_default();
        format!("line {}: {what}", before.matches('\n').count() + 1)
    }
}
