//! VMDK against qemu-img, kind by kind.

use std::process::Command;

use ioalign_core::{Bytes, Severity};
use ioalign_inspect::ErrorKind;
use ioalign_inspect::images::{Image, ImagePolicy};

use super::qemu::{Lab, open, patterned, read_all};
use super::vmdk_files::{cowd, descriptor, se_sparse};
use crate::tools::run;

const SIZE: usize = 12 << 20;

/// A raw disk with data at the start, after a hole, and at the very end.
pub fn raw(lab: &Lab) -> Vec<u8> {
    let mut bytes = vec![0; SIZE];
    let data = patterned(700 << 10);
    for at in [0, 5 << 20, SIZE - data.len()] {
        bytes[at..at + data.len()].copy_from_slice(&data);
    }
    std::fs::write(lab.path("plain.raw"), &bytes).unwrap();
    bytes
}

/// Converts `plain.raw`; the options may be empty.
pub fn convert(lab: &Lab, format: &str, options: &str, name: &str) {
    let mut args = vec!["convert", "-f", "raw", "-O", format];
    if !options.is_empty() {
        args.extend(["-o", options]);
    }
    args.extend(["plain.raw", name]);
    lab.img(&args);
}

/// What lies at a mapped place is what the guest reads, and what is not mapped reads as zeros.
pub fn planted(image: &Image) {
    let guest = read_all(image);
    let files: Vec<_> = image
        .places
        .iter()
        .map(|place| (place, std::fs::read(&place.path).unwrap()))
        .collect();
    for (number, sector) in guest.chunks(512).enumerate() {
        let mut found = files.iter().filter_map(|(place, bytes)| {
            let (to, _) = place.runs.resolve(number as u64 * 512)?;
            Some((usize::try_from(to).unwrap(), bytes))
        });
        match found.next() {
            Some((to, bytes)) => assert!(sector == &bytes[to..to + sector.len()], "{number}"),
            None => assert!(sector.iter().all(|b| *b == 0), "sector {number}"),
        }
        assert!(found.next().is_none(), "sector {number} lies in two files");
    }
}

#[test]
fn all_kinds_that_qemu_writes() {
    needs!(Packages);
    for (kind, compressed) in [
        ("monolithicSparse", false),
        ("monolithicFlat", false),
        ("twoGbMaxExtentSparse", false),
        ("twoGbMaxExtentFlat", false),
        ("streamOptimized", true),
    ] {
        let lab = Lab::new();
        raw(&lab);
        convert(&lab, "vmdk", &format!("subformat={kind}"), "a.vmdk");
        let image = lab.compare("a.vmdk", "vmdk");
        assert_eq!(
            (image.detail.format.name(), &*image.detail.variant.name()),
            ("vmdk", kind)
        );
        assert!(image.remarks.is_empty(), "{kind}: {:?}", image.remarks);
        assert_eq!(!image.detail.compressed.is_zero(), compressed, "{kind}");
        if !compressed {
            planted(&image);
        }
        let sparse = !kind.ends_with("Flat");
        assert_eq!(image.detail.cluster, sparse.then(|| Bytes::new(64 << 10)));
    }
}

#[test]
fn zero_grains_and_odd_sizes() {
    needs!(Packages);
    let lab = Lab::new();
    lab.create("a.vmdk", "vmdk", "zeroed_grain=on", "5000192");
    lab.io("a.vmdk", "vmdk", &["write -P 7 0 1M", "write -z 0 64k"]);
    let image = lab.compare("a.vmdk", "vmdk");
    assert_eq!(image.virtual_size, Bytes::new(5_000_192));
    assert_eq!(image.detail.facts()["extent-kind"], "hosted");
}

/// Extents of several files, in a descriptor of our own that QEMU reads as well.
#[test]
fn split_disks_have_a_place_a_file() {
    needs!(Packages);
    let lab = Lab::new();
    raw(&lab);
    convert(&lab, "vmdk", "subformat=twoGbMaxExtentSparse", "a.vmdk");
    std::fs::write(lab.path("flat.bin"), patterned(3 << 20)).unwrap();
    let lines = [
        "RW 2048 FLAT \"flat.bin\" 63".to_owned(),
        format!("RW {} SPARSE \"a-s001.vmdk\"", SIZE / 512),
        "RW 2000 FLAT \"flat.bin\" 3000".to_owned(),
    ];
    let text = descriptor("twoGbMaxExtentSparse", "", &lines);
    std::fs::write(lab.path("split.vmdk"), text).unwrap();
    let image = lab.open("split.vmdk");
    assert!(read_all(&image) == lab.oracle("split.vmdk", "vmdk"));
    assert_eq!(image.places.len(), 2, "two files, one of them twice");
    assert_eq!(image.places[0].runs.resolve(0), Some((63 * 512, 1 << 20)));
    assert_eq!(image.detail.facts()["extents"], "3");
    planted(&image);
}

#[test]
fn zero_missing_and_raw_device_extents() {
    let lab = Lab::new();
    std::fs::write(lab.path("flat.bin"), patterned(1 << 20)).unwrap();
    let lines = [
        "RW 8 ZERO".to_owned(),
        "RDONLY 2048 FLAT \"flat.bin\" 0".to_owned(),
        "RW 63 VMFSRDM \"lun-rdm.vmdk\"".to_owned(),
        "RW 64 FLAT \"gone.bin\" 0".to_owned(),
        "RW 100 FLAT \"flat.bin\" 2000".to_owned(),
    ];
    let text = descriptor("vmfs", "", &lines);
    std::fs::write(lab.path("a.vmdk"), text.replace('\n', "\r\n")).unwrap();
    let image = lab.open("a.vmdk");
    let rules: Vec<_> = image.remarks.iter().map(|r| (r.rule, r.severity)).collect();
    let wanted = [
        ("vmdk-raw-device", Severity::Unknown),
        ("vmdk-extent-short", Severity::Broken),
        ("vmdk-extent-missing", Severity::Broken),
    ];
    assert_eq!(rules, wanted);
    let guest = read_all(&image);
    assert_eq!(guest.len(), (8 + 2048 + 63 + 64 + 100) * 512);
    assert!(guest[4096..4096 + (1 << 20)] == patterned(1 << 20));
    assert!(guest[..4096].iter().all(|b| *b == 0));
}

#[test]
fn vmfs_sparse_in_grains_of_one_sector() {
    needs!(Packages);
    let lab = Lab::new();
    let sectors = 3 * 4096 + 100;
    let data = [
        (0, 1),
        (1, 2),
        (7, 3),
        (4096 * 3 + 99, 4),
        (5000, 5),
        (5001, 6),
    ];
    std::fs::write(lab.path("a-delta.vmdk"), cowd(sectors, 1, &data)).unwrap();
    let line = format!("RW {sectors} VMFSSPARSE \"a-delta.vmdk\"");
    std::fs::write(lab.path("a.vmdk"), descriptor("vmfsSparse", "", &[line])).unwrap();
    let image = lab.compare("a.vmdk", "vmdk");
    assert_eq!(image.detail.cluster, Some(Bytes::new(512)));
    assert_eq!(image.detail.facts()["extent-kind"], "cowd");
    planted(&image);
}

#[test]
fn se_sparse_in_grains_of_4_kib() {
    needs!(Packages);
    let lab = Lab::new();
    let sectors = 3 * 8 * 4096;
    let data = [
        (0, 1),
        (1, 2),
        (2, 0),
        (4096, 3),
        (2 * 4096 + 5, 4),
        (4095, 5),
    ];
    std::fs::write(lab.path("a-sesparse.vmdk"), se_sparse(sectors, &data)).unwrap();
    let line = format!("RW {sectors} SESPARSE \"a-sesparse.vmdk\"");
    std::fs::write(lab.path("a.vmdk"), descriptor("seSparse", "", &[line])).unwrap();
    let image = lab.compare("a.vmdk", "vmdk");
    assert_eq!(image.detail.cluster, Some(Bytes::new(4096)));
    planted(&image);
}

/// More than 4096 grains, so that the high half of a grain's index is used.
#[test]
fn se_sparse_with_high_indices() {
    needs!(Packages);
    let lab = Lab::new();
    let data: Vec<_> = (0..4100_usize)
        .map(|i| (i, u8::try_from(1 + i % 251).unwrap()))
        .collect();
    let sectors = 2 * 8 * 4096;
    std::fs::write(lab.path("s.vmdk"), se_sparse(sectors, &data)).unwrap();
    let line = format!("RW {sectors} SESPARSE \"s.vmdk\"");
    std::fs::write(lab.path("a.vmdk"), descriptor("seSparse", "", &[line])).unwrap();
    let image = lab.compare("a.vmdk", "vmdk");
    assert_eq!(image.places[0].runs.iter().count(), 1, "one run in order");
}

#[test]
fn an_extent_alone_is_read_with_a_note() {
    needs!(Packages);
    let lab = Lab::new();
    let bytes = raw(&lab);
    convert(&lab, "vmdk", "subformat=twoGbMaxExtentSparse", "a.vmdk");
    let image = lab.open("a-s001.vmdk");
    assert_eq!(image.remarks[0].rule, "vmdk-bare-extent");
    assert!(read_all(&image) == bytes);
}

#[test]
fn a_delta_reads_through_to_its_parent() {
    needs!(Packages);
    let lab = Lab::new();
    let parent = raw(&lab);
    convert(&lab, "vmdk", "subformat=monolithicSparse", "base.vmdk");
    let create = [
        "create",
        "-q",
        "-f",
        "vmdk",
        "-b",
        "base.vmdk",
        "-F",
        "vmdk",
        "a.vmdk",
    ];
    lab.img(&create);
    lab.io("a.vmdk", "vmdk", &["write -P 9 5M 64k"]);
    let image = lab.open("a.vmdk");
    assert!(image.remarks.is_empty(), "{:?}", image.remarks);
    assert!(read_all(&image) == lab.oracle("a.vmdk", "vmdk"));
    assert_eq!(image.backing_path.as_deref(), Some("base.vmdk".as_ref()));
    assert!(read_all(image.backing.as_deref().unwrap()) == parent);

    // The parent is written to after the child was made: its content id changes.
    lab.io("base.vmdk", "vmdk", &["write -P 3 1M 512"]);
    let image = lab.open("a.vmdk");
    assert_eq!(image.remarks[0].rule, "vmdk-cid-mismatch");
    std::fs::remove_file(lab.path("base.vmdk")).unwrap();
    let error = lab.try_open("a.vmdk").err().unwrap();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[test]
fn names_that_leave_the_folder_wait_or_go_in_circles() {
    let lab = Lab::new();
    run(Command::new("mkfifo").arg(lab.path("fifo")));
    for (line, kind) in [
        ("RW 8 FLAT \"../../etc/passwd\" 0", ErrorKind::Refused),
        ("RW 8 FLAT \"/etc/passwd\" 0", ErrorKind::Refused),
        ("RW 8 FLAT \"fifo\" 0", ErrorKind::Unsupported),
        ("RW 8 FLAT \"a.vmdk\" 0", ErrorKind::Loop),
        ("RW 8 SPARSE \"a.vmdk\"", ErrorKind::Loop),
        ("RW 8 FLAT \".\" 0", ErrorKind::Unsupported),
        ("RW 8 FLAT \"gone\" 0", ErrorKind::NotFound),
    ] {
        let text = descriptor("monolithicFlat", "", &[line.to_owned()]);
        std::fs::write(lab.path("a.vmdk"), text).unwrap();
        let error = lab.try_open("a.vmdk").err().expect(line);
        assert_eq!(error.kind(), kind, "{line}: {error}");
    }
    let parent = "parentFileNameHint=\"b.vmdk\"";
    let zero = ["RW 8 ZERO".to_owned()];
    for name in ["a.vmdk", "b.vmdk"] {
        let hint = parent.replace("b.vmdk", if name == "a.vmdk" { "b.vmdk" } else { "a.vmdk" });
        std::fs::write(lab.path(name), descriptor("vmfs", &hint, &zero)).unwrap();
    }
    assert_eq!(
        lab.try_open("a.vmdk").err().unwrap().kind(),
        ErrorKind::Loop
    );
    let anywhere = ImagePolicy {
        allow_backing: true,
        ..ImagePolicy::default()
    };
    let error = open(&lab.path("a.vmdk"), &anywhere).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Loop);
}

#[test]
fn many_extents_share_few_open_files() {
    let lab = Lab::new();
    let mut lines = Vec::new();
    for i in 0..300_usize {
        let name = format!("f{i}");
        std::fs::write(lab.path(&name), vec![u8::try_from(i % 256).unwrap(); 512]).unwrap();
        lines.push(format!("RW 1 FLAT \"{name}\" 0"));
    }
    std::fs::write(lab.path("a.vmdk"), descriptor("vmfs", "", &lines)).unwrap();
    let image = lab.open("a.vmdk");
    let open_files = std::fs::read_dir("/proc/self/fd").unwrap().count();
    assert!(open_files < 250, "{open_files} files are open");
    let guest = read_all(&image);
    for (i, sector) in guest.chunks(512).enumerate() {
        assert!(sector.iter().all(|b| usize::from(*b) == i % 256), "{i}");
    }
}
