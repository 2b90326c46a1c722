//! Hostile bundles: read in part or refused, with a remark that says so; nothing is written, nothing
//! outside is read, time and memory stay bounded.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use ioalign_testkit::bundle::{BundleMember, filter, packed, seal};
use ioalign_testkit::{BundleBuilder, CheckRun};
use serde_json::Value;

use super::super::PROGRAM;
use super::{BLOCKDEV, sos};

/// A run is killed after this many seconds.
const PATIENCE: &str = "120";

/// Runs `check --json` in a folder of its own, under a watch; nothing may appear in that folder.
fn watched(path: &Path, most_mib: u64) -> CheckRun {
    let folder = tempfile::tempdir().unwrap();
    let log = tempfile::NamedTempFile::new().unwrap();
    let output = Command::new("time")
        .args(["-f", "%M", "-o"])
        .arg(log.path())
        .args([
            "timeout", "-s", "KILL", PATIENCE, PROGRAM, "check", "--json",
        ])
        .arg(path)
        .current_dir(folder.path())
        .output()
        .expect("`time` is needed for this test (Debian package time)");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked"), "{errors}");
    let peak = fs::read_to_string(log.path()).unwrap();
    let peak: u64 = peak.lines().last().unwrap().trim().parse().unwrap();
    assert!(
        peak <= most_mib << 10,
        "{} takes {peak} KiB",
        path.display()
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    CheckRun {
        json: serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {errors}")),
        code: output.status.code().unwrap_or(-1),
    }
}

fn file(folder: &Path, bytes: &[u8]) -> PathBuf {
    let path = folder.join("bundle.tar");
    fs::write(&path, bytes).unwrap();
    path
}

fn full() -> BundleBuilder {
    sos("s").file("sos_commands/block/blockdev_--report", BLOCKDEV)
}

fn error(checked: &CheckRun) -> String {
    checked.target()["error"]["message"].to_string()
}

fn remarks(checked: &CheckRun, rule: &str) -> String {
    let found = checked.of_rule(rule);
    found
        .iter()
        .map(|finding| finding["why"].to_string())
        .collect()
}

#[test]
fn names_and_links_lead_nowhere() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let text = BLOCKDEV.replace("sda", "evil");
    let outside = folder.path().join("outside.txt");
    fs::write(&outside, &text).unwrap();
    let outside = outside.to_str().unwrap();
    let bundle = full()
        .member(BundleMember::file(
            "../../../sos_commands/block/blockdev_--report_1",
            text.clone(),
        ))
        .member(BundleMember::file(
            "/s/sos_commands/block/dmesg",
            "absolute\n",
        ))
        .member(BundleMember::link(
            "s/sos_commands/block/blockdev_2",
            b'2',
            outside,
        ))
        .member(BundleMember::link(
            "s/sos_commands/block/blockdev_3",
            b'1',
            "/etc/passwd",
        ))
        .member(BundleMember::link(
            "s/sos_commands/block/blockdev_4",
            b'2',
            "blockdev_4",
        ))
        .member(BundleMember::link("s/sos_commands/a", b'2', "b"))
        .member(BundleMember::link("s/sos_commands/b", b'2', "a"))
        .member(BundleMember::file(
            "s/sos_commands/a/blockdev_5",
            text.clone(),
        ))
        .member(BundleMember::file(
            b"s/sos_commands/\xff\xfe/blockdev_6",
            text,
        ))
        .member(BundleMember::link("s/dev/null", b'3', ""));
    let checked = watched(&file(folder.path(), &bundle.tar()), 64);
    assert_eq!(
        (checked.verdict(), checked.code),
        ("misaligned", 1),
        "{:#}",
        checked.json
    );
    assert!(!checked.json["targets"].to_string().contains("evil"));
    let refused = remarks(&checked, "bundle-entry-refused");
    for reason in [
        "leads out of the bundle",
        "the name is absolute",
        "a hard link to a file that is not in the bundle",
        "a link that leads nowhere",
        "not UTF-8",
        "neither a file, a folder nor a link",
    ] {
        assert!(refused.contains(reason), "{reason}: {refused}");
    }
    // The same in a folder: the kernel keeps its links inside.
    let unpacked = folder.path().join("folder");
    let links = full().link("sos_commands/block/blockdev_2", outside);
    links
        .link("sos_commands/block/fdisk_1", "fdisk_1")
        .unpack(&unpacked);
    let checked = watched(&unpacked, 64);
    assert_eq!(checked.verdict(), "misaligned");
    assert!(!checked.json["targets"].to_string().contains("evil"));
}

#[test]
fn bombs_are_left_early() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let mut head = BundleMember::file("s/sos_logs/zeros", "").header();
    head[124..136].copy_from_slice(b"120000000000");
    seal(&mut head);
    let mut tar = full().tar();
    tar.truncate(tar.len() - 1024);
    tar.extend(head);
    // 10 GiB of zeros in 10 MB: members of gzip may follow each other.
    let zeros = filter("gzip", &["-c"], &vec![0; 64 << 20]);
    let mut bomb = filter("gzip", &["-c"], &tar);
    for _ in 0..160 {
        bomb.extend(&zeros);
    }
    assert!(bomb.len() < 11 << 20);
    let checked = watched(&file(folder.path(), &bomb), 64);
    assert_eq!(
        (checked.verdict(), checked.code),
        ("misaligned", 65),
        "what came before counts"
    );
    assert!(
        error(&checked).contains("unpacks to too much"),
        "{}",
        error(&checked)
    );
    for (program, most) in [("xz", 64), ("bzip2", 64), ("zstd", 64)] {
        let mut bytes = tar.clone();
        bytes.resize(300 << 20, 0);
        let checked = watched(
            &file(folder.path(), &filter(program, &["-c", "-1"], &bytes)),
            most,
        );
        assert_eq!(
            (checked.verdict(), checked.code),
            ("misaligned", 65),
            "{program}"
        );
        assert!(
            error(&checked).contains("unpacks to too much"),
            "{}",
            error(&checked)
        );
    }
}

#[test]
fn a_line_of_a_gigabyte() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bundle.tar");
    let whole = full().tar();
    let (data, end) = whole.split_at(whole.len() - 1024);
    let mut head = BundleMember::file("s/sos_commands/block/lsblk_-t", "").header();
    head[124..136].copy_from_slice(b"10000000000\0");
    seal(&mut head);
    let mut out = File::create(&path).unwrap();
    out.write_all(data).unwrap();
    out.write_all(&head).unwrap();
    let begin = data.len() as u64 + 512;
    for at in 0..64 {
        out.write_all_at(&[b'x'; 64 << 10], begin + at * (64 << 10))
            .unwrap();
    }
    out.write_all_at(end, begin + (1 << 30)).unwrap();
    let checked = watched(&path, 64);
    assert_eq!((checked.verdict(), checked.code), ("misaligned", 1));
    let cut = remarks(&checked, "bundle-file-cut-off");
    assert!(cut.contains("lsblk_-t (1073741824 bytes)"), "{cut}");
    // The same in a folder.
    let unpacked = folder.path().join("folder");
    full().unpack(&unpacked);
    let line = File::create(unpacked.join("s/sos_commands/block/lsblk_-t")).unwrap();
    line.write_all_at(&[b'x'; 64 << 10], 0).unwrap();
    line.set_len(1 << 30).unwrap();
    let checked = watched(&unpacked, 96);
    assert_eq!((checked.verdict(), checked.code), ("misaligned", 1));
    assert!(remarks(&checked, "text-cut-off").contains("lsblk_-t"));
}

#[test]
fn cut_off_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let whole = full().tar();
    let mut names = Vec::new();
    for ending in ["tar", "gz", "xz", "bz2", "zst"] {
        let bytes = packed(&whole, Path::new(&format!("x.{ending}")));
        for part in 1..24 {
            let len = bytes.len() * part / 24;
            // Enough is left out that the end mark is missing too.
            let len = if ending == "tar" {
                len.min(bytes.len() - 1024)
            } else {
                len
            };
            let path = folder.path().join(format!("{part:02}.{ending}"));
            fs::write(&path, &bytes[..len]).unwrap();
            names.push(path);
        }
    }
    let output = Command::new(PROGRAM)
        .args(["check", "--json"])
        .args(&names)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked"), "{errors}");
    assert_eq!(output.status.code(), Some(65), "{errors}");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let targets = json["targets"].as_array().unwrap();
    assert_eq!(targets.len(), names.len());
    for target in targets {
        // Cut so early that it is no tarball yet, it is nothing that is recognised; never ok.
        let fine = target["error"].is_object() || target["verdict"] == "unknown";
        assert!(fine, "{target:#}");
        assert_ne!(target["verdict"], "ok", "{target:#}");
    }
    let said = targets
        .iter()
        .filter(|target| target["error"].is_object())
        .count();
    assert!(said > names.len() / 3, "{said} of {}", names.len());
}

#[test]
fn a_wrong_checksum_ends_it() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = full().tar();
    let last = bytes.len() - 1024;
    bytes.truncate(last);
    let mut header = BundleMember::file("s/sos_commands/block/fdisk_-l", "x").header();
    header[0] ^= 1;
    bytes.extend(header);
    bytes.extend([0; 1536]);
    let checked = watched(&file(folder.path(), &bytes), 64);
    assert_eq!((checked.verdict(), checked.code), ("misaligned", 65));
    let error = &checked.target()["error"];
    assert_eq!(
        (&error["offset_bytes"], &error["field"]),
        (&last.into(), &"checksum".into())
    );
}

#[test]
fn entries_without_number() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bundle.tar");
    let mut out = std::io::BufWriter::new(File::create(&path).unwrap());
    out.write_all(full().tar().split_last_chunk::<1024>().unwrap().0)
        .unwrap();
    for number in 0..430_000 {
        let member = BundleMember::file(format!("s/sys/block/sda/{number:084}"), "");
        out.write_all(&member.header()).unwrap();
    }
    out.write_all(&[0; 1024]).unwrap();
    drop(out);
    let checked = watched(&path, 320);
    assert_eq!((checked.verdict(), checked.code), ("misaligned", 65));
    assert!(
        error(&checked).contains("more than 128 MiB"),
        "{}",
        error(&checked)
    );
}

#[test]
fn sparse_maps_that_make_no_sense() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    // Offset, length; then the length of the file and whether more pieces follow.
    let gnu = |pieces: &[(u64, u64)], len: u64, more: u8| {
        let mut header = BundleMember::file("dev/sda", [1; 512]).header();
        header[156] = b'S';
        for (index, (at, bytes)) in pieces.iter().enumerate() {
            let field = format!("{at:011o}\0{bytes:011o}\0");
            header[386 + index * 24..][..24].copy_from_slice(field.as_bytes());
        }
        header[482] = more;
        header[483..495].copy_from_slice(format!("{len:011o}\0").as_bytes());
        seal(&mut header);
        header.to_vec()
    };
    let pax = |map: &str| {
        let record = |key: &str, value: &str| {
            let len = key.len() + value.len() + 3;
            let len = len + (len + 2).to_string().len();
            format!("{len} {key}={value}\n")
        };
        let records = record("GNU.sparse.major", "1")
            + &record("GNU.sparse.minor", "0")
            + &record("GNU.sparse.name", "dev/sda")
            + &record("GNU.sparse.realsize", "4096");
        let mut header = BundleMember::file("x", records);
        header.flag = b'x';
        let mut bytes = header.bytes();
        let mut data = map.as_bytes().to_vec();
        data.resize(512, 0);
        data.extend([1; 512]);
        bytes.extend(BundleMember::file("GNUSparseFile.0/sda", data).bytes());
        bytes
    };
    let good = gnu(&[(512, 512)], 4096, 0);
    for (bad, what) in [
        (gnu(&[(512, 512), (0, 512)], 4096, 0), "overlap"),
        (gnu(&[(0, 512)], 100, 0), "behind the end"),
        (
            gnu(&[(0, 512), (1024, 1 << 30)], 1 << 32, 0),
            "more than what is stored",
        ),
        (gnu(&[(512, 512)], 4096, 1), "nonsense"),
        (pax("1000000000\n0\n1\n"), "pieces"),
        (pax("x\n"), "nonsense"),
        (pax("2\n0\n512\n256\n512\n"), "overlap"),
        (pax(&"9".repeat(512)), "nonsense"),
    ] {
        let mut bytes = full().tar();
        bytes.truncate(bytes.len() - 1024);
        bytes.extend(bad);
        bytes.extend([1; 512]);
        bytes.extend([0; 1024]);
        let checked = watched(&file(folder.path(), &bytes), 64);
        assert_eq!(checked.code, 65, "{what}: {:#}", checked.target()["error"]);
        let error = error(&checked);
        assert!(
            error.contains(what) || error.contains("nonsense"),
            "{what}: {error}"
        );
    }
    let mut bytes = full().tar();
    bytes.truncate(bytes.len() - 1024);
    bytes.extend(good);
    bytes.extend([1; 512]);
    bytes.extend([0; 1024]);
    assert_eq!(watched(&file(folder.path(), &bytes), 64).code, 1);
}

#[test]
fn contents_that_are_no_text() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let noise: Vec<u8> = (0..200_000_u32)
        .map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[3])
        .collect();
    let bundle = full()
        .file("sos_commands/block/lsblk", noise.clone())
        .file("sos_commands/block/fdisk_-l_.dev.sda", noise.clone())
        .file(
            "sos_commands/md/mdadm_-D_.dev.md0",
            b"\xff\xfeM\xd8".repeat(9999),
        )
        .file("proc/mdstat", noise)
        .file(
            "sys/block/sda/queue/chunk_sectors",
            "\u{0}\u{1}18446744073709551616",
        );
    let checked = watched(&bundle.write(folder.path().join("b.tar.xz")), 64);
    assert_eq!((checked.verdict(), checked.code), ("misaligned", 1));
}

#[test]
fn a_bundle_in_which_everything_is_missing() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let empty = BundleBuilder::new("sosreport-x").file("sos_commands/block/version", "x\n");
    let checked = watched(&empty.write(folder.path().join("b.tar.gz")), 64);
    assert_eq!((checked.verdict(), checked.code), ("unknown", 3));
    let missing = remarks(&checked, "bundle-incomplete");
    assert!(missing.contains("no disk"), "{missing}");
}
