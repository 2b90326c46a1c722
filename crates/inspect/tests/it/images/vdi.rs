//! VDI against qemu-img.

use ioalign_core::{Bytes, Severity};
use ioalign_inspect::ErrorKind;

use super::qemu::Lab;

const WRITES: &[&str] = &[
    "write -P 1 5M 100k",
    "write -P 2 1M 4k",
    "write -P 3 2500k 1k",
    "write -P 4 8388608 512",
];

fn image(options: &str) -> Lab {
    let lab = Lab::new();
    lab.create("a.vdi", "vdi", options, "8389120");
    lab.io("a.vdi", "vdi", WRITES);
    lab
}

fn patch(lab: &Lab, at: usize, bytes: &[u8]) {
    let mut file = std::fs::read(lab.path("a.vdi")).unwrap();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    std::fs::write(lab.path("a.vdi"), file).unwrap();
}

#[test]
fn dynamic_and_static() {
    needs!(Packages);
    for (options, variant) in [("", "dynamic"), ("static=on", "static")] {
        let image = image(options).compare("a.vdi", "vdi");
        assert_eq!(
            (image.detail.format.name(), &*image.detail.variant.name()),
            ("vdi", variant)
        );
        assert_eq!(image.detail.cluster, Some(Bytes::MIB));
        assert_eq!(image.logical_sector, Some(Bytes::new(512)));
        assert!(image.remarks.is_empty(), "{:?}", image.remarks);
    }
}

/// QEMU puts data at 1024 modulo 4096: what is aligned in the guest is not in the file.
#[test]
fn the_phase_of_the_data_is_seen() {
    needs!(Packages);
    let image = image("").open("a.vdi");
    assert_eq!(image.detail.facts()["data-offset"], "1024");
    let runs: Vec<_> = image.places[0].runs.iter().collect();
    assert!(!runs.is_empty());
    for run in runs {
        assert_eq!(run.to % 4096, 1024, "{run:?}");
        assert_eq!(run.from % 4096, 0, "{run:?}");
    }
}

#[test]
fn a_parent_is_remarked_not_followed() {
    needs!(Packages);
    let lab = image("");
    patch(&lab, 76, &4_u32.to_le_bytes());
    patch(&lab, 0x1A8, &[0x11; 16]);
    let image = lab.open("a.vdi");
    assert_eq!(image.detail.variant.name(), "differencing");
    assert_eq!(image.remarks[0].rule, "vdi-parent-not-read");
    assert_eq!(image.remarks[0].severity, Severity::Unknown);
    assert_eq!(image.detail.facts()["parent-uuid"].len(), 36);
    let mut bytes = [9; 8];
    image.guest.read_at(0, &mut bytes).unwrap();
    assert_eq!(bytes, [0; 8]);
}

#[test]
fn an_entry_out_of_range_spoils_only_its_block() {
    needs!(Packages);
    let lab = image("");
    patch(&lab, 512 + 5 * 4, &77_u32.to_le_bytes());
    let image = lab.open("a.vdi");
    assert_eq!(image.remarks[0].rule, "vdi-bad-entries");
    let mut byte = [0];
    let error = image.guest.read_at(5 << 20, &mut byte).unwrap_err();
    assert_eq!(
        (error.kind(), error.offset()),
        (ErrorKind::Malformed, Some(532))
    );
    image.guest.read_at(1 << 20, &mut byte).unwrap();
    assert_eq!(byte, [2]);
}

#[test]
fn impossible_headers_are_refused() {
    needs!(Packages);
    for (at, value, field) in [
        (0x154, u32::MAX, "offBlocks"),
        (0x178, 0, "cbBlock"),
        (0x178, 1000, "cbBlock"),
        (0x174, u32::MAX, "cbDisk"),
        (0x180, 1, "cbDisk"),
        (0x44, 1, "version"),
    ] {
        let lab = image("");
        patch(&lab, at, &value.to_le_bytes());
        let error = lab.try_open("a.vdi").err().expect(field);
        assert_eq!(error.field_name(), Some(field), "{error}");
    }
}

#[test]
fn a_file_that_was_cut_off_is_remarked() {
    needs!(Packages);
    let lab = image("");
    let file = std::fs::read(lab.path("a.vdi")).unwrap();
    std::fs::write(lab.path("a.vdi"), &file[..1024 + (1 << 20)]).unwrap();
    let image = lab.open("a.vdi");
    assert_eq!(image.remarks[0].rule, "image-cut-off");
    let mut byte = [9];
    image.guest.read_at(8_388_608, &mut byte).unwrap();
    assert_eq!(byte, [0]);
}
