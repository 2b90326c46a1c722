//! `cryptsetup luksDump` and `status`, `dmsetup table` and `info`.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use ioalign_core::{Bytes, Kind};
use ioalign_inspect::captures::Text;
use ioalign_inspect::host::DevNo;
use ioalign_inspect::host::dm::table::parse_listing;
use ioalign_inspect::volumes::{Detail, VolumeMember};

use super::{command, fixture, member, only, oracle, pasted, said, said_of, sparse, superblock};
use crate::tools::run;

fn format(path: &Path, options: &[&str]) {
    let mut child = command("cryptsetup")
        .args([
            "luksFormat",
            "--batch-mode",
            "--pbkdf-force-iterations",
            "1000",
        ])
        .args(options)
        .arg(path)
        .arg("-")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"secret").unwrap();
    assert!(child.wait().unwrap().success(), "cryptsetup {options:?}");
}

fn sector(member: &VolumeMember) -> Bytes {
    match &member.detail {
        Detail::Crypt { sector } => *sector,
        other => panic!("{other:?}"),
    }
}

fn same(text: &VolumeMember, bytes: &VolumeMember) {
    assert_eq!(
        (text.kind, &text.set, &text.name),
        (bytes.kind, &bytes.set, &bytes.name)
    );
    assert_eq!(
        (text.data_start, sector(text)),
        (bytes.data_start, sector(bytes))
    );
    assert_eq!(text.facts["cipher"], bytes.facts["cipher"]);
}

#[test]
fn luksdump_says_what_the_header_says() {
    needs!(Packages);
    for options in [
        &["--type", "luks1"][..],
        &["--type", "luks1", "--align-payload", "1032"],
        &["--type", "luks2", "--pbkdf", "pbkdf2"],
        &[
            "--type",
            "luks2",
            "--pbkdf",
            "pbkdf2",
            "--sector-size",
            "4096",
            "--label",
            "vault",
        ],
        &["--type", "luks2", "--pbkdf", "pbkdf2", "--offset", "40968"],
    ] {
        let (_folder, path) = sparse(48 << 20);
        format(&path, options);
        let text = run(command("cryptsetup").arg("luksDump").arg(&path));
        let bytes = superblock(&path);
        let ticket = pasted(&format!("cryptsetup luksDump {}", path.display()), &text);
        same(member(&said(&ticket), path.to_str().unwrap()), &bytes);
        // Alone, the text does not name its device, unless the file that it came in does.
        let about = Text::new(text.as_bytes()).about("/dev/sda2");
        let name = if text.contains(" for ") {
            path.to_str().unwrap()
        } else {
            "sda2"
        };
        same(member(&said_of(&about), name), &bytes);
    }
}

#[test]
fn dumps_of_a_bundle_are_named_by_their_files() {
    needs!(Fixtures);
    let mut text = String::new();
    for device in ["vda1", "vdb1"] {
        text.push_str(&format!(
            "==> sos_commands/block/cryptsetup_luksDump_.dev.{device} <==\n"
        ));
        text.push_str(&oracle("luks2", &format!("luksDump-{device}.txt")));
    }
    let evidence = said(&text);
    for (device, start, size) in [("vda1", 16_777_728, 512), ("vdb1", 16_777_216, 4096)] {
        let found = member(&evidence, device);
        let bytes = superblock(&fixture("luks2").join("dev").join(device));
        same(found, &bytes);
        assert_eq!((found.data_start.get(), sector(found).get()), (start, size));
    }
}

#[test]
fn status_tells_the_device_below() {
    for (offset, size) in [
        ("32768 sectors", "161792 sectors"),
        (
            "32768 [512-byte units] (16777216 [bytes])",
            "161792 [512-byte units] (82837504 [bytes])",
        ),
    ] {
        let text = format!(
            "/dev/mapper/secret is active and is in use.\n  type:    LUKS2\n  cipher:  aes-xts-plain64\n  \
             keysize: 512 bits\n  key location: keyring\n  device:  /dev/vdb1\n  sector size:  4096\n  \
             offset:  {offset}\n  size:    {size}\n  mode:    read/write\n"
        );
        let evidence = said(&pasted("cryptsetup status secret", &text));
        let below = member(&evidence, "vdb1");
        assert_eq!(
            (below.data_start.get(), sector(below).get()),
            (16 << 20, 4096)
        );
        let mapped = only(&evidence, "mapper/secret", |_| true);
        assert_eq!(
            (mapped.kind, mapped.parents.as_slice()),
            (Some(Kind::Crypt), &["vdb1".to_owned()][..])
        );
        assert_eq!(mapped.size.unwrap().low, 161_792 * 512);
    }
}

#[test]
fn tables_stand_as_they_are_but_for_keys() {
    needs!(Fixtures);
    for machine in ["luks2", "lvm-segments", "lvm-on-63"] {
        let text = oracle(machine, "dmsetup-table.txt");
        let evidence = said(&pasted("dmsetup table", &text));
        assert_eq!(parse_listing(&evidence.dm_table), parse_listing(&text));
        assert!(!evidence.dm_table.contains(":logon:"));
    }
    let one = said("# dmsetup table vg-lv\n0 8192 linear 8:1 2048\n8192 4096 linear 8:17 2048\n");
    assert_eq!(parse_listing(&one.dm_table)["vg-lv"].len(), 2);
}

#[test]
fn info_gives_numbers_their_names() {
    let text = "Name             Maj Min Stat Open Targ Event  UUID\n\
                vg-data          252   3 L--w    1    1      0 LVM-abc\n\
                secret           252   0 L--w    0    1      0\n";
    let evidence = said(text);
    let found = only(&evidence, "mapper/vg-data", |_| true);
    assert_eq!(found.devno, DevNo::parse("252:3"));
    assert_eq!(found.dm_uuid.as_deref(), Some("LVM-abc"));
    assert_eq!(
        only(&evidence, "mapper/secret", |_| true).devno,
        DevNo::parse("252:0")
    );
    for line in ["vg-data\t(254:3)\n", "vg-data\t(254, 3)\n"] {
        let evidence = said(line);
        assert_eq!(
            only(&evidence, "mapper/vg-data", |_| true).devno,
            DevNo::parse("254:3")
        );
    }
}
