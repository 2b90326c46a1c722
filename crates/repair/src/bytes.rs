//! Numbers in untrusted bytes: what lies past the end is 0, which no reader takes for sound.

/// `N` bytes at a place.
fn taken<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let end = at.checked_add(N);
    let taken = end.and_then(|end| bytes.get(at..end));
    taken
        .and_then(|taken| taken.try_into().ok())
        .unwrap_or([0; N])
}

/// 8 bits.
pub fn u8_at(bytes: &[u8], at: usize) -> u8 {
    u8::from_le_bytes(taken(bytes, at))
}

/// 16 bits, little endian.
pub fn le16(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(taken(bytes, at))
}

/// 32 bits, little endian.
pub fn le32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(taken(bytes, at))
}

/// 64 bits, little endian.
pub fn le64(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(taken(bytes, at))
}

/// 16 bits, big endian.
pub fn be16(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(taken(bytes, at))
}

/// 32 bits, big endian.
pub fn be32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(taken(bytes, at))
}

/// Whether these bytes stand there.
pub fn has(bytes: &[u8], at: usize, what: &[u8]) -> bool {
    let end = at.checked_add(what.len());
    end.and_then(|end| bytes.get(at..end)) == Some(what)
}

/// Replaces bytes; nothing where they do not fit.
pub fn put(bytes: &mut [u8], at: usize, new: &[u8]) {
    let end = at.checked_add(new.len());
    if let Some(old) = end.and_then(|end| bytes.get_mut(at..end)) {
        old.copy_from_slice(new);
    }
}
