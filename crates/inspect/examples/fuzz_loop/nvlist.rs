//! A ZFS label: the configuration as a packed XDR nvlist ("ZFS On-Disk Specification", 1.3.3).

use super::seed::Seed;

const UINT64: u32 = 8;
const STRING: u32 = 9;
const NVLIST: u32 = 19;

/// Four labels of one mirror with ashift 12, on 64 MiB.
pub fn seed() -> Seed {
    let disk = list(&[number("id", 0), number("guid", 77), number("ashift", 12)]);
    let tree = list(&[
        text("type", "mirror"),
        number("ashift", 12),
        pair("vdev_tree", NVLIST, &disk),
    ]);
    let mut label = vec![1, 1, 0, 0];
    label.extend(list(&[
        number("version", 5000),
        text("name", "tank"),
        number("state", 0),
        number("txg", 4),
        number("pool_guid", 99),
        number("guid", 77),
        pair("vdev_tree", NVLIST, &tree),
    ]));
    let (label, unit, len) = (label.as_slice(), 256 << 10, 64 << 20);
    let places = [0, unit, len - 2 * unit, len - unit].map(|start| (start + (16 << 10), label));
    Seed::from_pieces("zfs", len, &places)
}

/// Version 0, unique names, the pairs, and an empty pair as the end.
fn list(pairs: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 0, 0, 0, 0, 0, 1];
    bytes.extend(pairs.concat());
    bytes.extend([0; 8]);
    bytes
}

fn number(name: &str, value: u64) -> Vec<u8> {
    pair(name, UINT64, &value.to_be_bytes())
}

fn text(name: &str, value: &str) -> Vec<u8> {
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
fn pair(name: &str, kind: u32, value: &[u8]) -> Vec<u8> {
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
