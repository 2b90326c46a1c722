//! The repairs of a finding, in sentences.

use ioalign_core::{Finding, Suggestion};

use super::clean;
use super::numbers::exact_and_about;
use super::sentence::{capital, sentence};

/// `Good start: sector 2048 × 512 B = 1 MiB; the nearest one before: …`
pub fn better(suggest: &Suggestion) -> Option<String> {
    let mut parts = Vec::new();
    match (suggest.start_sectors, suggest.start) {
        (Some(sectors), _) => parts.push(format!(
            "good start: sector {} × {} = {}",
            sectors.count(),
            sectors.size().bytes(),
            exact_and_about(sectors.bytes())
        )),
        (None, Some(start)) => parts.push(format!("good start: {}", exact_and_about(start))),
        (None, None) => {}
    }
    if let Some(before) = suggest.start_before {
        parts.push(format!(
            "the nearest one before: {}",
            exact_and_about(before)
        ));
    }
    if let Some(size) = suggest.size {
        parts.push(format!("good size: {}", exact_and_about(size)));
    }
    (!parts.is_empty()).then(|| sentence(&capital(&parts.join("; "))))
}

/// Until when and why it does not count, where a policy says so.
pub fn waived(finding: &Finding) -> Option<String> {
    let waiver = finding.waived.as_ref()?;
    let reason = sentence(&clean(&waiver.reason));
    Some(format!(
        "Waived until {}, does not count: {reason}",
        clean(&waiver.expires)
    ))
}

/// Whether it can be put right where it is.
pub const fn in_place(finding: &Finding) -> Option<&'static str> {
    match finding.fixable_in_place {
        Some(true) => Some("Can be fixed in place."),
        Some(false) => Some("Cannot be fixed in place: the data must be copied."),
        None => None,
    }
}
