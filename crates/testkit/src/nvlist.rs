//! A ZFS label: the configuration as a packed XDR nvlist ("ZFS On-Disk Specification", 1.3.3).

/// Types of values.
const UINT64: u32 = 8;
const STRING: u32 = 9;
/// A nested list.
pub const NVLIST: u32 = 19;

/// A packed list of these pairs, as a label has it at 16 KiB.
pub fn packed(pairs: &[Vec<u8>]) -> Vec<u8> {
    [&[1, 1, 0, 0][..], &list(pairs)].concat()
}

/// Where the lists of the four labels of a device of `len` bytes begin.
pub fn places(len: u64) -> [u64; 4] {
    let unit = 256 << 10;
    [0, unit, len - 2 * unit, len - unit].map(|start| start + (16 << 10))
}

/// Version 0, unique names, the pairs, and an empty pair as the end.
pub fn list(pairs: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 0, 0, 0, 0, 0, 1];
    bytes.extend(pairs.concat());
    bytes.extend([0; 8]);
    bytes
}

/// A pair with a 64-bit number.
pub fn number(name: &str, value: u64) -> Vec<u8> {
    pair(name, UINT64, &value.to_be_bytes())
}

/// A pair with a text.
pub fn text(name: &str, value: &str) -> Vec<u8> {
    pair(name, STRING, &string(value))
}

/// Length, bytes, padding to four.
fn string(text: &str) -> Vec<u8> {
    let mut bytes = word(text.len());
    bytes.extend(text.as_bytes());
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// Encoded size, decoded size, name, type, number of elements, value.
pub fn pair(name: &str, kind: u32, value: &[u8]) -> Vec<u8> {
    let mut body = string(name);
    body.extend(kind.to_be_bytes());
    body.extend(1_u32.to_be_bytes());
    body.extend(value);
    let size = word(body.len() + 8);
    [size.clone(), size, body].concat()
}

fn word(value: usize) -> Vec<u8> {
    u32::try_from(value)
        .unwrap_or(u32::MAX)
        .to_be_bytes()
        .to_vec()
}
