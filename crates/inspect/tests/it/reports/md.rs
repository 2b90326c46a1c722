//! md: `mdadm -E`, `-D`, `--export` and `/proc/mdstat`.

use ioalign_core::Bytes;
use ioalign_inspect::volumes::{Detail, Md, VolumeMember};

use super::{fact, fixture, member, only, oracle, pasted, said, superblock};

fn md(member: &VolumeMember) -> &Md {
    match &member.detail {
        Detail::Md(md) => md,
        other => panic!("{other:?}"),
    }
}

/// Everything that mdadm prints of a superblock.
fn same(text: &VolumeMember, bytes: &VolumeMember) {
    let (stated, read) = (md(text), md(bytes));
    assert_eq!(
        (
            stated.version,
            stated.level,
            stated.layout,
            stated.chunk,
            stated.raid_disks,
            stated.slot
        ),
        (
            read.version,
            read.level,
            read.layout,
            read.chunk,
            read.raid_disks,
            read.slot
        ),
    );
    assert_eq!(
        (stated.array_size, stated.events),
        (read.array_size, read.events)
    );
    assert_eq!(text.data_start, bytes.data_start);
    assert_eq!(
        (text.kind, &text.set, &text.name),
        (bytes.kind, &bytes.set, &bytes.name)
    );
    if stated.version != "0.90" {
        assert_eq!(text.data_size, bytes.data_size);
        assert_eq!(text.facts.get("superblock"), bytes.facts.get("superblock"));
    }
    for fact in ["level", "layout", "device-uuid"] {
        assert_eq!(text.facts.get(fact), bytes.facts.get(fact), "{fact}");
    }
}

#[test]
fn examine_says_what_the_superblock_says() {
    needs!(Fixtures);
    for (machine, devices) in [
        ("md-raid1-0.90", &["vda1", "vdb1"][..]),
        ("md-raid1-1.0", &["vda1", "vdb1"]),
        ("md-raid10", &["vda1", "vdb1", "vdc1", "vdd1"]),
        ("md-raid5-63", &["vda1", "vdb1", "vdc1", "vdd1"]),
        ("md-raid5-64", &["vda1", "vdd1"]),
        ("md-raid5-2048", &["vda1", "vdd1"]),
        ("lvm-on-63", &["vda", "vdb", "vdc", "vdd"]),
    ] {
        for device in devices {
            let text = oracle(machine, &format!("mdadm-E-{device}.txt"));
            let bytes = superblock(&fixture(machine).join("dev").join(device));
            same(member(&said(&text), device), &bytes);
            let ticket = pasted(&format!("mdadm -E /dev/{device}"), &text);
            same(member(&said(&ticket), device), &bytes);
        }
    }
}

#[test]
fn several_members_in_one_text_keep_apart() {
    needs!(Fixtures);
    let all: String = ["vda1", "vdb1", "vdc1", "vdd1"]
        .iter()
        .map(|device| oracle("md-raid5-63", &format!("mdadm-E-{device}.txt")))
        .collect();
    let evidence = said(&all);
    for (slot, device) in ["vda1", "vdb1", "vdc1", "vdd1"].iter().enumerate() {
        let found = md(member(&evidence, device));
        assert_eq!(found.slot, Some(u32::try_from(slot).unwrap()));
    }
}

#[test]
fn firmware_sets_are_members_that_are_not_followed() {
    needs!(Fixtures);
    for (machine, kind) in [("md-imsm", "imsm"), ("md-ddf", "ddf")] {
        let evidence = said(&oracle(machine, "mdadm-E-vda.txt"));
        let found = member(&evidence, "vda");
        assert_eq!(found.kind, kind);
        assert!(matches!(found.detail, Detail::Opaque(_)));
        assert!(!found.set.is_empty());
    }
}

#[test]
fn detail_describes_the_array() {
    needs!(Fixtures);
    for (machine, level, layout, chunk, disks) in [
        ("md-raid1-0.90", 1, None, None, 2),
        ("md-raid10", 10, Some(0x102), Some(65536), 4),
        ("md-raid5-63", 5, Some(2), Some(65536), 4),
    ] {
        let evidence = said(&oracle(machine, "mdadm-D-md0.txt"));
        let found = only(&evidence, "md0", |said| said.array.is_some());
        let array = found.array.as_ref().unwrap();
        let bytes = superblock(&fixture(machine).join("dev/vda1"));
        assert_eq!((array.level, array.raid_disks), (level, disks));
        assert_eq!(array.layout, layout);
        assert_eq!(array.chunk.map(Bytes::get), chunk);
        assert_eq!(array.members[1], ("vdb1".to_owned(), Some(1)));
        assert_eq!(array.members.len(), usize::try_from(disks).unwrap());
        assert_eq!(fact(found, "uuid"), Some(bytes.set.as_str()));
        if level != 10 {
            assert_eq!(
                found.size.unwrap().low,
                md(&bytes).array_size.unwrap().get()
            );
        }
    }
    let evidence = said(&oracle("md-imsm", "mdadm-D-md127.txt"));
    let array = only(&evidence, "md127", |said| said.array.is_some())
        .array
        .as_ref()
        .unwrap();
    assert_eq!(array.chunk, Some(Bytes::new(65536)));
    assert_eq!(array.members.len(), 4);
    assert!(
        said(&oracle("md-imsm", "mdadm-D-md125.txt"))
            .devices
            .is_empty(),
        "a container"
    );
}

/// mdadm 2.6 of 2008: no units, `Array Slot` and no `Device Role`.
const OLD_EXAMINE: &str = "\
/dev/sdb1:
          Magic : a92b4efc
        Version : 01
    Feature Map : 0x0
     Array UUID : 16112ae7:5a1b8c4f:0d8e5a2e:ba4f2d31
           Name : box:1
  Creation Time : Tue Apr 15 20:01:33 2008
     Raid Level : raid5
   Raid Devices : 3

  Used Dev Size : 976766848 (465.76 GiB 500.10 GB)
     Array Size : 1953533696 (931.52 GiB 1000.21 GB)
    Data Offset : 272 sectors
   Super Offset : 8 sectors
          State : clean
         Layout : left-symmetric
     Chunk Size : 64K

    Array Slot : 0 (0, 1, 2)
   Array State : Uuu
";

#[test]
fn old_forms_count_in_the_same_units() {
    let text = OLD_EXAMINE.replace("Version : 01\n", "Version : 1.2\n");
    let evidence = said(&text);
    let found = member(&evidence, "sdb1");
    assert_eq!(found.data_start, Bytes::new(272 * 512));
    assert_eq!(
        md(found).array_size,
        Some(Bytes::new(2 * 976_766_848 * 512))
    );
    assert_eq!(md(found).slot, None, "the form does not tell it");
    // `01` alone does not say where the superblock lies.
    assert!(said(OLD_EXAMINE).devices.is_empty());
}

const MDSTAT: &str = "\
Personalities : [raid1] [raid6] [raid5] [raid4] [raid10] [raid0]
md3 : active raid0 sdf[1] sde[0]
      1953260544 blocks super 1.2 512k chunks

md0 : active raid5 sdd1[4] sdc1[2] sdb1[1] sda1[0]
      3139584 blocks super 1.2 level 5, 64k chunk, algorithm 2 [4/4] [UUUU]
      bitmap: 0/1 pages [0KB], 65536KB chunk

md1 : active (auto-read-only) raid1 sdb2[1] sda2[0] sdc2[2](S)
      1048448 blocks [2/2] [UU]

md2 : active raid10 sdd3[3] sdc3[2] sdb3[1] sda3[0]
      325632 blocks super 1.2 64K chunks 2 near-copies [4/4] [UUUU]

md9 : inactive sdz1[0](S)
      1000 blocks super 1.2

unused devices: <none>
";

#[test]
fn mdstat_tells_slots_layouts_and_chunks() {
    let evidence = said(&pasted("cat /proc/mdstat", MDSTAT));
    let array = |name| {
        only(&evidence, name, |said| said.array.is_some())
            .array
            .clone()
            .unwrap()
    };
    let md0 = array("md0");
    assert_eq!((md0.level, md0.layout, md0.raid_disks), (5, Some(2), 4));
    assert_eq!(md0.chunk, Some(Bytes::new(65536)), "not the bitmap's");
    assert_eq!(
        md0.members[0],
        ("sdd1".to_owned(), Some(3)),
        "number 4 in slot 3"
    );
    let md1 = array("md1");
    assert_eq!((md1.level, md1.metadata.as_deref()), (1, Some("0.90")));
    assert_eq!(md1.members[2], ("sdc2".to_owned(), None));
    assert_eq!((array("md2").layout, array("md2").level), (Some(0x102), 10));
    assert_eq!(array("md3").chunk, Some(Bytes::new(512 << 10)));
    assert_eq!(array("md3").raid_disks, 2);
    let size = only(&evidence, "md0", |_| true).size.unwrap();
    assert_eq!((size.low, size.high), (3_139_584 << 10, 3_139_584 << 10));
    assert!(only(&evidence, "md9", |_| true).array.is_none());
}

#[test]
fn exported_variables_name_members() {
    let text = "MD_LEVEL=raid5\nMD_DEVICES=3\nMD_METADATA=1.2\nMD_UUID=a:b:c:d\nMD_DEVNAME=data\n\
                MD_DEVICE_dev_sda1_ROLE=0\nMD_DEVICE_dev_sda1_DEV=/dev/sda1\n\
                MD_DEVICE_dev_sdb1_ROLE=spare\nMD_DEVICE_dev_sdb1_DEV=/dev/sdb1\n";
    let evidence = said(&pasted("mdadm --detail --export /dev/md0", text));
    let found = only(&evidence, "md0", |said| said.array.is_some());
    let array = found.array.as_ref().unwrap();
    assert_eq!((array.level, array.raid_disks, array.chunk), (5, 3, None));
    let wanted = [("sda1".to_owned(), Some(0)), ("sdb1".to_owned(), None)];
    assert_eq!(array.members, wanted);
}
