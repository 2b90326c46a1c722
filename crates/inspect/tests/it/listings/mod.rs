//! Tests of the listings: real tools on images made here, older outputs written by hand.

mod bsd;
mod cylinders;
mod facts;
mod grepped;
mod hostile;
mod linux;
mod lsblk;
mod pasted;
mod random;
mod rounding;
mod samples;
mod solaris;
mod tables;
mod tickets;
mod vmware;
mod windows;

use ioalign_inspect::captures::{self, Number, Said, Text, TextEvidence};

/// What the text says, by sniffing.
pub fn read(text: &str) -> TextEvidence {
    let mut evidence = TextEvidence::default();
    captures::read(&Text::new(text.as_bytes()), None, &mut evidence).unwrap();
    evidence
}

/// The only claims about a device.
pub fn said<'a>(evidence: &'a TextEvidence, name: &str) -> &'a Said {
    let mut all = evidence.devices.iter().filter(|said| said.name == name);
    let names: Vec<_> = evidence.devices.iter().map(|said| &said.name).collect();
    let only = all
        .next()
        .unwrap_or_else(|| panic!("no {name} in {names:?}"));
    assert!(all.next().is_none(), "{name} twice in {names:?}");
    only
}

/// Name and exact start in bytes of every device that has one, in order.
pub fn starts(evidence: &TextEvidence) -> Vec<(&str, u64)> {
    let all = evidence.devices.iter();
    let starting = all.filter_map(|said| Some((said, said.start?)));
    starting
        .map(|(said, start)| {
            assert!(start.is_exact(), "{} {start:?}", said.name);
            (said.name.as_str(), start.low)
        })
        .collect()
}

/// Sectors of 512 bytes.
pub fn at(count: u64) -> Option<Number> {
    Some(Number::exact(count * 512))
}
