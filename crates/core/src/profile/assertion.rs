//! What a profile has to show: `write start%16k >= 99.9 %`, `straddle 16k <= 0.1 %`.
//!
//! The counters of a profile are exact, so a share is compared in whole numbers. An assertion on I/O that never
//! came proves nothing: it neither holds nor fails.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{OpProfile, Profile};
use crate::SectorSize;
use crate::units::{parse_size, ratio};

/// Percent are kept in these parts: six decimals.
const PARTS: u128 = 1_000_000;
/// Operations that have a place on the device.
const OPS: [&str; 3] = ["read", "write", "discard"];

/// A property of an I/O.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum AssertedProperty {
    /// It starts at a multiple of the size.
    Start,
    /// Its length is a multiple of the size.
    Length,
    /// It would fit into a block of the size and lies in two.
    Straddle,
}

/// How the share has to compare.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum ShareRelation {
    AtLeast,
    AtMost,
    MoreThan,
    LessThan,
}

/// A share of the I/Os that a profile has to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileAssertion {
    text: String,
    op: Option<&'static str>,
    property: AssertedProperty,
    /// The size, as a power of two.
    power: usize,
    relation: ShareRelation,
    /// Millionths of a percent.
    share: u128,
}

/// What became of an assertion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AssertionOutcome {
    /// As it was written.
    pub assertion: String,
    /// I/Os that it is about.
    pub ios: u64,
    /// How many have the property.
    pub matching_ios: u64,
    /// Their share; `None` without I/O.
    pub ratio: Option<f64>,
    /// Whether it holds; `None`: there was no such I/O, which proves nothing.
    pub holds: Option<bool>,
}

impl ProfileAssertion {
    /// Compares it with the counters of all devices together.
    pub fn judge(&self, profile: &Profile) -> AssertionOutcome {
        let ops = profile.devices.iter().flat_map(|device| &device.by_op);
        let ops = ops.filter(|(name, _)| match self.op {
            Some(op) => name.as_str() == op,
            None => OPS.contains(&name.as_str()),
        });
        let (mut ios, mut matching) = (0_u64, 0_u64);
        for (_, op) in ops {
            ios = ios.saturating_add(op.ios);
            matching = matching.saturating_add(self.matching(op));
        }
        AssertionOutcome {
            assertion: self.text.clone(),
            ios,
            matching_ios: matching,
            ratio: (ios > 0).then(|| ratio(matching, ios)),
            holds: (ios > 0).then(|| self.holds(matching, ios)),
        }
    }

    fn matching(&self, op: &OpProfile) -> u64 {
        let at_least = |all: &[u64]| all.iter().skip(self.power).sum();
        match self.property {
            AssertedProperty::Start => at_least(&op.start_pow2_histogram),
            AssertedProperty::Length => at_least(&op.length_pow2_histogram),
            AssertedProperty::Straddle => {
                let straddling = op.straddling_pow2.get(self.power);
                straddling.copied().unwrap_or(0)
            }
        }
    }

    fn holds(&self, matching: u64, ios: u64) -> bool {
        let found = u128::from(matching) * 100 * PARTS;
        let wanted = self.share * u128::from(ios);
        match self.relation {
            ShareRelation::AtLeast => found >= wanted,
            ShareRelation::AtMost => found <= wanted,
            ShareRelation::MoreThan => found > wanted,
            ShareRelation::LessThan => found < wanted,
        }
    }
}

impl FromStr for ProfileAssertion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let places = [
            (">=", ShareRelation::AtLeast),
            ("<=", ShareRelation::AtMost),
            (">", ShareRelation::MoreThan),
            ("<", ShareRelation::LessThan),
        ];
        let split = places.iter().find_map(|(sign, relation)| {
            let (left, right) = text.split_once(sign)?;
            Some((left.trim(), *relation, right.trim()))
        });
        let (left, relation, right) = split.ok_or("it needs >=, <=, > or <")?;
        let (op, rest) = operation(left);
        let (property, size) = property(rest)?;
        Ok(Self {
            text: text.trim().to_owned(),
            op,
            property,
            power: power(size)?,
            relation,
            share: percent(right)?,
        })
    }
}

/// The operation that it begins with, and the rest.
fn operation(text: &str) -> (Option<&'static str>, &str) {
    let named = OPS.into_iter().find_map(|op| {
        let rest = text.strip_prefix(op)?;
        rest.starts_with(char::is_whitespace).then_some((op, rest))
    });
    match named {
        Some((op, rest)) => (Some(op), rest.trim()),
        None => (None, text),
    }
}

fn property(text: &str) -> Result<(AssertedProperty, &str), String> {
    let properties = [
        ("start", '%', AssertedProperty::Start),
        ("length", '%', AssertedProperty::Length),
        ("straddle", ' ', AssertedProperty::Straddle),
    ];
    let found = properties.into_iter().find_map(|(name, sign, property)| {
        let rest = text.strip_prefix(name)?;
        let size = match sign {
            ' ' => rest.strip_prefix(char::is_whitespace)?,
            sign => rest.trim_start().strip_prefix(sign)?,
        };
        Some((property, size.trim()))
    });
    found.ok_or_else(|| {
        "it needs start%SIZE, length%SIZE or straddle SIZE, after read, write, discard or nothing"
            .to_owned()
    })
}

/// The counters of a profile go by powers of two.
fn power(text: &str) -> Result<usize, String> {
    let size = parse_size(text, SectorSize::S512).map_err(|error| error.to_string())?;
    let size = size.get();
    if size < 512 || !size.is_power_of_two() {
        return Err(format!("{text} is no power of two from 512 bytes"));
    }
    Ok(size.trailing_zeros() as usize)
}

/// Millionths of a percent.
fn percent(text: &str) -> Result<u128, String> {
    let error = || format!("{text:?} is no percentage from 0 to 100 with at most 6 decimals");
    let number = text.strip_suffix('%').ok_or_else(error)?.trim_end();
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || decimals.len() > 6 || !digits(whole) || !digits(decimals) {
        return Err(error());
    }
    let whole: u128 = whole.parse().map_err(|_| error())?;
    let decimals: u128 = format!("{decimals:0<6}").parse().map_err(|_| error())?;
    let parts = whole.checked_mul(PARTS).ok_or_else(error)? + decimals;
    (parts <= 100 * PARTS).then_some(parts).ok_or_else(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::DeviceProfile;

    fn profile(op: &str, ios: u64, at_16k: u64) -> Profile {
        let mut counted = OpProfile {
            ios,
            start_pow2_histogram: vec![0; 64],
            length_pow2_histogram: vec![0; 64],
            straddling_pow2: vec![0; 64],
            ..OpProfile::default()
        };
        counted.start_pow2_histogram[14] = at_16k;
        counted.start_pow2_histogram[13] = ios - at_16k;
        counted.length_pow2_histogram[14] = ios;
        counted.straddling_pow2[14] = ios - at_16k;
        let mut device = DeviceProfile::default();
        device.by_op.insert(op.to_owned(), counted);
        Profile {
            devices: vec![device],
            ..Profile::default()
        }
    }

    fn holds(text: &str, profile: &Profile) -> Option<bool> {
        text.parse::<ProfileAssertion>()
            .unwrap()
            .judge(profile)
            .holds
    }

    #[test]
    fn shares_are_exact_at_their_edge() {
        let edge = profile("write", 1000, 999);
        assert_eq!(holds("write start%16k >= 99.9 %", &edge), Some(true));
        assert_eq!(holds("write start%16k > 99.9%", &edge), Some(false));
        assert_eq!(holds("write start%16k>=99.900001%", &edge), Some(false));
        assert_eq!(holds("start%8k >= 100%", &edge), Some(true));
        assert_eq!(holds("straddle 16k <= 0.1 %", &edge), Some(true));
        assert_eq!(holds("straddle 16k < 0.1 %", &edge), Some(false));
        assert_eq!(holds("write length%16384 >= 100 %", &edge), Some(true));
        assert_eq!(holds("length%32k <= 0 %", &edge), Some(true));
    }

    #[test]
    fn io_that_never_came_proves_nothing() {
        let reads = profile("read", 10, 10);
        let found = "write start%4k >= 0 %".parse::<ProfileAssertion>();
        let found = found.unwrap().judge(&reads);
        assert_eq!((found.ios, found.ratio, found.holds), (0, None, None));
        // A flush has no place.
        assert_eq!(holds("start%4k <= 0 %", &profile("flush", 10, 10)), None);
        assert_eq!(holds("read start%4k >= 100 %", &reads), Some(true));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for text in [
            "",
            "write",
            "start%16k",
            "start%16k >= 99",
            "start%16k >= 101 %",
            "start%16k >= 1.0000001 %",
            "start%16k >= -1 %",
            "start%24k >= 1 %",
            "start%256 >= 1 %",
            "straddle16k <= 1 %",
            "flush start%16k >= 1 %",
            "writestart%16k >= 1 %",
            "start 16k >= 1 %",
            "start%16k >= 1.2.3 %",
            "start%16k >= 9999999999999999999999999999999999999999 %",
        ] {
            assert!(text.parse::<ProfileAssertion>().is_err(), "{text}");
        }
    }
}
