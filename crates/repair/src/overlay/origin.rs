//! Where the bytes of a disk that will be come from.

/// Where bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrigin<'a> {
    /// From the disk as it is, from this address on.
    Old(u64),
    /// They are these.
    Bytes(&'a [u8]),
    /// They are zeros.
    Zeros,
}

/// A disk that will be, as stretches with one origin each.
pub trait Origins {
    /// Where the byte at `at` comes from, and for how many bytes that goes on: at least one.
    fn origin(&self, at: u64) -> (ByteOrigin<'_>, u64);
}

/// Fills `bytes` with what will be at `at`; `read` reads the disk as it is.
pub fn fill<E>(
    origins: &dyn Origins,
    at: u64,
    bytes: &mut [u8],
    mut read: impl FnMut(u64, &mut [u8]) -> Result<(), E>,
) -> Result<(), E> {
    let (mut at, mut rest) = (at, bytes);
    while !rest.is_empty() {
        let (origin, room) = origins.origin(at);
        let part = usize::try_from(room).map_or(rest.len(), |room| room.min(rest.len()));
        let (now, later) = rest.split_at_mut(part.max(1));
        match origin {
            ByteOrigin::Old(from) => read(from, now)?,
            ByteOrigin::Zeros => now.fill(0),
            ByteOrigin::Bytes(bytes) => {
                now.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from)
            }
        }
        at = at.saturating_add(now.len() as u64);
        rest = later;
    }
    Ok(())
}
