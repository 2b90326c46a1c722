//! Nothing judged is `unknown`, in every format; and what is left out of a folder has a row.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{BundleBuilder, Disk, check, mbr, needs};
use serde_json::Value;
use tempfile::TempDir;

use super::PROGRAM;

const FDISK: &str = "Disk /dev/sda: 64 MiB, 67108864 bytes, 131072 sectors\n\
    Units: sectors of 1 * 512 = 512 bytes\n\
    Sector size (logical/physical): 512 bytes / 4096 bytes\n\
    I/O size (minimum/optimal): 4096 bytes / 4096 bytes\nDisklabel type: dos\n\n\
    Device     Boot Start    End Sectors Size Id Type\n\
    /dev/sda1          63 131071  131009  64M 83 Linux\n";

/// Name within the folder and verdict of every target.
fn rows<'a>(json: &'a Value, folder: &Path) -> Vec<(&'a str, &'a str)> {
    let targets = json["targets"].as_array().unwrap().iter();
    let rows = targets.map(|target| {
        let name = target["target"].as_str().unwrap();
        let name = name.strip_prefix(text(folder)).unwrap();
        let verdict = target["verdict"].as_str().unwrap();
        (name.trim_start_matches('/'), verdict)
    });
    rows.collect()
}

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(["check", "--no-policy"]).args(arguments);
    command.output().unwrap()
}

#[test]
fn a_folder_without_anything_known_is_unknown_everywhere() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    for files in 0..3 {
        let checked = check(PROGRAM, [folder.path()]);
        assert_eq!((checked.verdict(), checked.code), ("unknown", 3));
        assert_eq!(checked.rules(), ["nothing-recognised=unknown"]);
        for (format, wanted) in [
            ("text", "unknown"),
            ("nagios", "IOALIGN UNKNOWN"),
            ("prometheus", "verdict=\"unknown\""),
        ] {
            let output = run(&[text(folder.path()), "--format", format]);
            assert_eq!(output.status.code(), Some(3), "{format}");
            let said = String::from_utf8(output.stdout).unwrap();
            assert!(said.contains(wanted), "{said}");
        }
        fs::write(folder.path().join(format!("{files}.conf")), "a = 1\n").unwrap();
    }
}

#[test]
fn a_database_two_levels_down_is_a_target() {
    let folder = TempDir::new().unwrap();
    let cluster = folder.path().join("15/main");
    fs::create_dir_all(cluster.join("global")).unwrap();
    // Which version's first fields, does not matter: then the constant, and blocks of 8 KiB.
    let mut control = vec![0; 84];
    control.extend(1_234_567.0_f64.to_le_bytes());
    for number in [8192_u32, 131_072, 8192, 16 << 20] {
        control.extend(number.to_le_bytes());
    }
    fs::write(cluster.join("global/pg_control"), control).unwrap();
    fs::write(cluster.join("PG_VERSION"), "15\n").unwrap();
    let checked = check(PROGRAM, [folder.path()]);
    let found = rows(&checked.json, folder.path());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "15/main");
}

#[test]
fn texts_and_tarballs_that_are_cut_off_have_rows() {
    needs!(Packages);
    let folder = TempDir::new().unwrap();
    for host in ["h1", "h2"] {
        let host = folder.path().join("tickets").join(host);
        fs::create_dir_all(&host).unwrap();
        fs::write(host.join("output.txt"), FDISK).unwrap();
        fs::write(host.join("comment"), "see the output\n").unwrap();
    }
    let disk = mbr::disk("disk.img", 64, &[(0x83, 2048, 100_000)]);
    fs::copy(disk.path(), folder.path().join("disk.img")).unwrap();
    fs::write(folder.path().join("pasted"), FDISK).unwrap();
    fs::write(folder.path().join("notes.txt"), "notes\n").unwrap();
    let sos = BundleBuilder::new("s").file("sos_commands/block/fdisk_-l_.dev.sda", FDISK);
    sos.write(folder.path().join("whole.tar.xz"));
    let whole = fs::read(folder.path().join("whole.tar.xz")).unwrap();
    fs::write(folder.path().join("cut.tar.xz"), &whole[..64]).unwrap();
    let checked = check(PROGRAM, [folder.path()]);
    let expected = [
        ("cut.tar.xz", "unknown"),
        ("disk.img", "ok"),
        ("pasted", "misaligned"),
        ("tickets/h1", "misaligned"),
        ("tickets/h2", "misaligned"),
        ("whole.tar.xz", "misaligned"),
    ];
    assert_eq!(rows(&checked.json, folder.path()), expected);
    assert_eq!(checked.code, 65, "a tarball cannot be read");
}

#[test]
fn an_image_that_begins_like_a_text_is_an_image() {
    needs!(Packages);
    let bad = mbr::disk("bad.img", 64, &[(0x83, 63, 100_000)]);
    bad.write(0, &[0xfe, 0xff]);
    assert_eq!(check(PROGRAM, [bad.path()]).verdict(), "misaligned");
    // The first 32 KiB of a CD are free for anything.
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("file"), "content").unwrap();
    let iso = folder.path().join("cd");
    tool(
        "genisoimage",
        &[
            "-quiet",
            "-o",
            text(&iso),
            text(&folder.path().join("file")),
        ],
    );
    let mut bytes = fs::read(&iso).unwrap();
    bytes[..32768].fill(b'a');
    fs::write(&iso, bytes).unwrap();
    let checked = check(PROGRAM, [&iso]);
    assert_eq!(checked.target()["source"], "image");
    assert_eq!(checked.layer("iso9660")["kind"], "filesystem");
}

#[test]
fn a_text_over_the_limit_is_refused_unread() {
    let log = Disk::new("log", 0);
    fs::write(log.path(), "a line of a log\n".repeat(5 << 20)).unwrap();
    let output = run(&[text(log.path()), "--json"]);
    assert_eq!(output.status.code(), Some(65));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["targets"][0]["error"]["kind"], "too-large");
}
