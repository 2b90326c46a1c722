//! Claims as the operator types them: `--grid 64k@32k:raid-chunk:rmw`.

use std::fmt;
use std::str::FromStr;

use super::{Confidence, GridClaim, GridKind, Origin, Tier};
use crate::units::{Bytes, SectorSize, parse_size};

/// A grid argument that did not parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseGridError(pub(super) String);

impl fmt::Display for ParseGridError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParseGridError {}

impl FromStr for GridClaim {
    type Err = ParseGridError;

    /// `SIZE[@PHASE][:KIND][:TIER]`; a lone word after the size is a tier if it names one. What the operator
    /// declares is believed.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words = text.split(':');
        let place = words.next().unwrap_or_default();
        let (size, phase) = place.split_once('@').unwrap_or((place, "0"));
        let rest: Vec<_> = words.collect();
        let (kind, tier) = nature(text, &rest)?;
        let claim = Self::new(bytes(size)?, bytes(phase)?, tier, kind);
        let claim =
            claim.ok_or_else(|| ParseGridError("a grid of size 0 has no boundaries".to_owned()))?;
        Ok(claim.from(Origin::Declared, format!("--grid {text}"), Confidence::High))
    }
}

impl GridClaim {
    /// The argument of `--grid` that declares these boundaries: as it was typed, where it was.
    pub fn as_argument(&self) -> String {
        if let Some(typed) = self.source.strip_prefix("--grid ") {
            return typed.to_owned();
        }
        let tier = match self.tier {
            Tier::Validity => "validity",
            Tier::Rmw => "rmw",
            Tier::Preference => "preference",
        };
        let (size, phase) = (self.size.get(), self.phase.get());
        format!("{size}@{phase}:{}:{tier}", self.kind)
    }
}

fn bytes(text: &str) -> Result<Bytes, ParseGridError> {
    parse_size(text, SectorSize::S512).map_err(|error| ParseGridError(error.to_string()))
}

/// The kind and the tier of the words behind the size.
fn nature(text: &str, words: &[&str]) -> Result<(GridKind, Tier), ParseGridError> {
    match *words {
        [] => Ok((GridKind::Declared, Tier::Rmw)),
        [one] => match tier_of(one) {
            Some(tier) => Ok((GridKind::Declared, tier)),
            None => Ok((kind_of(one)?, Tier::Rmw)),
        },
        [kind, tier] => {
            let unknown =
                || ParseGridError(format!("`{tier}` is no tier: validity, rmw or preference"));
            Ok((kind_of(kind)?, tier_of(tier).ok_or_else(unknown)?))
        }
        _ => Err(ParseGridError(format!(
            "`{text}`: want SIZE[@PHASE][:KIND][:TIER]"
        ))),
    }
}

fn tier_of(word: &str) -> Option<Tier> {
    match word {
        "validity" => Some(Tier::Validity),
        "rmw" => Some(Tier::Rmw),
        "preference" => Some(Tier::Preference),
        _ => None,
    }
}

fn kind_of(word: &str) -> Result<GridKind, ParseGridError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !word.is_empty() && word.len() <= 40 && word.chars().all(plain) {
        Ok(GridKind::from(word))
    } else {
        Err(ParseGridError(format!(
            "`{word}` is no kind: lower-case letters, digits and -"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_read_as_typed() {
        let grid: GridClaim = "192KiB@64KiB:stripe:preference".parse().unwrap();
        assert_eq!((grid.size.get(), grid.phase.get()), (196_608, 65536));
        assert_eq!((grid.kind.name(), grid.tier), ("stripe", Tier::Preference));
        let grid: GridClaim = "64k:raid-chunk:rmw".parse().unwrap();
        assert_eq!((grid.kind, grid.tier), (GridKind::RaidChunk, Tier::Rmw));
        let grid: GridClaim = "4k".parse().unwrap();
        assert_eq!((grid.kind, grid.tier), (GridKind::Declared, Tier::Rmw));
        assert_eq!(
            (grid.origin, grid.confidence),
            (Origin::Declared, Confidence::High)
        );
        assert_eq!(
            "4k:validity".parse::<GridClaim>().unwrap().tier,
            Tier::Validity
        );
        for bad in ["", "0", "4k:a:b:c", "4k:stripe:fast", "4k:St ripe", "4kb"] {
            assert!(bad.parse::<GridClaim>().is_err(), "{bad}");
        }
        let error = "4k:stripe:fast".parse::<GridClaim>().unwrap_err();
        let said = "`fast` is no tier: validity, rmw or preference";
        assert_eq!(error.to_string(), said);
    }
    #[test]
    fn an_argument_declares_the_same_boundaries() {
        let typed: GridClaim = "192k@512:stripe:preference".parse().unwrap();
        assert_eq!(typed.as_argument(), "192k@512:stripe:preference");
        let size = Bytes::new(4096);
        let named =
            GridClaim::declared(size, Tier::Rmw, GridKind::PhysicalBlock, "a set").at_phase(3584);
        let again: GridClaim = named.as_argument().parse().unwrap();
        assert_eq!(again.boundaries(), named.boundaries());
        assert_eq!((again.kind, again.tier), (named.kind, named.tier));
    }
}
