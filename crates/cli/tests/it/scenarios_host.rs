//! Acceptance scenarios of partitions on captured hosts; ids as in the design notes.

use ioalign_testkit::gpt::{self, BIOS_BOOT, LINUX};
use ioalign_testkit::sysroot::{Sysroot, SysrootDisk};
use ioalign_testkit::{Disk as Image, mbr};
use serde_json::json;

use super::{check_host, why};

/// A swap header of version 1 for `bytes`, to be written at byte 1024; the signature ends the page.
pub fn swap_header(bytes: u64) -> Vec<u8> {
    let mut page = vec![0; 4096 - 1024];
    page[..4].copy_from_slice(&1_u32.to_le_bytes());
    let last = u32::try_from(bytes / 4096 - 1).unwrap();
    page[4..8].copy_from_slice(&last.to_le_bytes());
    let end = page.len();
    page[end - 10..].copy_from_slice(b"SWAPSPACE2");
    page
}

fn sector_4096(name: &str, sectors: u64) -> SysrootDisk {
    SysrootDisk::new(name, sectors).limits(512, 4096, 4096, 0)
}

#[test]
fn a03_off_by_one_at_a_terabyte() {
    let tree = Sysroot::new()
        .disk(sector_4096("sda", 1_953_525_168).model("ATA", "WDC WD10EZEX-08W"))
        .partition("sda", 1, 2048, 1_917_388_049)
        .partition("sda", 2, 1_917_390_097, 36_131_000)
        .file(
            "proc/swaps",
            "Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2\n",
        );
    let checked = check_host(&tree, &[]);
    assert_eq!((checked.verdict(), checked.code), ("suboptimal", 1));
    assert_eq!(checked.offset("sda1", 4096), Some(0));
    let end = checked.finding("size-not-multiple", "sda1");
    assert_eq!(
        (&end["severity"], &end["offset_bytes"]),
        (&json!("note"), &json!(512))
    );
    let swap = checked.finding("start-misaligned", "sda2");
    assert_eq!(
        (
            &swap["severity"],
            &swap["offset_bytes"],
            &swap["fixable_in_place"]
        ),
        (&json!("suboptimal"), &json!(512), &json!(true))
    );
    assert_eq!(swap["suggest"]["start_sectors"], 1_917_390_848);
    assert!(
        swap["do"][0].as_str().unwrap().contains("swapoff"),
        "{swap:#}"
    );
    assert_eq!(checked.of_rule("start-misaligned").len(), 1);
}

#[test]
fn a04_sector_1_in_the_gap_and_an_odd_place() {
    let entries = [(0x83, 1, 7_020_404), (0x83, 7_020_405, 34_922_635)];
    let tree = Sysroot::new()
        .disk(sector_4096("sdb", 41_943_040))
        .partition("sdb", 1, 1, 7_020_404)
        .partition("sdb", 2, 7_020_405, 34_922_635)
        .content("sdb", 0, mbr::sector(&entries))
        .content("sdb1", 1024, swap_header(7_020_400 * 512))
        .content("sdb2", 1024, []);
    let checked = check_host(&tree, &[]);
    assert_eq!((checked.verdict(), checked.code), ("misaligned", 1));
    assert_eq!(
        checked.layer("sdb1")["role"],
        "swap",
        "by its superblock, not its type"
    );
    let swap = checked.finding("start-misaligned", "sdb1");
    assert_eq!(
        (&swap["severity"], &swap["offset_bytes"]),
        (&json!("suboptimal"), &json!(512))
    );
    let data = checked.finding("start-misaligned", "sdb2");
    assert_eq!(
        (&data["severity"], &data["offset_bytes"]),
        (&json!("misaligned"), &json!(2560))
    );
    assert_eq!(data["suggest"]["start_sectors"], 7_020_544);
    checked.finding("start-in-mbr-gap", "sdb1");
}

#[test]
fn a06_mkfs_xfs_will_refuse() {
    let tree = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 30).limits(512, 512, 4096, 0))
        .partition("sda", 1, 34, 1 << 20)
        .set("sda1", "alignment_offset", 3072);
    let checked = check_host(&tree, &[]);
    assert_eq!((checked.verdict(), checked.code), ("misaligned", 1));
    assert_eq!(
        checked.finding("start-misaligned", "sda1")["offset_bytes"],
        1024
    );
    let refusal = checked.finding("mkfs-xfs-refuses", "sda1");
    assert_eq!(refusal["severity"], "note");
    assert!(why(refusal).contains("without -f"), "{refusal:#}");
}

#[test]
fn a07_a_usb_bridge_with_a_transfer_limit_for_a_stripe() {
    let tree = Sysroot::new()
        .disk(
            SysrootDisk::new("sda", 1_953_525_168)
                .limits(512, 512, 512, 33_553_920)
                .usb(),
        )
        .partition("sda", 1, 4096, 1_953_517_568);
    let checked = check_host(&tree, &[]);
    assert_eq!((checked.verdict(), checked.code), ("ok", 0));
    let hint = checked.finding("bogus-hint", "sda");
    assert_eq!(
        (&hint["severity"], &hint["unit_bytes"]),
        (&json!("note"), &json!(33_553_920))
    );
    assert!(
        why(hint).contains("0xFFFF × 512") && why(hint).contains("32 MiB less 512"),
        "{hint:#}"
    );
    let text = checked.json.to_string();
    assert!(
        !text.contains("65535s") && !text.contains("% 65535"),
        "parted's arithmetic: {text}"
    );
    assert!(
        checked.findings().iter().all(|f| f["severity"] == "note"),
        "{:?}",
        checked.rules()
    );
}

#[test]
fn a10_a_boot_loader_area_is_not_in_the_way() {
    let tree = Sysroot::new()
        .disk(sector_4096("sda", 1 << 21))
        .partition("sda", 1, 34, 2014)
        .partition("sda", 2, 2048, 1 << 20)
        .partition("sda", 3, 1_050_625, 1 << 18);
    // Who it is, is known from the table or, without root, from udev.
    let number = tree.number("sda1");
    let kind = format!("E:ID_PART_ENTRY_TYPE={}\n", BIOS_BOOT.to_lowercase());
    let tree = tree.file(&format!("run/udev/data/b{number}"), kind);
    let checked = check_host(&tree, &[]);
    assert_eq!(
        checked.finding("start-harmless", "sda1")["severity"],
        "note"
    );
    assert_eq!(
        checked.of_rule("start-misaligned").len(),
        1,
        "{:?}",
        checked.rules()
    );
    checked.finding("start-misaligned", "sda3");

    let image = Image::new("table", 1 << 30);
    gpt::write(
        &image,
        512,
        &[(BIOS_BOOT, 34, 2014), (LINUX, 2048, 1 << 20)],
    );
    let tree = Sysroot::new()
        .disk(sector_4096("sda", 1 << 21))
        .partition("sda", 1, 34, 2014)
        .partition("sda", 2, 2048, 1 << 20)
        .content("sda", 0, image.read(0, 1 << 16))
        .content(
            "sda",
            (1 << 30) - (1 << 16),
            image.read((1 << 30) - (1 << 16), 1 << 16),
        );
    let checked = check_host(&tree, &[]);
    assert_eq!(
        (checked.verdict(), checked.code),
        ("ok", 0),
        "{:#}",
        checked.target()
    );
    checked.finding("start-harmless", "sda1");
}

#[test]
fn a11_four_kib_but_not_one_mib() {
    let tree = Sysroot::new()
        .disk(sector_4096("sda", 62_333_952))
        .partition("sda", 4, 30_929_920, 1 << 20)
        .partition("sda", 5, 64, 1 << 10)
        .partition("sda", 6, 1_060_232, 1 << 20);
    let checked = check_host(&tree, &[]);
    assert_eq!((checked.verdict(), checked.code), ("ok", 0));
    assert_eq!(checked.of_rule("start-misaligned").len(), 0);
}

#[test]
fn a11_on_a_card_with_large_erase_blocks() {
    for erase in [4_u64 << 20, 8 << 20] {
        let card = SysrootDisk::new("mmcblk0", 62_333_952)
            .bus("platform/soc/mmc_host/mmc0/mmc0:0001")
            .flash()
            .attr("device/preferred_erase_size", erase);
        let tree = Sysroot::new()
            .disk(card)
            .partition("mmcblk0", 4, 30_929_920, 1 << 20);
        let checked = check_host(&tree, &[]);
        assert_eq!((checked.verdict(), checked.code), ("suboptimal", 1));
        assert_eq!(checked.of_rule("start-misaligned").len(), 0);
        let finding = checked.finding("start-suboptimal", "mmcblk0p4");
        assert_eq!(
            (&finding["unit_bytes"], &finding["confidence"]),
            (&json!(erase), &json!("low"))
        );
    }
}

#[test]
fn a13_a_jumpered_drive_wants_sector_7_of_8() {
    let tree = Sysroot::new()
        .disk(sector_4096("sda", 1 << 31).attr("alignment_offset", 3584))
        .partition("sda", 1, 63, 1953)
        .partition("sda", 2, 2048, 1 << 20);
    let checked = check_host(&tree, &[]);
    assert_eq!(checked.offset("sda1", 4096), Some(0));
    let off = checked.of_rule("start-misaligned");
    assert_eq!(off.len(), 1, "{:?}", checked.rules());
    assert_eq!(
        (&off[0]["layer"], &off[0]["offset_bytes"]),
        (&json!("partition:sda2"), &json!(512))
    );
    let start = off[0]["suggest"]["start_sectors"].as_u64().unwrap();
    assert_eq!((start, start % 8), (2055, 7));
    assert_eq!(off[0]["suggest"]["start_before_bytes"], 2047 * 512);
}

#[test]
fn a20_a_table_at_byte_512_of_a_512e_disk() {
    let image = Image::new("table", 1 << 30);
    gpt::write(&image, 512, &[(LINUX, 2048, 1 << 20)]);
    let end = (1 << 30) - (1 << 16);
    let tree = Sysroot::new()
        .disk(sector_4096("sda", 1 << 21))
        .partition("sda", 1, 2048, 1 << 20)
        .content("sda", 0, image.read(0, 1 << 16))
        .content("sda", end, image.read(end, 1 << 16));
    let checked = check_host(&tree, &[]);
    assert_eq!(
        (checked.verdict(), checked.code),
        ("ok", 0),
        "{:#}",
        checked.target()
    );
    assert_eq!(checked.layer("disk:sda")["facts"]["table"], "gpt");
    assert_eq!(checked.of_rule("table-sector-mismatch").len(), 0);
}

#[test]
fn a32_sysfs_counts_512_byte_units_on_4kn() {
    let tree = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 31).limits(4096, 4096, 4096, 0))
        .partition("sda", 1, 16384, 1 << 20);
    let checked = check_host(&tree, &[]);
    assert_eq!((checked.verdict(), checked.code), ("ok", 0));
    let partition = checked.layer("sda1");
    assert_eq!(
        (
            &partition["start_sectors"],
            &partition["below"][0]["start_bytes"]
        ),
        (&json!(2048), &json!(8 << 20))
    );
    assert_eq!(checked.finding("over-aligned", "sda1")["severity"], "note");
}

#[test]
fn a32_a_dos_table_counts_in_the_sectors_of_its_disk() {
    // Nothing in such a table says what its sectors are: the kernel takes those of the device.
    let tree = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 24).limits(4096, 4096, 4096, 0))
        .partition("sda", 1, 16384, 1 << 20)
        .content("sda", 0, mbr::sector(&[(0x83, 2048, 1 << 17)]));
    let checked = check_host(&tree, &[]);
    assert_eq!(
        (checked.verdict(), checked.code),
        ("ok", 0),
        "{:?}",
        checked.rules()
    );
    assert_eq!(checked.layer("sda1")["facts"]["type"], "83");
}

#[test]
fn a_note_about_every_disk_is_said_once() {
    let disks = ["vda", "vdb", "vdc"].iter();
    let tree = disks.fold(Sysroot::new(), |tree, name| {
        tree.disk(SysrootDisk::new(name, 1 << 24).virtio())
            .partition(name, 1, 2048, 1 << 20)
    });
    let checked = check_host(&tree, &[]);
    let notes = checked.of_rule("virtual-disk-topology");
    assert_eq!(notes.len(), 1);
    assert!(
        why(notes[0]).ends_with("the same holds for vdb, vdc"),
        "{notes:#?}"
    );
}
