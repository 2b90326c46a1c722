//! A registry hive without anything, for hivexregedit to write into.

fn put(bytes: &mut [u8], at: usize, new: &[u8]) {
    bytes[at..at + new.len()].copy_from_slice(new);
}

fn words(bytes: &mut [u8], at: usize, new: &[u32]) {
    for (index, word) in new.iter().enumerate() {
        put(bytes, at + index * 4, &word.to_le_bytes());
    }
}

const NONE: u32 = u32::MAX;

/// Header, and one bin with a root key, its security and free space.
pub fn empty() -> Vec<u8> {
    let mut bytes = vec![0; 8192];
    put(&mut bytes, 0, b"regf");
    words(&mut bytes, 4, &[1, 1]);
    words(&mut bytes, 0x14, &[1, 5, 0, 1, 0x20, 0x1000, 1]);
    let sum = bytes[..0x1fc].chunks(4).fold(0u32, |sum, word| {
        sum ^ u32::from_le_bytes(word.try_into().unwrap())
    });
    words(&mut bytes, 0x1fc, &[sum]);
    put(&mut bytes, 0x1000, b"hbin");
    words(&mut bytes, 0x1004, &[0, 0x1000]);
    root(&mut bytes[0x1020..0x1078]);
    security(&mut bytes[0x1078..0x10a8]);
    words(&mut bytes, 0x10a8, &[0x1000 - 0xa8]);
    bytes
}

fn size(cell: &mut [u8]) {
    let len = i32::try_from(cell.len()).unwrap();
    put(cell, 0, &(-len).to_le_bytes());
}

fn root(cell: &mut [u8]) {
    size(cell);
    put(cell, 4, b"nk\x2c\0");
    words(cell, 0x20, &[NONE, NONE, 0, NONE, 0x78, NONE]);
    put(cell, 0x4c, &[4, 0]);
    put(cell, 0x50, b"ROOT");
}

fn security(cell: &mut [u8]) {
    size(cell);
    put(cell, 4, b"sk");
    words(cell, 8, &[0x78, 0x78, 1, 0x14]);
    words(cell, 0x18, &[0x8000_0001]);
}
