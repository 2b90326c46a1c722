//! Vital product data of SCSI and ATA disks, as sysfs shows it: the unit serial number (page 80h) and the names of
//! the device (page 83h). Layout: SPC-5, 7.7.6 and 7.7.17.

/// A page has a header of four bytes, the last two of which are its length.
const HEADER: usize = 4;

/// Types of designators that tell one device from all others: the vendor's own, T10, EUI-64, NAA, SCSI name.
const NAMES: [u8; 5] = [0, 1, 2, 3, 8];

/// The serial number of page 80h.
pub(super) fn serial(page: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(page.get(HEADER..)?);
    let text = text.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    (!text.is_empty()).then(|| text.to_owned())
}

/// The names of page 83h: binary ones as udev writes them, in hexadecimal digits.
pub(super) fn names(page: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = page.get(HEADER..).unwrap_or_default();
    while let Some(([code, kind, _, len], after)) = rest.split_first_chunk::<4>() {
        let Some((name, next)) = after.split_at_checked(usize::from(*len)) else {
            break;
        };
        // Numbers of ports and groups are the same everywhere.
        let code = if NAMES.contains(&(kind & 0xf)) {
            code & 0xf
        } else {
            0
        };
        match code {
            1 => names.push(name.iter().map(|byte| format!("{byte:02x}")).collect()),
            2 | 3 => {
                let text = String::from_utf8_lossy(name);
                let text = text.trim_matches(|c: char| c.is_whitespace() || c.is_control());
                names.push(text.to_owned());
            }
            _ => {}
        }
        rest = next;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_pages_are_read() {
        assert_eq!(
            serial(b"\0\x80\0\x0c    ZGY0AAAA").as_deref(),
            Some("ZGY0AAAA")
        );
        assert_eq!(serial(b"\0\x80\0\0"), None);
        let page =
            b"\0\x83\0\x20\x01\x03\0\x08\x50\0\xc5\0\xa1\xb2\xc3\xd4\x02\x01\0\x10ATA     ZGY0AAAA";
        assert_eq!(names(page), ["5000c500a1b2c3d4", "ATA     ZGY0AAAA"]);
        assert!(names(b"\0\x83\0\x08\x01\x14\0\x04\0\0\0\x01").is_empty());
        assert!(names(b"\0\x83\0\x20\x01\x03\0\xff\x50").is_empty());
    }
}
