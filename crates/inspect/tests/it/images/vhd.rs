//! VHD against qemu-img (`vpc`).

use std::collections::BTreeSet;

use ioalign_core::{Bytes, Severity};
use ioalign_inspect::ErrorKind;

use super::qemu::{Lab, read_all};
use super::vmdk::{convert, planted, raw};

fn patch(lab: &Lab, name: &str, at: usize, bytes: &[u8]) {
    let mut file = std::fs::read(lab.path(name)).unwrap();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    std::fs::write(lab.path(name), file).unwrap();
}

/// Writes the one's complement of the byte sum at `at` of the `len` bytes at `start`.
fn seal(lab: &Lab, name: &str, start: usize, len: usize, at: usize) {
    let file = std::fs::read(lab.path(name)).unwrap();
    let sum = |part: &[u8]| part.iter().map(|b| u32::from(*b)).sum::<u32>();
    let all = sum(&file[start..start + len]) - sum(&file[start + at..start + at + 4]);
    patch(lab, name, start + at, &(!all).to_be_bytes());
}

#[test]
fn dynamic_and_fixed() {
    needs!(Packages);
    for (kind, size) in [
        ("dynamic", "on"),
        ("dynamic", "off"),
        ("fixed", "on"),
        ("fixed", "off"),
    ] {
        let lab = Lab::new();
        raw(&lab);
        let options = format!("subformat={kind},force_size={size}");
        convert(&lab, "vpc", &options, "a.vhd");
        let image = lab.open("a.vhd");
        let expected = lab.oracle("a.vhd", "vpc");
        assert_eq!(image.virtual_size.get(), expected.len() as u64, "{options}");
        assert!(read_all(&image) == expected, "{options}");
        assert_eq!(
            (image.detail.format.name(), &*image.detail.variant.name()),
            ("vhd", kind)
        );
        assert!(image.remarks.is_empty(), "{:?}", image.remarks);
        planted(&image);
        if kind == "dynamic" {
            let image = lab.compare("a.vhd", "vpc");
            assert_eq!(image.detail.cluster, Some(Bytes::new(2 << 20)));
            assert_eq!(image.detail.facts()["bitmap"], "512 B");
        } else {
            assert_eq!(image.detail.facts()["file-length-mod-4096"], "512");
        }
    }
}

/// A bit for each sector: two sectors of bitmap before a block of 4 MiB.
#[test]
fn blocks_over_2_mib_have_a_longer_bitmap() {
    needs!(Packages);
    const BLOCK: usize = 4 << 20;
    let lab = Lab::new();
    lab.create("a.vhd", "vpc", "force_size=on", "16M");
    let mut file = std::fs::read(lab.path("a.vhd")).unwrap();
    let footer = file.split_off(file.len() - 512);
    let bitmap = file.len();
    file.extend([0xff; 1024]);
    file.extend((0..BLOCK).map(|at| u8::try_from(at / 512 % 251).unwrap()));
    file.extend(footer);
    let put = |file: &mut Vec<u8>, at: usize, number: usize| {
        let number = u32::try_from(number).unwrap();
        file[at..at + 4].copy_from_slice(&number.to_be_bytes());
    };
    // The size of a block in the header, and where the first one lies.
    put(&mut file, 512 + 32, BLOCK);
    put(&mut file, 1536, bitmap / 512);
    std::fs::write(lab.path("a.vhd"), file).unwrap();
    seal(&lab, "a.vhd", 512, 1024, 36);
    let image = lab.compare("a.vhd", "vpc");
    let runs: Vec<_> = image.places[0].runs.iter().collect();
    assert_eq!(runs[0].nth(0), (0, bitmap as u64 + 1024));
}

/// The trap of dynamic VHDs: block by block all eight 512-byte offsets come round.
#[test]
fn eight_phases_rotate() {
    needs!(Packages);
    let lab = Lab::new();
    lab.create("a.vhd", "vpc", "force_size=on", "40M");
    let writes: Vec<_> = (0..20)
        .map(|i| format!("write -P 1 {}M 4k", i * 2))
        .collect();
    let writes: Vec<_> = writes.iter().map(String::as_str).collect();
    lab.io("a.vhd", "vpc", &writes);
    let image = lab.compare("a.vhd", "vpc");
    let runs: Vec<_> = image.places[0].runs.iter().collect();
    assert_eq!(runs.len(), 1, "regular blocks are one run");
    let phases: BTreeSet<_> = (0..runs[0].count)
        .map(|i| runs[0].nth(i).1 % 4096)
        .collect();
    assert_eq!(phases, (0..8).map(|i| i * 512).collect());
}

#[test]
fn the_size_of_old_creators_is_their_geometry() {
    needs!(Packages);
    let lab = Lab::new();
    lab.create("a.vhd", "vpc", "", "1G");
    let by_geometry = lab.open("a.vhd");
    assert_eq!(
        by_geometry.detail.facts()["size-by"],
        "geometry (cylinders, heads, sectors)"
    );
    let end = std::fs::metadata(lab.path("a.vhd")).unwrap().len();
    let end = usize::try_from(end).unwrap() - 512;
    patch(&lab, "a.vhd", end + 28, b"win ");
    patch(&lab, "a.vhd", end + 48, &(1_u64 << 30).to_be_bytes());
    seal(&lab, "a.vhd", end, 512, 64);
    let by_size = lab.open("a.vhd");
    assert_eq!(by_size.virtual_size, Bytes::GIB);
    assert!(by_size.remarks.is_empty());
    assert!(by_geometry.virtual_size > by_size.virtual_size);
}

#[test]
fn a_block_past_the_end_spoils_only_itself() {
    needs!(Packages);
    let lab = Lab::new();
    raw(&lab);
    convert(&lab, "vpc", "", "a.vhd");
    patch(&lab, "a.vhd", 1536, &0x00FF_FFFF_u32.to_be_bytes());
    let image = lab.open("a.vhd");
    assert_eq!(image.remarks[0].rule, "vhd-block-table");
    assert_eq!(image.remarks[0].severity, Severity::Broken);
    let error = image.guest.read_at(0, &mut [0]).unwrap_err();
    assert_eq!(error.offset(), Some(1536));
    image.guest.read_at(5 << 20, &mut [0]).unwrap();

    // All of them: nothing is usable, and the first is named.
    let file = std::fs::read(lab.path("a.vhd")).unwrap();
    for i in 0..8 {
        if file[1536 + i * 4] != 0xFF {
            patch(&lab, "a.vhd", 1536 + i * 4, &0x00FF_FFFF_u32.to_be_bytes());
        }
    }
    let error = lab.try_open("a.vhd").err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Malformed);
    assert_eq!(error.field_name(), Some("block table entry"));
    assert_eq!(error.offset(), Some(1536));
}

#[test]
fn blocks_may_not_lie_in_the_metadata() {
    needs!(Packages);
    let lab = Lab::new();
    raw(&lab);
    convert(&lab, "vpc", "", "a.vhd");
    patch(&lab, "a.vhd", 1536, &1_u32.to_be_bytes());
    assert_eq!(lab.open("a.vhd").remarks[0].rule, "vhd-block-table");
}

#[test]
fn footers_are_checked_and_replaced_by_their_copy() {
    needs!(Packages);
    let lab = Lab::new();
    raw(&lab);
    convert(&lab, "vpc", "", "a.vhd");
    let whole = std::fs::read(lab.path("a.vhd")).unwrap();
    let end = whole.len() - 512;
    let guest = read_all(&lab.open("a.vhd"));

    std::fs::write(lab.path("a.vhd"), &whole[..end]).unwrap();
    let image = lab.open("a.vhd");
    assert_eq!(image.remarks[0].rule, "vhd-footer-missing");
    assert!(read_all(&image) == guest);

    std::fs::write(lab.path("a.vhd"), &whole).unwrap();
    patch(&lab, "a.vhd", end + 48, &[0xFF]);
    assert_eq!(lab.open("a.vhd").remarks[0].rule, "vhd-footer-missing");
    patch(&lab, "a.vhd", 100, &[1]);
    let rules: Vec<_> = lab.open("a.vhd").remarks.iter().map(|r| r.rule).collect();
    assert!(rules.contains(&"vhd-footer-checksum"), "{rules:?}");
    patch(&lab, "a.vhd", 512 + 1000, &[1]);
    let rules: Vec<_> = lab.open("a.vhd").remarks.iter().map(|r| r.rule).collect();
    assert!(rules.contains(&"vhd-header-checksum"), "{rules:?}");
}

/// Turns a dynamic disk into a child of `base.vhd`, with a relative and a plain name.
fn adopt(lab: &Lab, name: &str, parent: &str) {
    let len = std::fs::metadata(lab.path(name)).unwrap().len();
    let end = usize::try_from(len).unwrap() - 512;
    for start in [0, end] {
        patch(lab, name, start + 60, &4_u32.to_be_bytes());
        seal(lab, name, start, 512, 64);
    }
    let base = std::fs::read(lab.path("base.vhd")).unwrap();
    patch(lab, name, 512 + 40, &base[68..84]);
    let wide: Vec<u8> = parent.encode_utf16().flat_map(u16::to_be_bytes).collect();
    patch(lab, name, 512 + 64, &wide);
    seal(lab, name, 512, 1024, 36);
}

#[test]
fn a_differencing_disk_reads_by_its_bitmaps() {
    needs!(Packages);
    let lab = Lab::new();
    raw(&lab);
    convert(&lab, "vpc", "force_size=on", "base.vhd");
    let parent = read_all(&lab.open("base.vhd"));
    lab.create("a.vhd", "vpc", "force_size=on", "12M");
    lab.io("a.vhd", "vpc", &["write -P 9 4M 2M"]);
    adopt(&lab, "a.vhd", "C:\\vm\\base.vhd");
    // Of block 2 only sectors 1 to 8 and 2100 are the child's.
    let file = std::fs::read(lab.path("a.vhd")).unwrap();
    let entry = file[1536 + 8..1536 + 12].try_into().unwrap();
    let at = usize::try_from(u32::from_be_bytes(entry)).unwrap() * 512;
    patch(&lab, "a.vhd", at, &[0; 512]);
    patch(&lab, "a.vhd", at, &[0x7F, 0x80]);
    patch(&lab, "a.vhd", at + 262, &[0x08]);
    let image = lab.open("a.vhd");
    assert_eq!(image.detail.variant.name(), "differencing");
    assert!(image.remarks.is_empty(), "{:?}", image.remarks);
    let mut wanted = parent;
    let block = 4 << 20;
    wanted[block + 512..block + 9 * 512].fill(9);
    wanted[block + 2100 * 512..block + 2101 * 512].fill(9);
    assert!(read_all(&image) == wanted);
    assert_eq!(
        image.backing_path.as_deref(),
        Some("C:\\vm\\base.vhd".as_ref())
    );

    patch(&lab, "a.vhd", 512 + 40, &[1, 2, 3, 4]);
    let rules: Vec<_> = lab.open("a.vhd").remarks.iter().map(|r| r.rule).collect();
    assert!(rules.contains(&"vhd-parent-id"), "{rules:?}");
}

#[test]
fn parents_that_leave_are_gone_or_go_in_circles() {
    needs!(Packages);
    for (parent, kind) in [
        ("..\\base.vhd", ErrorKind::Refused),
        ("gone.vhd", ErrorKind::NotFound),
        ("a.vhd", ErrorKind::Loop),
    ] {
        let lab = Lab::new();
        lab.create("base.vhd", "vpc", "", "4M");
        lab.create("a.vhd", "vpc", "", "4M");
        adopt(&lab, "a.vhd", parent);
        if kind == ErrorKind::Refused {
            std::fs::remove_file(lab.path("base.vhd")).unwrap();
        }
        let error = lab.try_open("a.vhd").err().expect(parent);
        assert_eq!(error.kind(), kind, "{parent}: {error}");
    }
}
