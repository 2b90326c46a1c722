//! LVM2 metadata that lie: every one is refused with its reason, or survived.

use super::lvm::{HIDDEN, VISIBLE, lvm, rules};
use super::{damage, flip_everywhere, probe, truncate_everywhere};
use ioalign_testkit::Random;
use ioalign_testkit::lvm::{MetadataArea, Pv, lv, seal, text};

/// Damaged text must leave the PV readable, with a remark that says why there is no group.
fn refused(text: &str) -> String {
    let mut pv = Pv::with("");
    let room = text.len() as u64 + 8192;
    pv.areas = vec![MetadataArea::new(1 << 20, room, text)];
    pv.size = (1 << 20) + room;
    let member = probe(&pv.device()).unwrap();
    assert!(lvm(&member).group.is_none());
    assert_eq!(member.data_start.get(), 1 << 20);
    assert_eq!(member.remarks[0].rule, "lvm-metadata-lost");
    member.remarks[0].why.clone()
}

#[test]
fn hostile_text_is_refused_with_its_reason() {
    let deep = "vg { a".to_owned() + &" { a".repeat(1 << 18);
    assert!(refused(&deep).contains("nested too deeply"));
    let endless = "vg { id = \"".to_owned() + &"x".repeat(1 << 20);
    assert!(refused(&endless).contains("string without end"));
    let list = "vg { status = [".to_owned() + &"1,".repeat(1 << 19) + "}";
    assert!(refused(&list).contains("list without end"));
    let huge = text(1, 2048, "").replace("extent_size = 128", "extent_size = 99999999999999999999");
    assert!(refused(&huge).contains("out of range"));
    let zero = text(1, 2048, "").replace("extent_size = 128", "extent_size = 0");
    assert!(refused(&zero).contains("extent_size of zero"));
    let far = text(1, u64::MAX / 512, "");
    assert!(refused(&far).contains("extents out of range"));
    let many = text(1, 2048, &"a{}".repeat(1 << 20));
    assert!(refused(&many).contains("more volumes and segments"));
    let targets = lv(
        "a",
        VISIBLE,
        1,
        &format!("type=\"striped\"\nstripes=[{}]", "\"p\",0,".repeat(1 << 19)),
    );
    assert!(refused(&text(1, 2048, &targets)).contains("more volumes and segments"));
    assert!(refused("").contains("no volume group"));
}

#[test]
fn a_location_outside_the_area_is_refused() {
    for (offset, size) in [
        (0, 9_u64),
        (100, 9),
        (1 << 20, 9),
        (512, 1 << 40),
        (u64::MAX, u64::MAX),
        (600, u64::MAX - 600),
    ] {
        let mut bytes = Pv::with(&text(1, 2048, "")).device();
        bytes[4096 + 40..4096 + 48].copy_from_slice(&u64::to_le_bytes(offset));
        bytes[4096 + 48..4096 + 56].copy_from_slice(&size.to_le_bytes());
        seal(&mut bytes[4096..4096 + 512]);
        let member = probe(&bytes).unwrap();
        assert!(lvm(&member).group.is_none(), "{offset} {size}");
        assert_eq!(
            rules(&member).len(),
            usize::from(offset != 0),
            "{offset} {size}"
        );
    }
    // A huge area that the device does not have: at most 16 MiB are asked for.
    let mut pv = Pv::with(&text(1, 2048, ""));
    pv.areas[0].size = 1 << 50;
    let mut bytes = pv.device();
    bytes[4096 + 48..4096 + 56].copy_from_slice(&(1_u64 << 40).to_le_bytes());
    seal(&mut bytes[4096..4096 + 512]);
    assert!(
        probe(&bytes).unwrap().remarks[0]
            .why
            .contains("at most 16777216")
    );
}

#[test]
fn damaged_volumes_are_survived() {
    let stripes = "type = \"striped\"\nstripe_count = 2\nstripe_size = 128\nstripes = [\"pv0\", 0, \"pv1\", 5]";
    let raid = "type = \"raid5_ls\"\ndevice_count = 1\nraids = [\"a\", \"b\"]";
    let lvs = lv("one", VISIBLE, 4, stripes) + &lv("two", HIDDEN, 4, raid);
    let mut pv = Pv::with(&text(1, 2048, &lvs));
    pv.size = 32 << 10;
    pv.areas[0].size = 16 << 10;
    let bytes = pv.device();
    let mut noise = Random(3);
    flip_everywhere(&bytes, 512..700, 500, &mut noise);
    flip_everywhere(&bytes, 4096..4200, 300, &mut noise);
    truncate_everywhere(&bytes);
    // The same with the checksums put right behind the damage, so that the parsers see it.
    for _ in 0..2000 {
        let mut pv = pv.clone();
        for _ in 0..=noise.below(4) {
            damage(&mut pv.areas[0].text, &mut noise);
        }
        let _ = probe(&pv.device());
    }
}
