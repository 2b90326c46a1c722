//! VHDX against qemu-img; where it prints no offsets, against patterns at the mapped places.

use ioalign_core::Bytes;
use ioalign_inspect::ErrorKind;

use super::qemu::{Lab, read_all};
use super::vmdk::{convert, planted, raw};

const MIB: usize = 1 << 20;

fn patch(lab: &Lab, name: &str, at: usize, bytes: &[u8]) {
    let mut file = std::fs::read(lab.path(name)).unwrap();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    std::fs::write(lab.path(name), file).unwrap();
}

/// CRC-32C bit by bit, the definition.
pub fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0x82F6_3B78 & (crc & 1).wrapping_neg())
        })
    })
}

/// Sets the CRC at byte 4 of a structure right.
fn seal(lab: &Lab, name: &str, at: usize, len: usize) {
    patch(lab, name, at + 4, &[0; 4]);
    let file = std::fs::read(lab.path(name)).unwrap();
    patch(
        lab,
        name,
        at + 4,
        &crc32c(&file[at..at + len]).to_le_bytes(),
    );
}

fn le64(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// Byte offset of a region by the first bytes of its GUID.
fn region(lab: &Lab, name: &str, guid: [u8; 4]) -> usize {
    let file = std::fs::read(lab.path(name)).unwrap();
    let table = 192 << 10;
    let entry = (0..4).map(|i| table + 16 + i * 32);
    let entry = entry.clone().find(|at| file[*at..at + 4] == guid).unwrap();
    usize::try_from(le64(&file, entry + 16)).unwrap()
}

fn bat(lab: &Lab, name: &str) -> usize {
    region(lab, name, [0x66, 0x77, 0xC2, 0x2D])
}

fn metadata(lab: &Lab, name: &str) -> usize {
    region(lab, name, [0x06, 0xA2, 0x7C, 0x8B])
}

/// Byte offset of a metadata item by the first bytes of its GUID.
fn item(lab: &Lab, name: &str, guid: [u8; 4]) -> usize {
    let start = metadata(lab, name);
    let file = std::fs::read(lab.path(name)).unwrap();
    let mut entries = (0..8).map(|i| start + 32 + i * 32);
    let entry = entries.find(|at| file[*at..at + 4] == guid).unwrap();
    let past = u32::from_le_bytes(file[entry + 16..entry + 20].try_into().unwrap());
    start + usize::try_from(past).unwrap()
}

#[test]
fn dynamic_and_fixed_in_several_block_sizes() {
    needs!(Packages);
    for options in [
        "subformat=dynamic",
        "subformat=dynamic,block_size=1M,log_size=1M",
        "subformat=dynamic,block_size=2M,log_size=3M",
        "subformat=fixed,block_size=8M",
        "subformat=fixed,block_size=1M",
    ] {
        let lab = Lab::new();
        raw(&lab);
        convert(&lab, "vhdx", options, "a.vhdx");
        let image = lab.open("a.vhdx");
        assert!(
            read_all(&image) == lab.oracle("a.vhdx", "vhdx"),
            "{options}"
        );
        assert!(
            options.contains(&*image.detail.variant.name()),
            "{}",
            image.detail.variant.name()
        );
        assert_eq!(image.logical_sector, Some(Bytes::new(512)));
        assert!(image.remarks.is_empty(), "{:?}", image.remarks);
        for run in image.places[0].runs.iter() {
            assert_eq!(run.to % MIB as u64, 0, "blocks lie at whole MiB: {run:?}");
        }
        planted(&image);
    }
}

/// With blocks of 256 MiB a chunk is 16 of them: the bitmap's entry stands in between.
#[test]
fn entries_of_bitmaps_stand_between_the_chunks() {
    needs!(Packages);
    let lab = Lab::new();
    lab.create("a.vhdx", "vhdx", "block_size=256M", "6G");
    let at = [
        "write -P 1 0 4k",
        "write -P 2 4095M 4k",
        "write -P 3 4096M 4k",
        "write -P 4 5G 4k",
    ];
    lab.io("a.vhdx", "vhdx", &at);
    let image = lab.open("a.vhdx");
    for (address, value) in [(0, 1), (4095, 2), (4096, 3), (5120, 4)] {
        let mut bytes = [0; 4096];
        image.guest.read_at(address << 20, &mut bytes).unwrap();
        assert_eq!(bytes, [value; 4096], "at {address} MiB");
        assert!(image.places[0].runs.resolve(address << 20).is_some());
    }
    assert!(image.places[0].runs.resolve(1 << 30).is_none());
}

#[test]
fn a_log_that_was_not_replayed_is_reported() {
    needs!(Packages);
    let lab = Lab::new();
    raw(&lab);
    convert(&lab, "vhdx", "", "a.vhdx");
    for at in [64 << 10, 128 << 10] {
        patch(&lab, "a.vhdx", at + 48, &[7; 16]);
        patch(&lab, "a.vhdx", at + 64, &[0; 2]);
        seal(&lab, "a.vhdx", at, 4096);
    }
    let image = lab.open("a.vhdx");
    assert_eq!(image.remarks[0].rule, "vhdx-dirty-log");
    assert!(image.remarks[0].why.contains("nothing is missing"));
    // An entry of that log: what is read may be old.
    let file = std::fs::read(lab.path("a.vhdx")).unwrap();
    let log = usize::try_from(le64(&file, (64 << 10) + 72)).unwrap();
    patch(&lab, "a.vhdx", log + 8192, b"loge");
    patch(&lab, "a.vhdx", log + 8192 + 32, &[7; 16]);
    let image = lab.open("a.vhdx");
    assert!(
        image.remarks[0].why.contains("1 entries"),
        "{}",
        image.remarks[0].why
    );
}

#[test]
fn copies_of_header_and_region_table_step_in() {
    needs!(Packages);
    let lab = Lab::new();
    raw(&lab);
    convert(&lab, "vhdx", "", "a.vhdx");
    let guest = read_all(&lab.open("a.vhdx"));
    patch(&lab, "a.vhdx", (64 << 10) + 200, &[1]);
    patch(&lab, "a.vhdx", (192 << 10) + 60_000, &[1]);
    let image = lab.open("a.vhdx");
    let rules: Vec<_> = image.remarks.iter().map(|r| r.rule).collect();
    assert_eq!(rules, ["vhdx-header-copy", "vhdx-region-copy"]);
    assert!(read_all(&image) == guest);
    patch(&lab, "a.vhdx", (256 << 10) + 60_000, &[1]);
    let error = lab.try_open("a.vhdx").err().unwrap();
    assert_eq!(error.field_name(), Some("region table"));
    patch(&lab, "a.vhdx", (128 << 10) + 200, &[1]);
    let error = lab.try_open("a.vhdx").err().unwrap();
    assert_eq!(
        (error.field_name(), error.offset()),
        (Some("header"), Some(64 << 10))
    );
}

#[test]
fn sectors_of_4_kib() {
    needs!(Packages);
    let lab = Lab::new();
    let bytes = raw(&lab);
    convert(&lab, "vhdx", "block_size=1M", "a.vhdx");
    let logical = item(&lab, "a.vhdx", [0x1D, 0xBF, 0x41, 0x81]);
    patch(&lab, "a.vhdx", logical, &4096_u32.to_le_bytes());
    let image = lab.open("a.vhdx");
    assert_eq!(image.logical_sector, Some(Bytes::new(4096)));
    assert!(read_all(&image) == bytes);
    patch(&lab, "a.vhdx", logical, &520_u32.to_le_bytes());
    let error = lab.try_open("a.vhdx").err().unwrap();
    assert_eq!(error.field_name(), Some("logical sector size"));
}

#[test]
fn what_is_required_and_not_known_is_refused() {
    needs!(Packages);
    let lab = Lab::new();
    raw(&lab);
    convert(&lab, "vhdx", "", "a.vhdx");
    let table = metadata(&lab, "a.vhdx");
    // Another GUID for the page 83 id, which QEMU marks as required.
    let file = std::fs::read(lab.path("a.vhdx")).unwrap();
    let id = (0..8).map(|i| table + 32 + i * 32);
    let id = id
        .clone()
        .find(|at| file[*at..at + 4] == [0xAB, 0x12, 0xCA, 0xBE]);
    patch(&lab, "a.vhdx", id.unwrap(), &[1]);
    let error = lab.try_open("a.vhdx").err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");

    convert(&lab, "vhdx", "", "a.vhdx");
    let region = 192 << 10;
    patch(&lab, "a.vhdx", region + 8, &3_u32.to_le_bytes());
    patch(&lab, "a.vhdx", region + 16 + 64, &[5; 16]);
    patch(&lab, "a.vhdx", region + 16 + 64 + 28, &[1]);
    seal(&lab, "a.vhdx", region, 64 << 10);
    let error = lab.try_open("a.vhdx").err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert_eq!(error.field_name(), Some("region"));
}

#[test]
fn entries_past_the_end_are_named() {
    needs!(Packages);
    let lab = Lab::new();
    raw(&lab);
    convert(&lab, "vhdx", "block_size=1M", "a.vhdx");
    let bat = bat(&lab, "a.vhdx");
    patch(&lab, "a.vhdx", bat, &(6_u64 | 5000 << 20).to_le_bytes());
    let image = lab.open("a.vhdx");
    assert_eq!(image.remarks[0].rule, "vhdx-block-table");
    let error = image.guest.read_at(0, &mut [0]).unwrap_err();
    assert_eq!(error.offset(), Some(bat as u64));
    assert_eq!(error.field_name(), Some("BAT entry"));
}

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// A parent locator with these pairs. \[MS-VHDX\] 2.6.2.6.
fn locator(pairs: &[(&str, &str)]) -> Vec<u8> {
    let mut out = vec![
        0xB7, 0xEF, 0x4A, 0xB0, 0x9E, 0xD1, 0x81, 0x4A, 0xB7, 0x89, 0x25, 0xB8, 0xE9, 0x44, 0x59,
        0x13, 0, 0,
    ];
    out.extend(u16::try_from(pairs.len()).unwrap().to_le_bytes());
    let mut texts = Vec::new();
    for (key, value) in pairs {
        let at = 20 + pairs.len() * 12 + texts.len();
        let (key, value) = (wide(key), wide(value));
        for past in [at, at + key.len()] {
            out.extend(u32::try_from(past).unwrap().to_le_bytes());
        }
        for text in [&key, &value] {
            out.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
        }
        texts.extend([key, value].concat());
    }
    out.extend(texts);
    out
}

/// Makes `a.vhdx` a child of `base.vhdx`.
fn adopt(lab: &Lab, parent: &str) {
    let base = lab.open("base.vhdx");
    let linkage = format!(
        "{{{}}}",
        base.detail.facts()["data-write-id"].to_ascii_lowercase()
    );
    let value = locator(&[("parent_linkage", &linkage), ("relative_path", parent)]);
    let table = metadata(lab, "a.vhdx");
    let file = std::fs::read(lab.path("a.vhdx")).unwrap();
    let count = usize::from(u16::from_le_bytes(
        file[table + 10..table + 12].try_into().unwrap(),
    ));
    patch(
        lab,
        "a.vhdx",
        table + 10,
        &[u8::try_from(count + 1).unwrap()],
    );
    let mut entry = vec![
        0x2D, 0x5F, 0xD3, 0xA8, 0x0B, 0xB3, 0x4D, 0x45, 0xAB, 0xF7, 0xD3, 0xD8, 0x48, 0x34, 0xAB,
        0x0C,
    ];
    for number in [128 << 10, value.len(), 4, 0] {
        entry.extend(u32::try_from(number).unwrap().to_le_bytes());
    }
    patch(lab, "a.vhdx", table + 32 + count * 32, &entry);
    patch(lab, "a.vhdx", table + (128 << 10), &value);
    let parameters = item(lab, "a.vhdx", [0x37, 0x67, 0xA1, 0xCA]);
    patch(lab, "a.vhdx", parameters + 4, &[2]);
}

#[test]
fn a_differencing_disk_reads_by_its_bitmaps() {
    needs!(Packages);
    let lab = Lab::new();
    raw(&lab);
    convert(&lab, "vhdx", "block_size=1M", "base.vhdx");
    let mut wanted = read_all(&lab.open("base.vhdx"));
    lab.create(
        "a.vhdx",
        "vhdx",
        "block_size=1M,block_state_zero=off",
        "12M",
    );
    lab.io("a.vhdx", "vhdx", &["write -P 9 5M 2M"]);
    adopt(&lab, ".\\base.vhdx");
    // Block 6 is partly the child's: sectors 3 and 4 of it, by a bitmap appended to the file.
    let bat = bat(&lab, "a.vhdx");
    let mut file = std::fs::read(lab.path("a.vhdx")).unwrap();
    file[bat + 48] = file[bat + 48] & 0xF8 | 7;
    file.resize(file.len().next_multiple_of(MIB), 0);
    let entry = file.len() as u64 | 6;
    file[bat + 4096 * 8..bat + 4096 * 8 + 8].copy_from_slice(&entry.to_le_bytes());
    let mut bitmap = vec![0; MIB];
    bitmap[6 * 256] = 0b0001_1000;
    file.extend(bitmap);
    std::fs::write(lab.path("a.vhdx"), file).unwrap();

    let image = lab.open("a.vhdx");
    assert_eq!(image.detail.variant.name(), "differencing");
    assert!(image.remarks.is_empty(), "{:?}", image.remarks);
    wanted[5 * MIB..6 * MIB].fill(9);
    wanted[6 * MIB + 3 * 512..6 * MIB + 5 * 512].fill(9);
    assert!(read_all(&image) == wanted);

    // The parent is another one by now.
    convert(&lab, "vhdx", "block_size=1M", "base.vhdx");
    let rules: Vec<_> = lab.open("a.vhdx").remarks.iter().map(|r| r.rule).collect();
    assert_eq!(rules, ["vhdx-parent-id"]);
}

#[test]
fn parents_that_leave_are_gone_or_go_in_circles() {
    needs!(Packages);
    for (parent, kind) in [
        ("..\\other\\gone.vhdx", ErrorKind::Refused),
        ("gone.vhdx", ErrorKind::NotFound),
        (".\\a.vhdx", ErrorKind::Loop),
    ] {
        let lab = Lab::new();
        lab.create("base.vhdx", "vhdx", "", "4M");
        lab.create("a.vhdx", "vhdx", "", "4M");
        adopt(&lab, parent);
        let error = lab.try_open("a.vhdx").err().expect(parent);
        assert_eq!(error.kind(), kind, "{parent}: {error}");
    }
}
