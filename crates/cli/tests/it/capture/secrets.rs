//! What must not be in a bundle: planted, and looked for in every byte of it.

use std::path::Path;
use std::process::{Command, Stdio};

use ioalign_testkit::mbr;
use ioalign_testkit::run::{text, tool};
use ioalign_testkit::sysroot::{Sysroot, SysrootDisk};

use super::{Bundle, answer, assert_same, check_tree};

/// How many pieces of eight bytes of `secret` stand anywhere in `bytes`: a reader that looks for a magic
/// where there is none must not bring along what it has seen.
fn pieces_of(secret: &[u8], bytes: &[u8]) -> usize {
    let all: std::collections::HashSet<&[u8]> = bytes.windows(8).collect();
    let random = |piece: &&[u8]| piece.iter().filter(|byte| **byte == 0).count() < 4;
    let pieces = secret.chunks_exact(8).filter(random);
    pieces.filter(|piece| all.contains(piece)).count()
}

fn holds(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|part| part == wanted)
}

/// Runs cryptsetup with the passphrase on its standard input.
fn cryptsetup(arguments: &[&str], input: &str) {
    use std::io::Write;
    let mut child = Command::new("cryptsetup")
        .args(arguments)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("cryptsetup is needed for this test: {error}"));
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success(), "{arguments:?}");
}

/// A volume of 32 MiB made by cryptsetup, its bytes.
fn luks(folder: &Path, kind: &str) -> Vec<u8> {
    let path = folder.join(kind);
    std::fs::File::create(&path)
        .and_then(|file| file.set_len(32 << 20))
        .unwrap();
    let quick = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"];
    let format = ["luksFormat", "-q", "--type", kind];
    cryptsetup(
        &[&format, &quick[..], &[text(&path), "-"]].concat(),
        "a passphrase",
    );
    if kind == "luks2" {
        let token = r#"{"type":"planted","keyslots":[],"note":"PLANTED-TOKEN"}"#;
        cryptsetup(&["token", "import", text(&path)], token);
    }
    std::fs::read(path).unwrap()
}

/// A disk with the volume in its only partition.
fn disk_with(volume: &[u8]) -> Sysroot {
    let table = mbr::sector(&[(0x83, 2048, 65536)]);
    Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 18).limits(512, 4096, 4096, 0))
        .partition("sda", 1, 2048, 65536)
        .content("sda", 0, table)
        .content("sda", 1 << 20, volume)
        .content("sda1", 0, volume)
}

#[test]
fn no_key_of_a_luks2_volume() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let volume = luks(folder.path(), "luks2");
    let tree = disk_with(&volume);
    let bundle = Bundle::of(tree.path());
    let bytes = bundle.bytes();
    let end = volume[4096..].iter().position(|byte| *byte == 0).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&volume[4096..4096 + end]).unwrap();
    let secrets = [
        &json["keyslots"]["0"]["kdf"]["salt"],
        &json["digests"]["0"]["salt"],
        &json["digests"]["0"]["digest"],
        &json["tokens"]["0"]["note"],
    ];
    for secret in secrets {
        let secret = secret.as_str().unwrap().as_bytes();
        assert!(holds(&volume, secret), "it was there: {json:#}");
        assert!(!holds(&bytes, secret), "{json:#}");
    }
    let slot: usize = json["keyslots"]["0"]["area"]["offset"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    for field in [104..120, 448..464, slot..slot + 16] {
        assert!(
            volume[field.clone()].iter().any(|byte| *byte != 0),
            "{field:?}"
        );
        assert!(!holds(&bytes, &volume[field.clone()]), "{field:?}");
    }
    assert_eq!(pieces_of(&volume[slot..], &bytes), 0, "key material");
    same(&tree, &bundle);
}

#[test]
fn no_key_of_a_luks1_volume() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let volume = luks(folder.path(), "luks1");
    let tree = disk_with(&volume);
    let bundle = Bundle::of(tree.path());
    let bytes = bundle.bytes();
    // Digest of the master key, its salt, the salt of the first slot, and its key material.
    for field in [112..132, 132..164, 216..248, 4096..4112] {
        assert!(!holds(&bytes, &volume[field.clone()]), "{field:?}");
    }
    assert_eq!(pieces_of(&volume[592..], &bytes), 0, "key material");
    same(&tree, &bundle);
}

fn same(tree: &Sysroot, bundle: &Bundle) {
    let host = answer(&check_tree(tree.path(), &[]), tree.path());
    assert_same(&host, &answer(&bundle.check(), &bundle.file), "blanked");
    let crypt = |layer: &serde_json::Value| layer["kind"] == "crypt";
    assert!(
        host["layers"].as_array().unwrap().iter().any(crypt),
        "{host:#}"
    );
}

/// A host that is full of secrets (`PLANTED`) and serial numbers (`SERIALNO`).
fn talkative() -> Sysroot {
    let content = b"PLANTED content of a file. ".repeat(40_000);
    let mounts = "22 1 8:1 / / rw - fuseblk /dev/sda1 rw,password=PLANTED,user=PLANTED\n\
                  23 1 0:44 / /mnt rw - cifs //PLANTED/share rw,username=PLANTED,password=PLANTED\n";
    let table = "SERIALNO-3600508b4: 0 2048 linear {sda1} 0\n\
                 secret: 0 2048 crypt aes-xts-plain64 PLANTED 0 {sda1} 0\n";
    let tree = Sysroot::new()
        .disk(
            SysrootDisk::new("sda", 1 << 20)
                .limits(512, 4096, 4096, 0)
                .attr("device/serial", "SERIALNO-0001")
                .attr("device/wwid", "naa.SERIALNO-3600508b4")
                .attr("wwid", "naa.SERIALNO-3600508b4"),
        )
        .partition("sda", 1, 2048, 65536)
        .content("sda", 0, mbr::sector(&[(0x83, 2048, 65536)]))
        .content("sda", 512, &content[..400_000])
        .content("sda1", 0, &content)
        .dm(
            "dm-0",
            "SERIALNO-3600508b4",
            "mpath-SERIALNO-3600508b4",
            2048,
            &["sda1"],
        )
        .dm("dm-1", "secret", "CRYPT-PLAIN-secret", 2048, &["sda1"])
        .content("dm-0", 0, &content[..1 << 20])
        .tables(table);
    let number = tree.number("sda1");
    let udev = "E:ID_SERIAL=SERIALNO-0001\nE:ID_WWN=SERIALNO\nE:ID_FS_UUID=PLANTED\n\
                E:ID_PART_ENTRY_TYPE=0x83\nE:ID_PART_ENTRY_UUID=SERIALNO-0001\n";
    tree.file(&format!("run/udev/data/b{number}"), udev)
        .set("sda1", "uevent", "MAJOR=8\nPARTUUID=PLANTED\nPARTNAME=data")
        .file("proc/self/mountinfo", mounts)
        .file(
            "proc/cpuinfo",
            "processor\t: 0\nmodel name\t: A\nSerial\t\t: PLANTED\n",
        )
        .file("etc/my.cnf", "[client]\npassword=PLANTED\n")
        .file("sys/class/dmi/id/product_name", "A machine\n")
        .file("sys/class/dmi/id/product_serial", "PLANTED\n")
        .file("sys/class/net/eth0/address", "PLANTED\n")
        .file("etc/shadow", "PLANTED\n")
}

#[test]
fn nothing_that_was_planted_is_in_it() {
    let tree = talkative();
    let bundle = Bundle::of(tree.path());
    let bytes = bundle.bytes();
    for secret in [b"PLANTED".as_slice(), b"SERIALNO"] {
        let at = bytes.windows(secret.len()).position(|part| part == secret);
        let shown = at.map(|at| String::from_utf8_lossy(&bytes[at.saturating_sub(600)..at + 40]));
        assert!(at.is_none(), "{shown:?}");
    }
    assert_eq!(
        bundle.summary["replay"]["same"], true,
        "{:#}",
        bundle.summary
    );
    assert_eq!(
        bundle.check().verdict(),
        check_tree(tree.path(), &[]).verdict()
    );
    // The map keeps one name wherever it stands.
    let names: Vec<_> = bundle.check().target()["layers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|layer| layer["name"].as_str().unwrap().to_owned())
        .collect();
    assert!(
        names.iter().any(|name| name.starts_with("blanked-")),
        "{names:?}"
    );
}

#[test]
fn serial_numbers_stay_when_they_are_asked_for() {
    let tree = talkative();
    let bundle = Bundle::new(["--with-serials", "--sysroot", text(tree.path())]);
    let bytes = bundle.bytes();
    assert!(holds(&bytes, b"SERIALNO-0001") && !holds(&bytes, b"PLANTED"));
    let host = answer(&check_tree(tree.path(), &[]), tree.path());
    assert_same(
        &host,
        &answer(&bundle.check(), &bundle.file),
        "with serials",
    );
    let disk = bundle.check();
    assert_eq!(disk.layer("disk:sda")["facts"]["serial"], "SERIALNO-0001");
}

#[test]
fn files_of_a_file_system_stay_where_they_are() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let (image, source) = (folder.path().join("fs"), folder.path().join("source"));
    std::fs::create_dir(&source).unwrap();
    for n in 0..200 {
        std::fs::write(source.join(format!("{n}")), b"PLANTED ".repeat(5000)).unwrap();
    }
    std::fs::File::create(&image)
        .and_then(|file| file.set_len(32 << 20))
        .unwrap();
    tool(
        "mkfs.ext4",
        &["-q", "-F", "-d", text(&source), text(&image)],
    );
    let tree = disk_with(&std::fs::read(&image).unwrap());
    let bundle = Bundle::of(tree.path());
    assert!(!holds(&bundle.bytes(), b"PLANTED"));
    let host = answer(&check_tree(tree.path(), &[]), tree.path());
    assert_same(&host, &answer(&bundle.check(), &bundle.file), "ext4");
}
