//! LVM's metadata text: who made the group and by which commands, and the serial numbers of its devices.
//!
//! Values keep their length, and both checksums (text, header of the area) are made right again, so
//! that a copy reads like the original.

use super::{Blanked, count};
use crate::recording::SectorCopy;
use crate::volumes::lvm_crc;

/// `FMTT_MAGIC`, behind the header's checksum.
const MAGIC: &[u8] = b" LVM2 x[5A%r0N*>";
const HEADER: usize = 512;
/// Where the first `raw_locn` has the place, the length and the checksum of the text.
const OFFSET: usize = 40;
const SIZE: usize = 48;
const SUM: usize = 56;
/// Longest text that is looked at, as in the reader.
const MOST_TEXT: u64 = 16 << 20;

/// Assignments whose text goes: where the group was made, on whose authority, by what command, and what people
/// wrote on it.
const ALWAYS: [&str; 4] = ["creation_host", "system_id", "description", "tags"];
/// Those that name hardware by its serial number, also by the path of a hint.
const SERIALS: [&str; 1] = ["device_id"];
const HINTS: [&str; 1] = ["device"];
/// Paths that do.
const BY_SERIAL: &[u8] = b"/dev/disk/";

/// Blanks every metadata area on a device.
pub(super) fn blank(sectors: &mut SectorCopy, with_serials: bool, blanked: &mut Blanked) {
    for at in sectors.find(MAGIC, 4) {
        area(sectors, at, with_serials, blanked);
    }
}

/// An area whose header begins at `at`. A text that its checksum does not vouch for goes as a whole: what in
/// it is a name and what a value is not known, and no reader takes anything from it. `None`: there is no text.
fn area(
    sectors: &mut SectorCopy,
    at: u64,
    with_serials: bool,
    blanked: &mut Blanked,
) -> Option<()> {
    let header = sectors.read(at, HEADER);
    let long = |field: usize| Some(u64::from_le_bytes(*header.get(field..)?.first_chunk()?));
    let (room, offset, size) = (long(32)?, long(OFFSET)?, long(SIZE)?);
    if size > MOST_TEXT || !(HEADER as u64..room).contains(&offset) {
        return None;
    }
    // Text that runs past the end of the buffer goes on at its front, behind the header.
    let front = usize::try_from(size.min(room - offset)).ok()?;
    let rest = usize::try_from(size).ok()?.checked_sub(front)?;
    let (first, second) = (at.checked_add(offset)?, at.checked_add(HEADER as u64)?);
    // A text longer than all that was read of the device was not read; headers in every sector cost no more than it.
    let is_read = front + rest <= sectors.held();
    let mut text = Vec::new();
    if is_read {
        text.extend(sectors.read(first, front));
        text.extend(sectors.read(second, rest));
    }
    let sum = header.get(SUM..)?.first_chunk()?;
    if !is_read || lvm_crc(&text) != u32::from_le_bytes(*sum) {
        sectors.clear(first, front);
        sectors.clear(second, rest);
        count(blanked, "LVM descriptions with a wrong checksum");
        return None;
    }
    let mut changed = values(
        &mut text,
        &ALWAYS,
        "LVM creation host, system ID, descriptions, tags",
        blanked,
    );
    if !with_serials {
        changed |= values(&mut text, &SERIALS, "LVM device IDs", blanked);
        changed |= values_that(&mut text, &HINTS, "LVM device IDs", blanked, |value| {
            value.starts_with(BY_SERIAL)
        });
    }
    if changed {
        sectors.write(first, text.get(..front)?);
        sectors.write(second, text.get(front..)?);
        sectors.write(at.checked_add(SUM as u64)?, &lvm_crc(&text).to_le_bytes());
        let header = sectors.read(at, HEADER);
        sectors.write(at, &lvm_crc(header.get(4..)?).to_le_bytes());
    }
    Some(())
}

/// Overwrites the quoted values of these names; whether there were any.
fn values(text: &mut [u8], names: &[&str], what: &'static str, blanked: &mut Blanked) -> bool {
    values_that(text, names, what, blanked, |_| true)
}

/// Those of them that `wanted` chooses.
fn values_that(
    text: &mut [u8],
    names: &[&str],
    what: &'static str,
    blanked: &mut Blanked,
    wanted: impl Fn(&[u8]) -> bool,
) -> bool {
    let mut changed = false;
    let mut line = 0;
    while line < text.len() {
        let rest = text.get_mut(line..).unwrap_or_default();
        let len = rest
            .iter()
            .position(|byte| *byte == b'\n')
            .unwrap_or(rest.len());
        let found = rest.get_mut(..len).and_then(|line| value(line, names));
        if let Some(value) = found.filter(|value| wanted(value)) {
            changed |= !value.is_empty();
            value.fill(b'x');
            count(blanked, what);
        }
        line += len + 1;
    }
    changed
}

/// What is between the quotes of `name = "…"`.
fn value<'a>(line: &'a mut [u8], names: &[&str]) -> Option<&'a mut [u8]> {
    let begins = line.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let word = line.get(begins..)?;
    let named = names.iter().any(|name| {
        let rest = word.strip_prefix(name.as_bytes());
        rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"="))
    });
    let open = line
        .iter()
        .position(|byte| *byte == b'"')
        .filter(|_| named)?;
    let close = line.iter().rposition(|byte| *byte == b'"')?;
    line.get_mut(open + 1..close)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header in every sector, each with the longest text: 256 GiB to read if each text were.
    #[test]
    fn headers_cost_no_more_than_what_is_held() {
        let mut header = [0; HEADER];
        header[4..20].copy_from_slice(MAGIC);
        header[32..40].copy_from_slice(&(1_u64 << 40).to_le_bytes());
        header[OFFSET..SIZE].copy_from_slice(&(1_u64 << 30).to_le_bytes());
        header[SIZE..SUM].copy_from_slice(&MOST_TEXT.to_le_bytes());
        let mut sectors = SectorCopy::new(1 << 40);
        sectors.write(0, &header.repeat(16_384));
        sectors.write(1 << 30, b"creation_host = \"planted\"");
        let mut blanked = Blanked::new();
        blank(&mut sectors, false, &mut blanked);
        assert_eq!(sectors.read(1 << 30, 26), [0; 26]);
        assert_eq!(blanked.values().copied().sum::<u64>(), 16_384);
    }

    #[test]
    fn only_the_values_of_these_names_go() {
        let text = "id = \"keep\"\n\tcreation_host = \"planted\"\t# Linux\ncreation_hosts = \"keep\"\n\
                    system_id=\"planted\"\ndescription = \"\"\ndevice_id = \"planted\"";
        let mut bytes = text.as_bytes().to_vec();
        let mut blanked = Blanked::new();
        assert!(values(&mut bytes, &ALWAYS, "a", &mut blanked));
        assert!(values(&mut bytes, &SERIALS, "b", &mut blanked));
        let after = String::from_utf8(bytes).unwrap();
        assert_eq!(after, text.replace("planted", "xxxxxxx"));
        assert!(!values(
            &mut after.into_bytes(),
            &["none"],
            "c",
            &mut blanked
        ));
    }
}
