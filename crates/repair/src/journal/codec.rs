//! Numbers and byte strings in little endian, written and read back in the same order. What is read may be
//! anything: every length is checked against what is left.

/// Builds a record.
#[derive(Debug, Default)]
pub struct RecordWriter(pub Vec<u8>);

impl RecordWriter {
    pub fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    pub fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn u128(&mut self, value: u128) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn count(&mut self, items: usize) {
        self.u64(items as u64);
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    /// Closes the record with its CRC-32, so that [`RecordReader::checked`] takes it.
    pub fn close(mut self) -> Vec<u8> {
        let crc = crc32fast::hash(&self.0);
        self.u32(crc);
        self.0
    }
}

/// Takes a record apart; `None` once something is missing.
#[derive(Clone, Copy, Debug)]
pub struct RecordReader<'a>(pub &'a [u8]);

impl<'a> RecordReader<'a> {
    /// The fields of a record of `length` bytes that ends in the CRC-32 of them.
    pub fn checked(bytes: &'a [u8], length: usize) -> Option<Self> {
        let (body, rest) = bytes.split_at_checked(length.checked_sub(4)?)?;
        let crc = u32::from_le_bytes(*rest.first_chunk()?);
        (crc32fast::hash(body) == crc).then_some(Self(body))
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    pub fn byte(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    pub fn u128(&mut self) -> Option<u128> {
        self.take().map(u128::from_le_bytes)
    }

    /// A number of items of at least `least` bytes each that can still come.
    pub fn count(&mut self, least: usize) -> Option<usize> {
        let count = usize::try_from(self.u64()?).ok()?;
        (count.checked_mul(least)? <= self.0.len()).then_some(count)
    }

    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.count(1)?;
        let (first, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(first)
    }
}
