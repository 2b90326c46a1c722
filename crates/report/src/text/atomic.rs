//! Whether pages are written whole, layer by layer.

use ioalign_core::Bytes;
use ioalign_core::atomic_write::{AtomicCertificate, AtomicLayer, AtomicSubject, AtomicVerdict};

use super::page::{Style, TextPage, TextSpan};
use crate::model::Target;

/// Columns of the word before it, as before a finding.
const HANG: usize = 12;
/// Columns of a guarantee: `not known`.
const SIZE: usize = 9;

/// The certificate: a paragraph a subject, and a line for each of its layers.
pub fn put(page: &mut TextPage<'_>, target: &Target) {
    let Some(certificate) = &target.atomic else {
        return;
    };
    if target.findings.is_empty() {
        page.blank();
    }
    for subject in &certificate.subjects {
        one(page, subject);
    }
    let indent = " ".repeat(HANG);
    for text in proof(certificate).iter().chain(&certificate.claims) {
        page.put(&indent, &indent, 0, &[TextSpan::plain(text)]);
    }
    page.blank();
}

fn one(page: &mut TextPage<'_>, subject: &AtomicSubject) {
    let head = TextSpan::new(Style::Strong, format!("{:<HANG$}", "atomic"));
    let unit = Bytes::new(subject.unit_bytes);
    let said = format!(
        "{unit} pages on {}: {}",
        subject.layer,
        subject.predicted.word()
    );
    let why = match subject.predicted {
        AtomicVerdict::Guaranteed => format!("{said}; {}.", subject.why),
        // The finding has the reason.
        _ => format!("{said}."),
    };
    page.put("", "", HANG, &[head, TextSpan::plain(why)]);
    let indent = " ".repeat(HANG);
    let widest = subject
        .layers
        .iter()
        .map(|layer| layer.layer.chars().count())
        .max();
    let widest = widest.unwrap_or(0).min(page.width() / 3);
    for layer in &subject.layers {
        let name = format!("{:<widest$}  {:>SIZE$}  ", layer.layer, guarantee(layer));
        let text = match &layer.breaks {
            Some(why) => format!("{}; {why}", layer.source),
            None => layer.source.clone(),
        };
        let hang = name.chars().count();
        page.put(
            &indent,
            &indent,
            hang,
            &[TextSpan::plain(name), TextSpan::plain(text)],
        );
    }
    if subject.predicted == AtomicVerdict::Guaranteed {
        for step in &subject.r#do {
            page.put(&indent, &indent, 2, &[TextSpan::plain(step)]);
        }
    }
}

fn guarantee(layer: &AtomicLayer) -> String {
    match layer.guarantee_bytes {
        None => "not known".to_owned(),
        Some(0) => "none".to_owned(),
        Some(bytes) => Bytes::new(bytes).to_string(),
    }
}

fn proof(certificate: &AtomicCertificate) -> Option<String> {
    let proof = certificate.proof.as_ref()?;
    Some(match (&proof.not_tried, proof.holds()) {
        (Some(why), _) => format!("Not proved: {why}."),
        (None, None) => "Not proved: nothing could be tried.".to_owned(),
        (None, Some(true)) => format!(
            "Proved: {} atomic writes to a scratch file ended as predicted, {} of them accepted.",
            proof.tries, proof.accepted
        ),
        (None, Some(false)) => format!(
            "Disproved: {} of {} atomic writes to a scratch file ended otherwise than predicted.",
            proof.differing, proof.tries
        ),
    })
}
