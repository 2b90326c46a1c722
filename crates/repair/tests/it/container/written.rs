//! After any writes QEMU reads what was written and finds no fault.

use std::path::{Path, PathBuf};

use ioalign_repair::ErrorKind;
use ioalign_repair::container::{self, ImageFormat};
use ioalign_testkit::Random;

use super::model::{data, exercise};
use super::tools::{content, is_sound, must, open};

const SIZE: u64 = (9 << 20) + 512 * 5;

fn rounded(logical: u64) -> u64 {
    SIZE / logical * logical
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Opens an image some times and writes; it is sound after each.
fn write_often(path: &Path, format: &str, model: &mut [u8], seed: u64) {
    let mut random = Random(seed);
    for _ in 0..3 {
        let mut disk = open(path, true);
        exercise(disk.as_mut(), model, &mut random, 40);
        disk.flush().unwrap();
        drop(disk);
        is_sound(path, format, model);
    }
}

#[test]
fn new_images_of_every_format() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    for (format, logical) in [
        (ImageFormat::Raw, 512),
        (ImageFormat::Raw, 4096),
        (ImageFormat::Qcow2, 512),
        (ImageFormat::Vdi, 512),
        (ImageFormat::Vhd, 512),
        (ImageFormat::Vmdk, 512),
        (ImageFormat::Vhdx, 512),
        (ImageFormat::Vhdx, 4096),
    ] {
        let path = folder
            .path()
            .join(format!("new-{logical}.{}", format.name()));
        let bytes = rounded(logical);
        let mut disk = container::create(&path, format, bytes, logical).unwrap();
        assert_eq!((disk.size_bytes(), disk.logical_bytes()), (bytes, logical));
        disk.flush().unwrap();
        drop(disk);
        let mut model = vec![0; usize::try_from(bytes).unwrap()];
        is_sound(&path, format.name(), &model);
        let mut disk = open(&path, true);
        let (mut random, steps) = (Random(7), 60);
        exercise(disk.as_mut(), &mut model, &mut random, steps);
        disk.flush().unwrap();
        drop(disk);
        is_sound(&path, format.name(), &model);
        write_often(&path, format.name(), &mut model, logical);
        let again = container::create(&path, format, bytes, logical)
            .err()
            .unwrap();
        assert_eq!(again.kind(), ErrorKind::Refused);
    }
}

/// An image that QEMU made, with data in it.
fn made(folder: &Path, name: &str, options: &[&str]) -> (PathBuf, String, Vec<u8>) {
    let format = name.split('-').next().unwrap().to_owned();
    let path = folder.join(format!("{name}.img"));
    let raw = folder.join("raw");
    let mut random = Random(3);
    let mut bytes = vec![0; usize::try_from(SIZE).unwrap()];
    for _ in 0..12 {
        let at = random.below(bytes.len() / 512 - 200) * 512;
        let data = data(&mut random, 90_000);
        bytes[at..at + data.len()].copy_from_slice(&data);
    }
    std::fs::write(&raw, &bytes).unwrap();
    let mut arguments = vec!["convert", "-f", "raw", "-O", super::tools::name(&format)];
    arguments.extend(options);
    arguments.extend([text(&raw), text(&path)]);
    must(arguments);
    (path, format, bytes)
}

/// Larger by what the format rounds up.
fn padded(path: &Path, format: &str, mut model: Vec<u8>) -> Vec<u8> {
    model.resize(content(path, format).len(), 0);
    model
}

#[test]
fn images_of_qemu() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let kinds: [(&str, &[&str]); 16] = [
        ("qcow2-plain", &[]),
        ("qcow2-old", &["-o", "compat=0.10"]),
        ("qcow2-small", &["-o", "cluster_size=512"]),
        (
            "qcow2-tiny-counts",
            &["-o", "cluster_size=512,refcount_bits=1"],
        ),
        (
            "qcow2-wide-counts",
            &["-o", "cluster_size=512,refcount_bits=64"],
        ),
        ("qcow2-counts-4", &["-o", "cluster_size=4k,refcount_bits=4"]),
        ("qcow2-large", &["-o", "cluster_size=2M,refcount_bits=8"]),
        (
            "qcow2-extended",
            &["-o", "extended_l2=on,cluster_size=128k"],
        ),
        ("qcow2-zlib", &["-c", "-o", "cluster_size=16k"]),
        ("qcow2-zstd", &["-c", "-o", "compression_type=zstd"]),
        ("vdi-dynamic", &[]),
        ("vdi-static", &["-o", "static=on"]),
        ("vhd-dynamic", &["-o", "force_size=on"]),
        ("vhd-fixed", &["-o", "subformat=fixed"]),
        ("vmdk-sparse", &[]),
        ("vmdk-flat", &["-o", "subformat=monolithicFlat"]),
    ];
    for (seed, (name, options)) in (0..).zip(kinds) {
        let (path, format, model) = made(folder.path(), name, options);
        let mut model = padded(&path, &format, model);
        write_often(&path, &format, &mut model, seed);
    }
}

#[test]
fn vhdx_of_qemu() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let kinds: [(&str, &[&str]); 2] = [
        ("vhdx-dynamic", &["-o", "block_size=1M"]),
        ("vhdx-fixed", &["-o", "subformat=fixed"]),
    ];
    for (seed, (name, options)) in (0..).zip(kinds) {
        let (path, format, model) = made(folder.path(), name, options);
        let mut model = padded(&path, &format, model);
        write_often(&path, &format, &mut model, seed);
    }
}

#[test]
fn many_clusters_need_more_tables() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grows.qcow2");
    let options = "cluster_size=512,refcount_bits=64";
    must([
        "create",
        "-q",
        "-f",
        "qcow2",
        "-o",
        options,
        text(&path),
        "16M",
    ]);
    let mut disk = open(&path, true);
    let mut model = vec![0; 16 << 20];
    let data = data(&mut Random(2), 16 << 20);
    for (at, piece) in data.chunks(1 << 20).enumerate() {
        disk.write_at((at as u64) << 20, piece).unwrap();
        disk.flush().unwrap();
    }
    model.copy_from_slice(&data);
    drop(disk);
    is_sound(&path, "qcow2", &model);
}

#[test]
fn a_backing_file_is_not_touched() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    for options in ["cluster_size=64k", "cluster_size=64k,extended_l2=on"] {
        let (base, _, mut model) = made(folder.path(), "qcow2-base", &[]);
        let before = std::fs::read(&base).unwrap();
        let path = folder.path().join("top.qcow2");
        let bytes = (SIZE + (3 << 20)).to_string();
        must([
            "create",
            "-q",
            "-f",
            "qcow2",
            "-o",
            options,
            "-b",
            "qcow2-base.img",
            "-F",
            "qcow2",
            text(&path),
            &bytes,
        ]);
        model.resize(usize::try_from(SIZE + (3 << 20)).unwrap(), 0);
        write_often(&path, "qcow2", &mut model, 11);
        assert!(
            std::fs::read(&base).unwrap() == before,
            "the base has changed"
        );
    }
}

#[test]
fn a_snapshot_keeps_what_it_holds() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let (path, _, before) = made(folder.path(), "qcow2-snap", &["-o", "cluster_size=4k"]);
    must(["snapshot", "-c", "one", text(&path)]);
    let mut model = before.clone();
    write_often(&path, "qcow2", &mut model, 5);
    must(["snapshot", "-c", "two", text(&path)]);
    let second = model.clone();
    write_often(&path, "qcow2", &mut model, 6);
    for (name, expected) in [("one", before), ("two", second)] {
        must(["snapshot", "-a", name, text(&path)]);
        is_sound(&path, "qcow2", &expected);
    }
}

#[test]
fn what_cannot_be_written_safely_is_refused() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let kinds: [(&str, &[&str]); 3] = [
        ("vmdk-stream", &["-o", "subformat=streamOptimized"]),
        ("vmdk-split", &["-o", "subformat=twoGbMaxExtentSparse"]),
        ("qcow2-external", &["-o", "data_file=external.raw"]),
    ];
    for (name, options) in kinds {
        let (path, format, model) = made(folder.path(), name, options);
        let error = container::open(&path, true).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Refused, "{name}: {error}");
        // The program adds the command that copies it.
        let said = error.to_string();
        let reasons = ["is not written in place", "in an external file"];
        assert!(reasons.iter().any(|reason| said.contains(reason)), "{said}");
        let mut disk = open(&path, false);
        let mut there = vec![0; model.len()];
        disk.read_at(0, &mut there).unwrap();
        assert!(there == model, "{format} is read all the same");
    }
}

#[test]
fn one_that_is_marked_dirty_is_refused() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let (path, _, _) = made(folder.path(), "qcow2-dirty", &["-o", "lazy_refcounts=on"]);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[79] |= 1;
    std::fs::write(&path, bytes).unwrap();
    let error = container::open(&path, true).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
}

#[test]
fn two_do_not_write_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for format in ImageFormat::ALL {
        let path = folder.path().join(format!("twice.{}", format.name()));
        let first = container::create(&path, format, 4 << 20, 512).unwrap();
        let second = container::open(&path, true).err().unwrap();
        assert_eq!(second.kind(), ErrorKind::InUse);
        drop(first);
        drop(open(&path, true));
    }
}

/// Two guest clusters in one place of the file: writing the one would change the other.
#[test]
fn a_cluster_that_is_two_things_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("twice.qcow2");
    let mut disk = container::create(&path, ImageFormat::Qcow2, 4 << 20, 512).unwrap();
    disk.write_at(0, &[1; 1024]).unwrap();
    disk.write_at(1 << 20, &[2; 1024]).unwrap();
    disk.flush().unwrap();
    drop(disk);
    let mut bytes = std::fs::read(&path).unwrap();
    let word = |bytes: &[u8], at: usize| u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap());
    let l2 = usize::try_from(word(&bytes, 3 << 16) & !(1 << 63)).unwrap();
    bytes.copy_within(l2..l2 + 8, l2 + 16 * 8);
    std::fs::write(&path, bytes).unwrap();
    let error = container::open(&path, true).err().unwrap();
    assert!(error.to_string().contains("two uses"), "{error}");
}

/// Only a part of a disk is no disk.
#[test]
fn one_extent_of_many_is_refused() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let options: &[&str] = &["-o", "subformat=twoGbMaxExtentSparse"];
    let (path, _, _) = made(folder.path(), "vmdk-parts", options);
    let part = path.with_file_name("vmdk-parts-s001.img");
    assert!(part.exists(), "QEMU names extents otherwise");
    for write in [true, false] {
        let error = container::open(&part, write).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
    }
}
