//! Sizes, times and words of a description.

use ioalign_core::units::parse_size;
use ioalign_core::{Bytes, SectorSize};

pub(super) fn size(key: &str, text: Option<&str>) -> Result<Option<u64>, String> {
    let one = |text| parse_size(text, SectorSize::S512).map_err(|error| format!("{key}: {error}"));
    text.map(one).transpose().map(|size| size.map(Bytes::get))
}

/// A size within limits.
pub(super) fn within(key: &str, text: &str, from: u64, to: u64) -> Result<u64, String> {
    let bytes = size(key, Some(text))?.unwrap_or(0);
    let fits = (from..=to).contains(&bytes);
    let wrong = || {
        let (from, to) = (Bytes::new(from), Bytes::new(to));
        format!("{key}: {text} is not {from} to {to}")
    };
    fits.then_some(bytes).ok_or_else(wrong)
}

/// The first is the usual one.
pub(super) fn one_of<T: Copy>(
    key: &str,
    text: Option<&str>,
    all: &[(&str, T)],
) -> Result<T, String> {
    let wanted = text
        .or(all.first().map(|(name, _)| *name))
        .unwrap_or_default();
    let found = all.iter().find(|(name, _)| *name == wanted);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|(name, _)| *name).collect();
        format!("{key}: `{wanted}` is none of {}", names.join(", "))
    })
}

/// A share: `7%`, `50%`.
pub(super) fn percent(key: &str, text: &str) -> Result<f64, String> {
    let digits = text.trim().strip_suffix('%').map(str::trim);
    let value = digits.and_then(|digits| digits.parse::<f64>().ok());
    let share = value.map(|value| value / 100.0);
    share
        .filter(|share| (0.0..=10.0).contains(share))
        .ok_or_else(|| format!("{key}: `{text}` is no share: 7%, 50%, at most 1000%"))
}

/// A time of a disk: `5ms`, `200us`, `5.085ms`, at most a minute.
// Not negative, and far below 2^53.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn nanoseconds(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 4] = [("ms", 1e6), ("us", 1e3), ("ns", 1.0), ("s", 1e9)];
    let wrong = || format!("`{text}` is no time of a disk: 5ms, 200us, at most 60s");
    let unit = UNITS
        .iter()
        .find_map(|(name, ns)| Some((text.trim().strip_suffix(name)?, *ns)));
    let (digits, factor) = unit.ok_or_else(wrong)?;
    let value: f64 = digits.trim().parse().map_err(|_| wrong())?;
    let ns = value * factor;
    (0.0..=60e9)
        .contains(&ns)
        .then_some(ns.round() as u64)
        .ok_or_else(wrong)
}
