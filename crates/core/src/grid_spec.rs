//! Grids as the operator names them: `--grid 64k@32k:raid-chunk:rmw`, `--profile-grid 512e`.

use std::fmt;
use std::str::FromStr;

use crate::grid::{Confidence, Grid, Origin, Tier};
use crate::layer::LayerId;
use crate::units::{Bytes, SectorSize, parse_size};

/// A grid that is not yet bound to a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridSpec {
    /// Distance between boundaries.
    pub size: Bytes,
    /// First boundary.
    pub phase: Bytes,
    /// What the cells are.
    pub kind: String,
    /// What being off it costs.
    pub tier: Tier,
    /// Who says so: the argument as typed, or the profile and its source.
    pub source: String,
}

/// A grid argument that did not parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseGridError(String);

impl fmt::Display for ParseGridError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParseGridError {}

impl GridSpec {
    /// The grid in the address space of `layer`, as declared by the operator.
    pub fn bind(&self, layer: LayerId) -> Option<Grid> {
        let grid = Grid::new(layer, self.size, self.phase, self.tier, self.kind.clone())?;
        Some(grid.from(Origin::Declared, self.source.clone(), Confidence::High))
    }

    /// The block that nearly every disk has had since 2011, where nothing is known.
    pub fn assumed_block() -> Self {
        Self::new(4096, "physical-block", Tier::Rmw, "assumed")
    }

    fn new(size: u64, kind: &str, tier: Tier, source: &str) -> Self {
        let (size, phase) = (Bytes::new(size), Bytes::ZERO);
        Self {
            size,
            phase,
            kind: kind.to_owned(),
            tier,
            source: source.to_owned(),
        }
    }
}

impl FromStr for GridSpec {
    type Err = ParseGridError;

    /// `SIZE[@PHASE][:KIND][:TIER]`; a lone word after the size is a tier if it names one.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words = text.split(':');
        let place = words.next().unwrap_or_default();
        let (size, phase) = place.split_once('@').unwrap_or((place, "0"));
        let size_of = |text| {
            parse_size(text, SectorSize::S512).map_err(|error| ParseGridError(error.to_string()))
        };
        let (size, phase) = (size_of(size)?, size_of(phase)?);
        if size.is_zero() {
            return Err(ParseGridError(
                "a grid of size 0 has no boundaries".to_owned(),
            ));
        }
        let (mut kind, mut tier) = ("declared".to_owned(), Tier::Rmw);
        let rest: Vec<_> = words.collect();
        match rest.as_slice() {
            [] => {}
            [one] => match tier_of(one) {
                Some(named) => tier = named,
                None => kind = kind_of(one)?,
            },
            [first, second] => {
                kind = kind_of(first)?;
                tier = tier_of(second).ok_or_else(|| unknown_tier(second))?;
            }
            _ => {
                return Err(ParseGridError(format!(
                    "`{text}`: want SIZE[@PHASE][:KIND][:TIER]"
                )));
            }
        }
        Ok(Self {
            size,
            phase,
            kind,
            tier,
            source: format!("--grid {text}"),
        })
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

fn unknown_tier(word: &str) -> ParseGridError {
    ParseGridError(format!("`{word}` is no tier: validity, rmw or preference"))
}

fn kind_of(word: &str) -> Result<String, ParseGridError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !word.is_empty() && word.len() <= 40 && word.chars().all(plain) {
        Ok(word.to_owned())
    } else {
        Err(ParseGridError(format!(
            "`{word}` is no kind: lower-case letters, digits and -"
        )))
    }
}

/// The names that [`profile`] knows, for help and completion.
pub const PROFILES: [&str; 9] = [
    "4kn",
    "512e",
    "vmfs",
    "netapp-wafl",
    "zfs-8k",
    "ebs-16k-atomic",
    "iu-16k",
    "iu-64k",
    "sd-card-4m",
];

/// A named set: one of [`PROFILES`], or `raid:<element>x<data disks>`.
pub fn profile(name: &str) -> Result<Vec<GridSpec>, ParseGridError> {
    use Tier::{Preference, Rmw, Validity};
    let one = |size, kind, tier, source| Ok(vec![GridSpec::new(size, kind, tier, source)]);
    match name {
        "4kn" => one(4096, "logical-sector", Validity, "4Kn disk"),
        "512e" => one(4096, "physical-block", Rmw, "512e disk"),
        // VMware's paper: the array vendor's number, else a multiple of 8 KiB; 64 KiB tracks.
        "vmfs" => Ok(vec![
            GridSpec::new(
                8192,
                "array-block",
                Rmw,
                "VMFS: multiple of 8 KiB where no vendor says more",
            ),
            GridSpec::new(65536, "track", Preference, "VMFS: 64 KiB track boundary"),
        ]),
        "netapp-wafl" => one(4096, "volume-block", Rmw, "WAFL 4 KiB block"),
        "zfs-8k" => one(8192, "volume-block", Rmw, "8 KiB volume block"),
        "ebs-16k-atomic" => one(
            16384,
            "atomic-write",
            Preference,
            "EBS torn-write prevention: 16 KiB multiples",
        ),
        "iu-16k" => one(16384, "indirection-unit", Rmw, "16 KiB indirection unit"),
        "iu-64k" => one(65536, "indirection-unit", Rmw, "64 KiB indirection unit"),
        "sd-card-4m" => one(
            4 << 20,
            "erase-block",
            Preference,
            "SD card 4 MiB allocation unit",
        ),
        other => match other.strip_prefix("raid:") {
            Some(shape) => raid(shape),
            None => Err(ParseGridError(format!(
                "`{name}` is no grid profile: {} or raid:<element>x<data disks>",
                PROFILES.join(", ")
            ))),
        },
    }
}

/// `64kx5`: the element, and the full stripe of five of them.
fn raid(shape: &str) -> Result<Vec<GridSpec>, ParseGridError> {
    let wrong = || {
        ParseGridError(format!(
            "`raid:{shape}`: want raid:<element>x<data disks>, raid:64kx5"
        ))
    };
    let (element, disks) = shape.rsplit_once('x').ok_or_else(wrong)?;
    let element = parse_size(element, SectorSize::S512).map_err(|_| wrong())?;
    let disks: u64 = disks.parse().map_err(|_| wrong())?;
    let stripe = element
        .checked_mul(disks)
        .filter(|size| !size.is_zero())
        .ok_or_else(wrong)?;
    let source = format!("raid:{shape}");
    Ok(vec![
        GridSpec::new(element.get(), "raid-chunk", Tier::Preference, &source),
        GridSpec::new(stripe.get(), "full-stripe", Tier::Preference, &source),
    ])
}

/// What a target that carries no topology of its own is judged against.
pub fn assumed(layer: LayerId) -> Vec<Grid> {
    let grid = |size, tier, kind: &str, source: &str, confidence| {
        let grid = Grid::new(layer, Bytes::new(size), Bytes::ZERO, tier, kind)?;
        Some(grid.from(Origin::Assumed, source, confidence))
    };
    [
        grid(
            4096,
            Tier::Rmw,
            "physical-block",
            "assumed: nearly every disk since 2011",
            Confidence::Medium,
        ),
        grid(
            65536,
            Tier::Preference,
            "stripe-unit",
            "assumed: common array element",
            Confidence::Low,
        ),
        grid(
            1 << 20,
            Tier::Preference,
            "habit",
            "assumed: every partitioner's default",
            Confidence::Low,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_read_as_typed() {
        let grid: GridSpec = "192KiB@64KiB:stripe:preference".parse().unwrap();
        assert_eq!((grid.size.get(), grid.phase.get()), (196_608, 65536));
        assert_eq!(
            (grid.kind.as_str(), grid.tier),
            ("stripe", Tier::Preference)
        );
        let grid: GridSpec = "64k:raid-chunk:rmw".parse().unwrap();
        assert_eq!((grid.kind.as_str(), grid.tier), ("raid-chunk", Tier::Rmw));
        assert_eq!("4k".parse::<GridSpec>().unwrap().tier, Tier::Rmw);
        assert_eq!(
            "4k:validity".parse::<GridSpec>().unwrap().tier,
            Tier::Validity
        );
        for bad in ["", "0", "4k:a:b:c", "4k:stripe:fast", "4k:St ripe", "4kb"] {
            assert!(bad.parse::<GridSpec>().is_err(), "{bad}");
        }
    }

    #[test]
    fn profiles_are_known() {
        for name in PROFILES {
            assert!(!profile(name).unwrap().is_empty());
        }
        let raid = profile("raid:64kx5").unwrap();
        assert_eq!(raid[1].size.get(), 320 << 10);
        for bad in ["raid:", "raid:64k", "raid:x5", "raid:64kx0", "nvme"] {
            assert!(profile(bad).is_err(), "{bad}");
        }
    }
}
