//! Quantities with their unit in the type: bytes, sector sizes, counts of sectors.
//!
//! sysfs `start` counts 512-byte units, a GPT LBA counts logical sectors, LUKS2
//! writes bytes: a bare `u64` that could be any of them is how tools go wrong.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A number of bytes: a length, or an offset in some address space.
#[derive(
    Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Bytes(u64);

impl Bytes {
    /// No bytes; also the start of an address space.
    pub const ZERO: Self = Self(0);
    /// 1024 bytes.
    pub const KIB: Self = Self(1 << 10);
    /// 1024² bytes.
    pub const MIB: Self = Self(1 << 20);
    /// 1024³ bytes.
    pub const GIB: Self = Self(1 << 30);

    /// This many bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// The plain number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Whether this is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Sum, or `None` past the end of a 64-bit address space.
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// Difference, or `None` when `other` is larger.
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(difference) => Some(Self(difference)),
            None => None,
        }
    }

    /// Product, or `None` on overflow.
    pub const fn checked_mul(self, factor: u64) -> Option<Self> {
        match self.0.checked_mul(factor) {
            Some(product) => Some(Self(product)),
            None => None,
        }
    }

    /// Whether this is a multiple of `unit`; zero divides nothing.
    pub const fn is_multiple_of(self, unit: Self) -> bool {
        unit.0 != 0 && self.0.is_multiple_of(unit.0)
    }

    /// The largest power of two that divides this number; `None` for zero, which all divide.
    pub const fn natural_alignment(self) -> Option<Self> {
        if self.0 == 0 {
            None
        } else {
            Some(Self(1 << self.0.trailing_zeros()))
        }
    }
}

impl From<Sectors> for Bytes {
    fn from(sectors: Sectors) -> Self {
        sectors.bytes()
    }
}

/// Binary units, largest first: the power of two, and the name.
pub const BINARY_UNITS: [(u32, &str); 5] = [
    (50, "PiB"),
    (40, "TiB"),
    (30, "GiB"),
    (20, "MiB"),
    (10, "KiB"),
];

impl fmt::Display for Bytes {
    /// Exact, in the largest binary unit that leaves no fraction: `31.5 KiB` is printed `32256 B`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (shift, name) in BINARY_UNITS {
            if self.0 != 0 && self.0.trailing_zeros() >= shift {
                return f.pad(&format!("{} {name}", self.0 >> shift));
            }
        }
        f.pad(&format!("{} B", self.0))
    }
}

/// A size that did not parse, with what was wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseSizeError {
    /// The text as it was given.
    pub text: String,
    /// The error.
    pub why: &'static str,
}

impl fmt::Display for ParseSizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a size: {} (try 512, 4k, 64KiB, 1M or 128s)",
            self.text, self.why
        )
    }
}

impl std::error::Error for ParseSizeError {}

/// Reads `512`, `4k`, `64KiB`, `1M`, `128s`; units are binary, `s` counts `sector` bytes.
pub fn parse_size(text: &str, sector: SectorSize) -> Result<Bytes, ParseSizeError> {
    let error = |why| ParseSizeError {
        text: text.to_owned(),
        why,
    };
    let trimmed = text.trim();
    let digits = trimmed
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(digits);
    let number: u64 = number
        .parse()
        .map_err(|_| error("it must start with a whole number"))?;
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "s" => u64::from(sector.get()),
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" | "mb" | "gb" | "tb" => return Err(error("decimal units are not on any grid")),
        _ => return Err(error("unknown unit")),
    };
    number
        .checked_mul(factor)
        .map(Bytes)
        .ok_or_else(|| error("it does not fit in 64 bits"))
}

impl FromStr for Bytes {
    type Err = ParseSizeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_size(text, SectorSize::S512)
    }
}

/// The size of a sector: a power of two from 256 bytes to 64 KiB.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct SectorSize(u32);

impl SectorSize {
    /// The 512-byte sector: also the unit of sysfs, dm, md and LVM on any disk.
    pub const S512: Self = Self(512);
    /// The 4096-byte sector of 4Kn disks.
    pub const S4096: Self = Self(4096);

    /// `None` unless `bytes` is a power of two from 256 to 65536.
    pub const fn new(bytes: u32) -> Option<Self> {
        if bytes.is_power_of_two() && bytes >= 256 && bytes <= 65536 {
            Some(Self(bytes))
        } else {
            None
        }
    }

    /// The number of bytes.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The same as a quantity of bytes.
    pub fn bytes(self) -> Bytes {
        Bytes(u64::from(self.0))
    }

    /// `count` sectors in bytes; `None` on overflow.
    pub fn checked_bytes(self, count: u64) -> Option<Bytes> {
        self.bytes().checked_mul(count)
    }
}

/// A count of sectors that knows how large its sectors are.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sectors {
    count: u64,
    size: SectorSize,
}

impl Sectors {
    /// `None` when the byte count does not fit in 64 bits.
    pub fn new(count: u64, size: SectorSize) -> Option<Self> {
        size.checked_bytes(count).map(|_| Self { count, size })
    }

    /// How many sectors.
    pub const fn count(self) -> u64 {
        self.count
    }

    /// How large each one is.
    pub const fn size(self) -> SectorSize {
        self.size
    }

    /// The number of bytes.
    pub fn bytes(self) -> Bytes {
        Bytes(self.count * u64::from(self.size.0))
    }
}

impl fmt::Display for Sectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} s", self.count))
    }
}

/// `part / whole` as a fraction; zero when `whole` is zero.
#[expect(
    clippy::cast_precision_loss,
    reason = "ratios are for people: 53 bits of mantissa are plenty"
)]
pub fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Greatest common divisor; `gcd(0, n)` is `n`.
pub const fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Least common multiple; `None` on overflow or when either is zero.
pub const fn lcm(a: u64, b: u64) -> Option<u64> {
    if a == 0 || b == 0 {
        None
    } else {
        (a / gcd(a, b)).checked_mul(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_unit() {
        for (text, bytes) in [
            ("512", 512),
            ("4k", 4096),
            ("64KiB", 65536),
            ("1M", 1 << 20),
            ("128s", 65536),
            ("2T", 1 << 41),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
        assert_eq!(parse_size("2s", SectorSize::S4096), Ok(Bytes(8192)));
        for text in ["", "k", "4x", "1MB", "-1", "18446744073709551615k", "1.5M"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_printed_exactly() {
        assert_eq!(Bytes(32256).to_string(), "32256 B");
        assert_eq!(Bytes(65536).to_string(), "64 KiB");
        assert_eq!(Bytes(192 << 10).to_string(), "192 KiB");
        assert_eq!(Bytes(0).to_string(), "0 B");
    }

    #[test]
    fn lcm_and_gcd() {
        assert_eq!(gcd(192 << 10, 1 << 20), 64 << 10);
        assert_eq!(lcm(192 << 10, 1 << 20), Some(3 << 20));
        assert_eq!(lcm(u64::MAX, u64::MAX - 1), None);
        assert_eq!(lcm(0, 4), None);
    }
}
