//! What direct I/O to the target demands.

use ioalign_core::Bytes;
use ioalign_core::direct_io::{DirectIoContract, MisalignedDirectIo};

use super::page::{Style, TextPage, TextSpan};
use crate::model::Target;

/// Columns of the word before it, as before a finding.
const HANG: usize = 12;

/// The contract in a paragraph, then its reasons and what follows, a paragraph each.
pub fn put(page: &mut TextPage<'_>, target: &Target) {
    let Some(contract) = &target.direct_io else {
        return;
    };
    page.blank();
    let head = TextSpan::new(Style::Strong, "direct I/O  ");
    page.put("", "", HANG, &[head, TextSpan::plain(demands(contract))]);
    for text in contract.because.iter().chain(&contract.therefore) {
        let indent = " ".repeat(HANG);
        page.put(&indent, &indent, 0, &[TextSpan::plain(text)]);
    }
    page.blank();
}

fn demands(contract: &DirectIoContract) -> String {
    let of = |what: &str, align: Option<u64>| {
        align.map(|bytes| format!("{what} at multiples of {}", Bytes::new(bytes)))
    };
    let parts: Vec<_> = [
        of("buffers", contract.memory_align_bytes),
        of("reads", contract.offset_align_bytes),
        of("writes", contract.write_offset_align_bytes),
    ]
    .into_iter()
    .flatten()
    .collect();
    let rest = match (parts.is_empty(), contract.misaligned) {
        (true, MisalignedDirectIo::Buffered) => "any I/O is accepted".to_owned(),
        (true, _) => "what it demands is not known".to_owned(),
        (false, misaligned) => format!("{}; {}", parts.join(", "), misaligned.words()),
    };
    let rest = match contract.misaligned_writes {
        MisalignedDirectIo::Buffered if contract.misaligned != MisalignedDirectIo::Buffered => {
            format!("{rest}, but writes that are aligned as reads go through the page cache")
        }
        _ => rest,
    };
    let proof = match (contract.proved, contract.tries) {
        (Some(true), tries) => format!("{tries} reads ended so"),
        (Some(false), tries) => format!("not all of {tries} reads ended so"),
        (None, _) => "not tried: no 128 KiB of data in a row were found in it".to_owned(),
    };
    format!("{rest} ({proof}).")
}
