//! A verdict as shape, colour and word: any one of them is enough.

use ioalign_core::comparison::EstimateVerdict;

/// The class of the style sheet and the outline in a box of 16 by 16.
const fn look(verdict: EstimateVerdict) -> (&'static str, &'static str) {
    match verdict {
        EstimateVerdict::Slower => ("bad", "<polygon points=\"8,15 15.5,2 0.5,2\"/>"),
        EstimateVerdict::Faster => ("good", "<polygon points=\"8,1 15.5,14 0.5,14\"/>"),
        EstimateVerdict::NoDifference => (
            "info",
            "<rect x=\"1\" y=\"3\" width=\"14\" height=\"3.5\"/>\
             <rect x=\"1\" y=\"9.5\" width=\"14\" height=\"3.5\"/>",
        ),
        EstimateVerdict::Undecided => (
            "quiet",
            "<circle class=\"stroke\" cx=\"8\" cy=\"8\" r=\"6\"/>",
        ),
        EstimateVerdict::Invalid => (
            "odd",
            "<path class=\"stroke\" d=\"M2 2 L14 14 M14 2 L2 14\"/>",
        ),
    }
}

/// The verdict for a table or a sentence.
pub fn verdict(verdict: EstimateVerdict) -> String {
    let (class, shape) = look(verdict);
    let word = verdict.word().replace('-', " ");
    format!(
        "<span class=\"badge {class}\"><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\">{shape}</svg>\
         {word}</span>"
    )
}
