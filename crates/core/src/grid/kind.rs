//! What the cells of a grid are.

use std::fmt;

use serde::{Serialize, Serializer};

/// What lies between two boundaries.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GridKind {
    /// The smallest piece that can be addressed.
    LogicalSector,
    /// The smallest piece that the medium writes.
    PhysicalBlock,
    /// The block of a volume that a storage system or a pool exports.
    VolumeBlock,
    /// What flash maps as one piece.
    IndirectionUnit,
    /// The smallest length that a device takes without extra cost, of a device that is no array.
    MinimumIo,
    /// The length that a device likes best.
    OptimalIo,
    /// The length or start that NVMe prefers for writes.
    PreferredWrite,
    /// The part of a stripe on one disk, as a device reports it.
    StripeUnit,
    /// One chunk of every disk that bears data.
    FullStripe,
    /// The part of a stripe on one disk, as metadata say it.
    RaidChunk,
    /// The same as an array to be made is given it.
    Element,
    /// The page in which md works on parity.
    MdStripeCachePage,
    /// What flash erases as one piece.
    EraseBlock,
    /// A zone of a zoned disk.
    Zone,
    /// A boundary that a request must not cross, or it is split.
    IoBoundary,
    /// What a thin pool allocates.
    ThinChunk,
    /// What a cache keeps as one piece.
    CacheChunk,
    /// What a snapshot copies as one piece.
    SnapshotChunk,
    /// What an overlay image copies at the first write.
    CopyOnWriteCluster,
    /// The block of the file system that an image file lies on.
    HostBlock,
    /// What a database writes as one piece.
    DatabasePage,
    /// What partitioning tools keep without need.
    Habit,
    /// Declared without a kind.
    Declared,
    /// Any other, by its kebab-case name.
    Other(Box<str>),
}

/// All kinds that have a name of their own.
static NAMED: [GridKind; 23] = [
    GridKind::LogicalSector,
    GridKind::PhysicalBlock,
    GridKind::VolumeBlock,
    GridKind::IndirectionUnit,
    GridKind::MinimumIo,
    GridKind::OptimalIo,
    GridKind::PreferredWrite,
    GridKind::StripeUnit,
    GridKind::FullStripe,
    GridKind::RaidChunk,
    GridKind::Element,
    GridKind::MdStripeCachePage,
    GridKind::EraseBlock,
    GridKind::Zone,
    GridKind::IoBoundary,
    GridKind::ThinChunk,
    GridKind::CacheChunk,
    GridKind::SnapshotChunk,
    GridKind::CopyOnWriteCluster,
    GridKind::HostBlock,
    GridKind::DatabasePage,
    GridKind::Habit,
    GridKind::Declared,
];

impl GridKind {
    /// The kebab-case name of the JSON output and of `--grid`.
    pub fn name(&self) -> &str {
        match self {
            Self::LogicalSector => "logical-sector",
            Self::PhysicalBlock => "physical-block",
            Self::VolumeBlock => "volume-block",
            Self::IndirectionUnit => "indirection-unit",
            Self::MinimumIo => "minimum-io",
            Self::OptimalIo => "optimal-io",
            Self::PreferredWrite => "preferred-write",
            Self::StripeUnit => "stripe-unit",
            Self::FullStripe => "full-stripe",
            Self::RaidChunk => "raid-chunk",
            Self::Element => "element",
            Self::MdStripeCachePage => "md-stripe-cache-page",
            Self::EraseBlock => "erase-block",
            Self::Zone => "zone",
            Self::IoBoundary => "io-boundary",
            Self::ThinChunk => "thin-chunk",
            Self::CacheChunk => "cache-chunk",
            Self::SnapshotChunk => "snapshot-chunk",
            Self::CopyOnWriteCluster => "copy-on-write-cluster",
            Self::HostBlock => "host-block",
            Self::DatabasePage => "database-page",
            Self::Habit => "habit",
            Self::Declared => "declared",
            Self::Other(name) => name,
        }
    }
}

impl From<&str> for GridKind {
    fn from(name: &str) -> Self {
        let known = NAMED.iter().find(|kind| kind.name() == name);
        known.map_or_else(|| Self::Other(name.into()), Self::clone)
    }
}

impl fmt::Display for GridKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for GridKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back() {
        for kind in &NAMED {
            assert_eq!(GridKind::from(kind.name()), *kind);
        }
        let other = GridKind::from("array-block");
        assert_eq!(other, GridKind::Other("array-block".into()));
        assert_eq!(other.to_string(), "array-block");
    }
}
