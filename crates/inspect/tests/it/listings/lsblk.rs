//! lsblk in its three forms, of this machine and of machines with more in them.

use std::process::Command;

use ioalign_core::{Kind, Role};
use ioalign_inspect::captures::{Number, TextEvidence};
use ioalign_inspect::host::hints::Transport;

use super::{at, read, said};
use crate::tools::run;

const COLUMNS: &str =
    "NAME,KNAME,PKNAME,TYPE,START,SIZE,ALIGNMENT,MIN-IO,OPT-IO,PHY-SEC,LOG-SEC,ROTA";

fn lsblk(args: &[&str]) -> TextEvidence {
    let text = run(Command::new("lsblk").args(args));
    let evidence = read(&text);
    assert_eq!(evidence.read.len(), 1, "{text}");
    evidence
}

#[test]
fn this_machine_in_all_forms() {
    let forms = [
        lsblk(&["-b", "-J", "-o", COLUMNS]),
        lsblk(&["-b", "-P", "-o", COLUMNS]),
        lsblk(&["-b", "-y", "-P", "-o", COLUMNS]),
        lsblk(&["-b", "-o", COLUMNS]),
        lsblk(&["-b", "-r", "-o", COLUMNS]),
        lsblk(&["-b", "-i", "-o", COLUMNS]),
        lsblk(&["-b", "-J", "-O"]),
        lsblk(&["-b", "-P", "-O"]),
    ];
    for other in &forms[1..] {
        let of = |evidence: &TextEvidence| {
            let all = evidence.devices.iter();
            let facts = all.map(|said| {
                let claims = said.claims.clone().unwrap_or_default();
                let limits = (
                    claims.logical,
                    claims.physical,
                    claims.minimum,
                    claims.optimal,
                );
                (
                    said.name.clone(),
                    said.start,
                    said.size,
                    said.alignment_offset,
                    limits,
                )
            });
            let mut facts: Vec<_> = facts.collect();
            facts.sort_by(|a, b| a.0.cmp(&b.0));
            facts
        };
        assert_eq!(of(&forms[0]), of(other));
    }
    let table = lsblk(&["-t"]);
    assert_eq!(table.devices.len(), forms[0].devices.len());
}

#[test]
fn an_old_sosreport_without_start_becomes_one_with_blockdev() {
    // A35: util-linux 2.37 has MIN_IO and no START.
    let pairs = "NAME=\"sda\" KNAME=\"sda\" PATH=\"/dev/sda\" MAJ_MIN=\"8:0\" FSTYPE=\"\" MOUNTPOINT=\"\" \
        SIZE=\"465.8G\" TYPE=\"disk\" ALIGNMENT=\"0\" MIN_IO=\"4096\" OPT_IO=\"33553920\" \
        PHY_SEC=\"4096\" LOG_SEC=\"512\" ROTA=\"1\" PKNAME=\"\" TRAN=\"usb\" VENDOR=\"WD      \" MODEL=\"Elements_25A2\"\n\
        NAME=\"sda1\" KNAME=\"sda1\" PATH=\"/dev/sda1\" MAJ_MIN=\"8:1\" FSTYPE=\"ext4\" MOUNTPOINT=\"/mnt\" \
        SIZE=\"465.8G\" TYPE=\"part\" ALIGNMENT=\"512\" MIN_IO=\"4096\" OPT_IO=\"33553920\" \
        PHY_SEC=\"4096\" LOG_SEC=\"512\" ROTA=\"1\" PKNAME=\"sda\" TRAN=\"\" VENDOR=\"\" MODEL=\"\"\n";
    let evidence = read(pairs);
    assert_eq!(evidence.read, ["lsblk -P"]);
    let part = said(&evidence, "sda1");
    assert_eq!((part.start, part.kind), (None, Some(Kind::Partition)));
    assert_eq!(
        (part.alignment_offset, part.mounted.as_deref()),
        (Some(512), Some("/mnt"))
    );
    assert_eq!(part.filesystem.as_ref().unwrap().kind, "ext4");
    let claims = said(&evidence, "sda").claims.clone().unwrap();
    assert_eq!(claims.optimal, Some(33_553_920));
    assert_eq!(
        (claims.transport, claims.rotational),
        (Transport::Usb, Some(true))
    );
    assert_eq!((claims.vendor.as_str(), claims.minimum), ("WD", Some(4096)));
    let report = "RO    RA   SSZ   BSZ   StartSec            Size   Device\n\
        rw  8192   512  4096          0    500107862016   /dev/sda\n\
        rw  8192   512  4096       2048    500105217024   /dev/sda1\n";
    let evidence = read(&format!("{pairs}\n{report}"));
    assert_eq!(evidence.read, ["lsblk -P", "blockdev --report"]);
    let starts: Vec<_> = evidence
        .devices
        .iter()
        .filter_map(|said| said.start)
        .collect();
    assert_eq!(starts, [Number::exact(1 << 20)]);
}

#[test]
fn pairs_may_be_wrapped() {
    let line = "NAME=\"sda\" KNAME=\"sda\" TYPE=\"disk\" MIN-IO=\"512\" MODEL=\"Some Disk Model\" START=\"\"\n\
                NAME=\"sda1\" KNAME=\"sda1\" TYPE=\"part\" MIN-IO=\"512\" MODEL=\"\" START=\"63\"\n";
    let broken = line
        .replace("\" TYPE", "\"\nTYPE")
        .replace("Disk Model", "Disk\nModel");
    for text in [line, &broken] {
        let evidence = read(text);
        assert_eq!(evidence.devices.len(), 2, "{text}");
        assert_eq!(said(&evidence, "sda1").start, at(63));
        assert_eq!(said(&evidence, "sda1").parents, ["sda"]);
    }
}

#[test]
fn a_tree_with_an_array_and_volumes() {
    let text = "NAME            ALIGNMENT MIN-IO   OPT-IO PHY-SEC LOG-SEC ROTA SCHED RQ-SIZE   RA WSAME\n\
        sda                     0   4096        0    4096     512    1 bfq        64  128    0B\n\
        ├─sda1                  0   4096        0    4096     512    1 bfq        64  128    0B\n\
        └─sda2               3072   4096        0    4096     512    1 bfq        64  128    0B\n  \
        └─md0                -1  65536   131072    4096     512    1            128  512    0B\n    \
        ├─vg-root           0  65536   131072    4096     512    1            128  512    0B\n    \
        └─vg-var           -1  65536   131072    4096     512    1            128  512    0B\n\
        sdb                     0   4096        0    4096     512    1 bfq        64  128    0B\n\
        └─sdb1                  0   4096        0    4096     512    1 bfq        64  128    0B\n  \
        └─md0                -1  65536   131072    4096     512    1            128  512    0B\n    \
        ├─vg-root           0  65536   131072    4096     512    1            128  512    0B\n    \
        └─vg-var           -1  65536   131072    4096     512    1            128  512    0B\n";
    let ascii = text.replace("├─", "|-").replace("└─", "`-");
    for text in [text, &ascii] {
        let evidence = read(text);
        assert_eq!(evidence.devices.len(), 8);
        assert_eq!(said(&evidence, "md0").parents, ["sda2", "sdb1"]);
        assert_eq!(said(&evidence, "md0").kind, Some(Kind::Md));
        assert_eq!(said(&evidence, "mapper/vg-root").parents, ["md0"]);
        assert_eq!(said(&evidence, "mapper/vg-var").alignment_offset, Some(-1));
        assert_eq!(
            said(&evidence, "md0")
                .claims
                .as_ref()
                .unwrap()
                .alignment_offset,
            -1
        );
        assert_eq!(said(&evidence, "sda2").alignment_offset, Some(3072));
        assert_eq!(said(&evidence, "sda2").parents, ["sda"]);
        let claims = said(&evidence, "mapper/vg-root").claims.clone().unwrap();
        assert_eq!(
            (claims.minimum, claims.optimal),
            (Some(65536), Some(131_072))
        );
    }
}

#[test]
fn json_of_many_versions() {
    let old = r#"$ lsblk -J -o NAME,TYPE,SIZE,MIN-IO,MOUNTPOINT
{
   "blockdevices": [
      {"name": "sda", "type": "disk", "size": "8G", "min-io": "512", "mountpoint": null,
         "children": [
            {"name": "sda1", "type": "part", "size": "8G", "min-io": "512", "mountpoint": "[SWAP]", "fstype": "swap"}
         ]
      }
   ]
}
$ exit"#;
    let evidence = read(old);
    assert_eq!(
        said(&evidence, "sda").claims.as_ref().unwrap().minimum,
        Some(512)
    );
    assert_eq!(said(&evidence, "sda1").role, Some(Role::Swap));
    let size = said(&evidence, "sda").size.unwrap();
    assert!(size.low < 8 << 30 && size.high > 8 << 30);
    let new = r#"{"blockdevices": [{"NAME":"nvme0n1","TYPE":"disk","LOG-SEC":4096,"MOUNTPOINTS":[null],
        "children":[{"NAME":"nvme0n1p1","TYPE":"part","START":2048,"LOG-SEC":4096,"MOUNTPOINTS":["/boot","/efi"],
        "PARTTYPE":"c12a7328-f81f-11d2-ba4b-00a0c93ec93b",
        "children":[{"NAME":"luks-1","KNAME":"dm-0","TYPE":"crypt","children":[{"NAME":"vg-lv","KNAME":"dm-1","TYPE":"lvm"}]}]}]}]}"#;
    let evidence = read(new);
    let part = said(&evidence, "nvme0n1p1");
    // START counts 512-byte units on a 4Kn disk too.
    assert_eq!((part.start, part.sector.unwrap().get()), (at(2048), 4096));
    assert_eq!(
        (part.role, part.mounted.as_deref()),
        (Some(Role::Esp), Some("/boot"))
    );
    assert_eq!(said(&evidence, "mapper/luks-1").kind, Some(Kind::Crypt));
    assert_eq!(said(&evidence, "mapper/vg-lv").parents, ["mapper/luks-1"]);
}

#[test]
fn inverse_trees_are_turned_round() {
    let text = "NAME      TYPE  START MOUNTPOINTS\nvg-lv     lvm         /\n\
        └─sda2    part 409600\n  └─sda   disk\n";
    let evidence = read(text);
    assert_eq!(said(&evidence, "mapper/vg-lv").parents, ["sda2"]);
    assert_eq!(said(&evidence, "sda2").parents, ["sda"]);
    assert_eq!(said(&evidence, "sda2").start, at(409_600));
    assert!(said(&evidence, "sda").parents.is_empty());
}

#[test]
fn zones_and_bcache() {
    let text = "NAME=\"sdc\" TYPE=\"disk\" ZONED=\"host-managed\" ZONE-SZ=\"256M\" LOG-SEC=\"4096\"\n\
                NAME=\"bcache0\" TYPE=\"disk\" PKNAME=\"sdc\" LOG-SEC=\"512\"\n";
    let evidence = read(text);
    assert_eq!(
        said(&evidence, "sdc").claims.as_ref().unwrap().chunk,
        Some(256 << 20)
    );
    assert_eq!(said(&evidence, "bcache0").kind, Some(Kind::Bcache));
    assert_eq!(said(&evidence, "bcache0").parents, ["sdc"]);
}
