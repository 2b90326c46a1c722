//! Names from disks are untrusted: what they contain acts on no terminal and no browser.

use std::ffi::OsString;
use std::path::Path;

use ioalign_testkit::Disk;
use ioalign_testkit::gpt::{self, LINUX};

use super::watched;
use crate::PROGRAM;

const EVIL: &str = "\u{1b}[2J\u{7}<img src=x onerror=1>\u{202e}\u{9b}31m";

/// A table whose one partition is called `name`, with right checksums.
fn named(name: &str) -> Disk {
    let disk = Disk::new("names.img", 64 << 20);
    gpt::write(&disk, 512, &[(LINUX, 63, 4096)]);
    let units: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(units.len() <= 72);
    let (sectors, last) = ((64 << 20) / 512, (64 << 20) / 512 - 1);
    for (array, header) in [(2, 1), (sectors - 33, last)] {
        disk.write(array * 512 + 56, &units);
        let crc = crc32fast::hash(&disk.read(array * 512, 128 * 128));
        disk.write(header * 512 + 88, &crc.to_le_bytes());
        disk.write(header * 512 + 16, &[0; 4]);
        let crc = crc32fast::hash(&disk.read(header * 512, 92));
        disk.write(header * 512 + 16, &crc.to_le_bytes());
    }
    disk
}

fn render(path: &Path, format: &str) -> String {
    let words = ["check", "--format", format, "-v"].map(OsString::from);
    let run = watched(Path::new(PROGRAM), [&words[..], &[path.into()]].concat());
    assert_eq!(run.code, 1, "{}", run.stderr);
    run.stdout
}

/// What a terminal would obey.
fn acts(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t')) || ('\u{202a}'..='\u{202e}').contains(&c)
}

#[test]
fn terminal_escapes_in_a_partition_name() {
    needs!(Packages);
    let disk = named(EVIL);
    for format in ["text", "json"] {
        let out = render(disk.path(), format);
        assert!(!out.contains(acts), "{format}: {out:?}");
    }
    // JSON keeps the name as it is, escaped.
    let json: serde_json::Value = serde_json::from_str(&render(disk.path(), "json")).unwrap();
    let layers = json["targets"][0]["layers"].as_array().unwrap();
    assert!(layers.iter().any(|layer| layer["facts"]["label"] == EVIL));
}

#[test]
fn markup_in_a_partition_name() {
    needs!(Packages);
    let disk = named(EVIL);
    for format in ["html", "svg"] {
        let out = render(disk.path(), format);
        assert!(!out.contains("<img"), "{format}");
        assert!(!out.contains(acts), "{format}");
    }
}

#[test]
fn escapes_in_a_file_name() {
    needs!(Packages);
    let disk = named("x");
    let evil = disk.folder().join("\u{1b}]0;owned\u{7}.img");
    std::fs::rename(disk.path(), &evil).unwrap();
    let text = render(&evil, "text");
    assert!(!text.contains(acts), "{text:?}");
    let gone = disk.folder().join("gone\u{1b}[31m.img");
    let words = ["check".into(), gone.into_os_string()];
    let run = watched(Path::new(PROGRAM), words);
    assert_eq!(run.code, 65);
    assert!(
        !run.stdout.contains(acts) && !run.stderr.contains(acts),
        "{run:?}"
    );
}
