//! `--atomic [SIZE]`.

use std::str::FromStr;

use ioalign_core::Bytes;

/// The page that is asked for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct AtomicSize(Option<Bytes>);

impl AtomicSize {
    /// The value that stands for the page of the database.
    pub const OF_DATABASE: &'static str = "page";
    const SMALLEST: u64 = 512;
    const LARGEST: u64 = 1 << 24;

    /// `None`: that of the database.
    pub const fn page(self) -> Option<Bytes> {
        self.0
    }
}

impl FromStr for AtomicSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == Self::OF_DATABASE {
            return Ok(Self(None));
        }
        let bytes: Bytes = text.parse().map_err(|error| format!("{error}"))?;
        let size = bytes.get();
        if !size.is_power_of_two() || !(Self::SMALLEST..=Self::LARGEST).contains(&size) {
            return Err("a page is a power of two from 512 to 16M".to_owned());
        }
        Ok(Self(Some(bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_two() {
        let page = |text: &str| text.parse::<AtomicSize>().map(AtomicSize::page);
        assert_eq!(page("16k"), Ok(Some(Bytes::new(16384))));
        assert_eq!(page("page"), Ok(None));
        for text in ["12k", "0", "256", "32M", "x", ""] {
            assert!(page(text).is_err(), "{text}");
        }
    }
}
