//! ZFS labels, encoded by the test; libblkid is the oracle.

use ioalign_core::Bytes;

use super::{Fixture, MIB};

/// One value of an nvlist.
#[derive(Clone)]
pub(super) enum Value {
    Number(u64),
    Text(&'static str),
    List(Vec<(&'static str, Self)>),
    Lists(Vec<Vec<(&'static str, Self)>>),
}

use Value::{List, Lists, Number, Text};

fn padded(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn word(value: usize) -> [u8; 4] {
    u32::try_from(value).unwrap().to_be_bytes()
}

fn text(value: &str) -> Vec<u8> {
    padded([&word(value.len())[..], value.as_bytes()].concat())
}

fn list(pairs: &[(&'static str, Value)]) -> Vec<u8> {
    let mut out = [word(0), word(1)].concat();
    for (name, value) in pairs {
        out.extend(pair(name, value));
    }
    out.extend([0; 8]);
    out
}

fn pair(name: &str, value: &Value) -> Vec<u8> {
    let (kind, elements, body) = match value {
        Number(n) => (8, 1, n.to_be_bytes().to_vec()),
        Text(t) => (9, 1, text(t)),
        List(pairs) => (19, 1, list(pairs)),
        Lists(all) => (
            20,
            all.len(),
            all.iter().flat_map(|one| list(one)).collect(),
        ),
    };
    let rest = [
        text(name),
        word(kind).to_vec(),
        word(elements).to_vec(),
        body,
    ]
    .concat();
    let size = word(rest.len() + 8);
    [&size[..], &size[..], &rest].concat()
}

fn disk(id: u64) -> Vec<(&'static str, Value)> {
    vec![
        ("type", Text("disk")),
        ("id", Number(id)),
        ("guid", Number(100 + id)),
        ("path", Text("/dev/disk/by-id/x")),
        ("ashift", Number(9)),
    ]
}

pub(super) fn config(state: u64, tree: Vec<(&'static str, Value)>) -> Vec<u8> {
    let pairs = [
        ("version", Number(5000)),
        ("name", Text("tank")),
        ("state", Number(state)),
        ("txg", Number(4)),
        ("pool_guid", Number(0x1234_5678_9abc_def0)),
        ("top_guid", Number(7)),
        ("guid", Number(100)),
        ("vdev_children", Number(1)),
        ("vdev_tree", List(tree)),
        ("features_for_read", List(vec![])),
    ];
    [&[1, 1, 0, 0][..], &list(&pairs)].concat()
}

pub(super) fn raidz() -> Vec<(&'static str, Value)> {
    vec![
        ("type", Text("raidz")),
        ("id", Number(0)),
        ("guid", Number(7)),
        ("nparity", Number(2)),
        ("ashift", Number(12)),
        ("asize", Number(64 << 20)),
        ("children", Lists((0..6).map(disk).collect())),
    ]
}

/// Where the four labels start.
fn places(size: u64) -> [u64; 4] {
    let end = size / (256 << 10) * (256 << 10);
    [0, 256 << 10, end - (512 << 10), end - (256 << 10)]
}

pub(super) fn fixture(config: &[u8], labels: &[usize]) -> Fixture {
    let size = 80 * MIB + 100 * 1024;
    let fixture = Fixture::new(size);
    for label in labels {
        let place = places(size)[*label];
        fixture.write(place + (16 << 10), config);
        // libblkid 2.38 goes by the uberblocks.
        for uberblock in 0..8 {
            let at = place + (128 << 10) + uberblock * 1024;
            fixture.write(at, &0x00ba_b10c_u64.to_le_bytes());
        }
    }
    fixture
}

#[test]
fn pool_ashift_and_width_come_from_the_label() {
    let fixture = fixture(&config(0, raidz()), &[0, 1, 2, 3]);
    let found = fixture.agreed("zfs_member");
    assert_eq!(found.kind, "zfs");
    assert_eq!(found.label, "tank");
    assert_eq!(found.uuid, 0x1234_5678_9abc_def0_u64.to_string());
    assert_eq!(found.block, Some(Bytes::new(4096)));
    assert_eq!(found.data_start, Bytes::new(4 * MIB));
    assert_eq!(found.ashift, Some(12));
    let facts = ["vdev-type", "vdev-width", "nparity", "state"];
    let facts = facts.map(|key| found.facts[key].as_str());
    assert_eq!(facts, ["raidz", "6", "2", "active"]);
}

#[test]
fn any_one_label_is_enough() {
    for label in 0..4 {
        let fixture = fixture(&config(1, disk(0)), &[label]);
        let found = fixture.agreed("zfs_member");
        assert_eq!(found.block, Some(Bytes::new(512)), "label {label}");
        assert_eq!(found.facts["state"], "exported");
    }
}

#[test]
fn destroyed_pools_are_noted() {
    let found = fixture(&config(2, raidz()), &[0]).probe().unwrap();
    assert_eq!(found.remarks[0].rule, "zfs-pool-destroyed");
}

#[test]
fn labels_of_an_older_life_are_weaker_than_a_file_system() {
    needs!(Packages);
    for (tool, options) in [
        ("mke2fs", &["-q", "-F", "-t", "ext4"][..]),
        ("mkfs.btrfs", &["-q", "-f", "-M"]),
        ("mkfs.fat", &["-F", "16"]),
    ] {
        let fixture = fixture(&config(0, raidz()), &[1, 2, 3]);
        fixture.tool(tool, options);
        for place in [2, 3] {
            let at = places(80 * MIB + 100 * 1024)[place];
            fixture.write(at + (16 << 10), &config(0, raidz()));
        }
        let found = fixture.probe().unwrap();
        assert_ne!(found.kind, "zfs", "{tool}");
    }
}

#[test]
fn labels_at_the_end_of_a_partitioned_disk_are_its_last_partition_s() {
    let fixture = fixture(&config(0, raidz()), &[2, 3]);
    let mut entry = [0_u8; 66];
    entry[4] = 0xee;
    entry[12..16].copy_from_slice(&9999_u32.to_le_bytes());
    entry[64..].copy_from_slice(&[0x55, 0xaa]);
    fixture.write(446, &entry);
    assert!(fixture.probe().is_none());
}
