//! A disk of a ZFS pool.

use ioalign_testkit::nvlist::{NVLIST, list, number, packed, pair, places, text};

use super::Seed;

/// Four labels of one mirror with ashift 12, on 64 MiB.
pub fn seed() -> Seed {
    let disk = list(&[number("id", 0), number("guid", 77), number("ashift", 12)]);
    let tree = list(&[
        text("type", "mirror"),
        number("ashift", 12),
        pair("vdev_tree", NVLIST, &disk),
    ]);
    let label = packed(&[
        number("version", 5000),
        text("name", "tank"),
        number("state", 0),
        number("txg", 4),
        number("pool_guid", 99),
        number("guid", 77),
        pair("vdev_tree", NVLIST, &tree),
    ]);
    let len = 64 << 20;
    let places = places(len).map(|start| (start, label.as_slice()));
    Seed::from_pieces("zfs", len, &places)
}
