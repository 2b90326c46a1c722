//! A severity as shape, colour and word: any one of them is enough to tell it.

use ioalign_core::Severity;

use crate::model::Target;
use crate::order;

/// The class of the style sheet and the outline in a box of 16 by 16.
const fn look(word: &str) -> (&'static str, &'static str) {
    match word.as_bytes() {
        b"broken" => (
            "worst",
            "<polygon points=\"5,1 11,1 15,5 15,11 11,15 5,15 1,11 1,5\"/>",
        ),
        b"data-risk" => ("worst", "<polygon points=\"8,0.5 15.5,8 8,15.5 0.5,8\"/>"),
        b"misaligned" => ("bad", "<polygon points=\"8,1 15.5,15 0.5,15\"/>"),
        b"suboptimal" => ("warn", "<rect x=\"2\" y=\"2\" width=\"12\" height=\"12\"/>"),
        b"note" => ("info", "<circle cx=\"8\" cy=\"8\" r=\"5\"/>"),
        b"ok" => ("good", "<path class=\"stroke\" d=\"M2 9 L6 13 L14 3\"/>"),
        _ => (
            "odd",
            "<circle class=\"stroke\" cx=\"8\" cy=\"8\" r=\"6\"/>",
        ),
    }
}

fn of_word(word: &str) -> String {
    let (class, shape) = look(word);
    format!(
        "<span class=\"badge {class}\"><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\">{shape}\
         </svg>{word}</span>"
    )
}

/// The badge of a finding.
pub fn severity(severity: Severity) -> String {
    of_word(severity.name())
}

/// The badge of a whole target, which may also be unreadable.
pub fn state(target: &Target) -> String {
    of_word(order::state(target))
}

/// The class alone, for borders.
pub const fn class(severity: Severity) -> &'static str {
    look(severity.name()).0
}

/// The class of a target's state.
pub fn state_class(target: &Target) -> &'static str {
    look(order::state(target)).0
}
