//! Numbers in untrusted bytes. Past the end they are 0, which no reader takes for sound; where 0 could be
//! taken for an answer, [`field`] says that there is nothing.

/// The bytes of a field; `None` past the end.
pub fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

macro_rules! number {
    ($($name:ident, $type:ty, $from:ident, $doc:literal;)*) => {
        $(
            #[doc = $doc]
            pub fn $name(bytes: &[u8], at: usize) -> $type {
                field(bytes, at).map_or(0, <$type>::$from)
            }
        )*
    };
}

number! {
    u8_at, u8, from_le_bytes, "8 bits.";
    le16, u16, from_le_bytes, "16 bits, little endian.";
    le32, u32, from_le_bytes, "32 bits, little endian.";
    le64, u64, from_le_bytes, "64 bits, little endian.";
    be16, u16, from_be_bytes, "16 bits, big endian.";
    be32, u32, from_be_bytes, "32 bits, big endian.";
    be64, u64, from_be_bytes, "64 bits, big endian.";
}

/// Whether these bytes stand there.
pub fn has(bytes: &[u8], at: usize, what: &[u8]) -> bool {
    bytes.get(at..).is_some_and(|rest| rest.starts_with(what))
}

/// Replaces bytes; nothing where they do not fit.
pub fn put(bytes: &mut [u8], at: usize, new: &[u8]) {
    let end = at.checked_add(new.len());
    if let Some(old) = end.and_then(|end| bytes.get_mut(at..end)) {
        old.copy_from_slice(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_past_the_end_is_nothing() {
        let mut bytes = [1, 2, 3, 4];
        assert_eq!((le16(&bytes, 2), be16(&bytes, 2)), (0x0403, 0x0304));
        assert_eq!((le32(&bytes, 1), le16(&bytes, usize::MAX)), (0, 0));
        assert_eq!(field::<2>(&bytes, 3), None);
        assert!(has(&bytes, 2, &[3, 4]) && !has(&bytes, 3, &[4, 5]) && !has(&bytes, 9, &[]));
        put(&mut bytes, 3, &[9, 9]);
        put(&mut bytes, 0, &[7]);
        assert_eq!(bytes, [7, 2, 3, 4]);
    }
}
