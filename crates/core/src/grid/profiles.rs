//! Named sets of claims: `--profile-grid 512e`, `--profile-grid raid:64kx5`.

use super::{GridClaim, GridKind, ParseGridError, Tier};
use crate::units::{Bytes, SectorSize, parse_size};

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

/// A named set: one of [`PROFILES`], or `raid:<element>x<data disks>`. What the operator names is believed.
pub fn profile(name: &str) -> Result<Vec<GridClaim>, ParseGridError> {
    use GridKind::{EraseBlock, IndirectionUnit, LogicalSector, PhysicalBlock, VolumeBlock};
    use Tier::{Preference, Rmw, Validity};
    let other = |kind: &str| GridKind::Other(kind.into());
    let one = |size, kind, tier, source| Ok(vec![claim(size, kind, tier, source)]);
    match name {
        "4kn" => one(4096, LogicalSector, Validity, "4Kn disk"),
        "512e" => one(4096, PhysicalBlock, Rmw, "512e disk"),
        // VMware's paper: the array vendor's number, else a multiple of 8 KiB; 64 KiB tracks.
        "vmfs" => Ok(vec![
            claim(
                8192,
                other("array-block"),
                Rmw,
                "VMFS: multiple of 8 KiB where no vendor says more",
            ),
            claim(
                65536,
                other("track"),
                Preference,
                "VMFS: 64 KiB track boundary",
            ),
        ]),
        "netapp-wafl" => one(4096, VolumeBlock, Rmw, "WAFL 4 KiB block"),
        "zfs-8k" => one(8192, VolumeBlock, Rmw, "8 KiB volume block"),
        "ebs-16k-atomic" => one(
            16384,
            other("atomic-write"),
            Preference,
            "EBS torn-write prevention: 16 KiB multiples",
        ),
        "iu-16k" => one(16384, IndirectionUnit, Rmw, "16 KiB indirection unit"),
        "iu-64k" => one(65536, IndirectionUnit, Rmw, "64 KiB indirection unit"),
        "sd-card-4m" => one(
            4 << 20,
            EraseBlock,
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

fn claim(size: u64, kind: GridKind, tier: Tier, source: &str) -> GridClaim {
    GridClaim::declared(Bytes::new(size), tier, kind, source)
}

/// `64kx5`: the element, and the full stripe of five of them.
fn raid(shape: &str) -> Result<Vec<GridClaim>, ParseGridError> {
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
    let preferred = |size: Bytes, kind| claim(size.get(), kind, Tier::Preference, &source);
    Ok(vec![
        preferred(element, GridKind::RaidChunk),
        preferred(stripe, GridKind::FullStripe),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_known() {
        for name in PROFILES {
            assert!(!profile(name).unwrap().is_empty());
        }
        let sizes = PROFILES.map(|name| profile(name).unwrap()[0].size.get());
        let kib = [4, 4, 8, 4, 8, 16, 16, 64, 4096];
        assert_eq!(sizes, kib.map(|kib: u64| kib << 10));
        let raid = profile("raid:64kx5").unwrap();
        assert_eq!(raid[1].size.get(), 320 << 10);
        for bad in ["raid:", "raid:64k", "raid:x5", "raid:64kx0", "nvme"] {
            assert!(profile(bad).is_err(), "{bad}");
        }
    }
}
