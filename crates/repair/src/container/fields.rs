//! Headers put together and read by offset, and the numbers that every new image needs.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;

use ioalign_core::on_disk::bytes;

use super::store::{Store, damaged};

/// A record of fixed length; what does not fit is left out, which a test would see.
#[derive(Clone, Debug)]
pub struct HeaderFields(pub Vec<u8>);

impl HeaderFields {
    /// A record of zeros.
    pub fn new(bytes: usize) -> Self {
        Self(vec![0; bytes])
    }

    /// The record at a place.
    pub fn read(store: &mut dyn Store, at: u64, bytes: usize) -> io::Result<Self> {
        let mut held = vec![0; bytes];
        store.get(at, &mut held)?;
        Ok(Self(held))
    }

    /// Puts bytes at an offset.
    pub fn put(&mut self, at: usize, bytes: &[u8]) -> &mut Self {
        let place = at
            .checked_add(bytes.len())
            .and_then(|end| self.0.get_mut(at..end));
        debug_assert!(place.is_some(), "{} bytes at {at}", bytes.len());
        if let Some(place) = place {
            place.copy_from_slice(bytes);
        }
        self
    }

    /// Some bytes; zeros behind the end.
    pub fn get<const N: usize>(&self, at: usize) -> [u8; N] {
        bytes::field(&self.0, at).unwrap_or([0; N])
    }

    /// A little-endian number; 0 behind the end.
    pub fn le32(&self, at: usize) -> u32 {
        bytes::le32(&self.0, at)
    }

    /// A little-endian number; 0 behind the end.
    pub fn le64(&self, at: usize) -> u64 {
        bytes::le64(&self.0, at)
    }

    /// A big-endian number; 0 behind the end.
    pub fn be32(&self, at: usize) -> u32 {
        bytes::be32(&self.0, at)
    }

    /// A big-endian number; 0 behind the end.
    pub fn be64(&self, at: usize) -> u64 {
        bytes::be64(&self.0, at)
    }
}

/// A number that was not there before.
pub fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A random GUID (version 4), as bytes in the order in which Microsoft's are stored.
pub fn guid() -> [u8; 16] {
    let number = u128::from(random()) << 64 | u128::from(random());
    let mut bytes = number.to_le_bytes();
    let [.., version, variant, _, _, _, _, _, _, _] = &mut bytes;
    *version = *version & 0x0f | 0x40;
    *variant = *variant & 0x3f | 0x80;
    bytes
}

/// A number that has to fit into 32 bits of a format.
pub fn narrow(number: u64, what: &str) -> io::Result<u32> {
    u32::try_from(number)
        .map_err(|_| damaged(format!("{what}: {number} does not fit into 32 bits")))
}
