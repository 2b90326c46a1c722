//! Cut, garbled and absurd texts: every format returns, in time, whatever it has to read.

use std::time::Duration;

use ioalign_inspect::captures::{FORMATS, Text, TextEvidence};
use ioalign_testkit::Random;

use crate::tools::on_cpu;

/// Pieces that the formats look for, and numbers at the edges.
const PIECES: &[&str] = &[
    "Disk /dev/sda: 8 GiB, 8589934592 bytes, 16777216 sectors\n",
    "Units = cylinders of 16065 * 512 = 8225280 bytes\n",
    "Units: sectors of 1 * 512 = 512 bytes\n",
    "Units = cylinders of 18446744073709551615 bytes, counting from 0\n",
    "Sector size (logical/physical): 512B/4096B\n",
    "Sector size (logical/physical): 512 bytes / 4096 bytes\n",
    "   Device Boot      Start         End      Blocks   Id  System\n",
    "/dev/sda1   *           1          13      104391+  83  Linux\n",
    "/dev/sda1 0 18446744073709551615 18446744073709551615 83 Linux\n",
    "/dev/sda1 18446744073709551615+ 18446744073709551615 1 1.5E 83 Linux\n",
    "Partition 1 does not start on physical sector boundary.\n",
    "Disk /dev/sda: 500GB\n",
    "Partition Table: gpt\n",
    "BYT;\n",
    "CYL;\n",
    "/dev/sda:1s:scsi:512:4096:gpt:x:;\n",
    "1:2048s:1050623s:1048576s:::;\n",
    "4294967295:4294967295:4294967295:1kB;\n",
    " 1      1049kB  500MB  499MB  primary\n",
    " 1  18446744073709551615s  1s 1s\n",
    " 1  99999999999999999999TB  1TB 1TB\n",
    "# partition table of /dev/sda\n",
    "/dev/sda1 : start=18446744073709551615, size=18446744073709551615, Id=83\n",
    "sector-size: 65536\n",
    "label: gpt\n",
    "RO    RA   SSZ   BSZ   StartSec            Size   Device\n",
    "rw 1 512 4096 18446744073709551615 18446744073709551615 /dev/sda1\n",
    "NAME ALIGNMENT MIN-IO START SIZE TYPE\n",
    "└─sda1 -1 18446744073709551615 18446744073709551615 99E part\n",
    "NAME=\"sda1\" START=\"18446744073709551615\" SIZE=\"16E\" ZONED=\"host-managed\" ZONE-SZ=\"15E\" LOG-SEC=\"0\"\n",
    "NAME=\"sda",
    "{\"blockdevices\":[{\"name\":\"sda\",\"start\":1,\"children\":[",
    "{\"partitiontable\":{\"partitions\":[{\"start\":18446744073709551615}]}}\n",
    "gpt\n",
    "1 1 1 18446744073709551615\n",
    "1 18446744073709551615 18446744073709551615 251 0\n",
    "* /dev/rdsk/c0t0d0s2 partition map\n",
    "* Partition  Tag  Flags    Sector     Count    Sector  Mount Directory\n",
    "0 2 00 18446744073709551615 18446744073709551615 1\n",
    "8 1 01 0 1 1\n",
    "Part      Tag    Flag     Cylinders        Size            Blocks\n",
    "Part      Tag    Flag     First Sector Size Last Sector\n",
    "0 root wm 18446744073709551615 - 18446744073709551615 1GB (1/0/0) 18446744073709551615\n",
    "0 usr wm 34 1GB 18446744073709551615\n",
    "=> 40 1 ada0 GPT\n",
    "18446744073709551615 18446744073709551615 1 freebsd-ufs\n",
    "start size index contents\n",
    "Name StartingOffset Size\n",
    "Disk #0, Partition #0 18446744073709551615 1\n",
    "StartingOffset=18446744073709551615\n",
    "  Partition ###  Type              Size     Offset\n",
    "Partition 1 Primary 18446744073709551615 TB 18446744073709551615 TB\n",
    "Partition 1 Primary 0 KB 0 B\n",
    "PartitionNumber  DriveLetter Offset Size Type\n",
    "1 C 18446744073709551615 1 TB Basic\n",
    "Bytes Per Sector : 4294967296\n",
    "Total Sectors : 18446744073709551615\n",
    "Partition alignment on device : (0xffffffffffffffffffff)\n",
    "Partition Starting Offset\t1 bytes\n",
    "Partition\tDisk #0, Partition #0\n",
    "Device Identifier: disk0s1\n",
    "Partition Offset: 1 Bytes\n",
    "Geom name: x\n",
    "1. Name: x\n",
    "offset: 1\n",
    "E: DEVNAME=/dev/sda1\n",
    "E: ID_PART_ENTRY_OFFSET=18446744073709551615\n",
    "<disk type='x'>",
    "<target dev='",
    "</disk>",
    "<blockio logical_block_size=\"",
    "major minor  #blocks  name\n",
    "8 1 18446744073709551615 sda1\n",
    "Device Partition Start Sector End Sector Type Size\n",
    "x 1 18446744073709551615 1 fb 18446744073709551615\n",
    "Number  Start (sector)    End (sector)  Size       Code  Name\n",
    "   1  18446744073709551615  18446744073709551615  1 EiB EF00 x\n",
    "Disk /dev/sda: 18446744073709551615 sectors, 1 EiB\n",
    "[{\"start\":18446744073709551615,\"length\":18446744073709551615,\"depth\":0,\"offset\":1}]\n",
    "{\"virtual-size\":-1}\n",
    "{\"ansible_devices\":{\"sda\":{\"partitions\":{\"sda1\":{\"start\":\"18446744073709551615\"}}}}}\n",
    "\n",
    " ",
    "\t",
    "é",
    "：",
    "，",
    "│ └─",
    "\"",
    "=",
    "{",
    "[",
    "0x",
    "1,2,3",
    "-1",
];

fn survive(text: &str) {
    let text = Text::new(text.as_bytes());
    for format in FORMATS {
        let _ = (format.sniff)(&text);
        let _ = (format.read)(&text, &mut TextEvidence::default());
    }
}

#[test]
fn pieces_in_any_order_return() {
    let mut random = Random(3);
    for _ in 0..1000 {
        let mut text = String::new();
        for _ in 0..random.below_u64(24) {
            let piece = PIECES[usize::try_from(random.below_u64(PIECES.len() as u64)).unwrap()];
            let cut = usize::try_from(random.below_u64(4 * piece.len() as u64)).unwrap();
            text += piece.get(..cut).unwrap_or(piece);
        }
        survive(&text);
    }
}

#[test]
fn every_piece_twice_and_all_of_them_return() {
    for piece in PIECES {
        survive(&piece.repeat(2));
    }
    survive(&PIECES.concat());
    let mut bytes = PIECES.concat().into_bytes();
    let mut random = Random(4);
    for _ in 0..120 {
        for _ in 0..20 {
            let at = usize::try_from(random.below_u64(bytes.len() as u64)).unwrap();
            bytes[at] ^= 1 << random.below_u64(8);
        }
        survive(&String::from_utf8_lossy(&bytes));
    }
}

/// Sixty formats read each text whole, in a debug build: what is quadratic takes minutes even so.
const LARGE: usize = 1 << 16;

#[test]
fn large_texts_take_no_quadratic_time() {
    let start = on_cpu();
    for piece in [
        "NAME=\"sda\" PKNAME=\"sdb\" MIN-IO=\"1\"\n",
        "NAME=\"a\n",
        "└─sda1 1 1 1 1 part\n",
        "{\"blockdevices\":[",
        "<disk <disk>=",
        "<disk a='b' c=",
        "/dev/sda1 1 2 3 83 Linux\n",
        "Partition 1 does not start on physical sector boundary.\n",
        "E: A=1\n",
        "A : 1\n",
        "/dev/sda1 1 2 3 83 Linux\nPartition 1 does not start on physical sector boundary.\n",
    ] {
        let mut text =
            "Disk /dev/sda: 8 GiB, 8589934592 bytes\nUnits: sectors of 1 * 512 = 512 bytes\n\
            Device Boot Start End Sectors\nNAME MIN-IO START SIZE X TYPE\n"
                .to_owned();
        text += &piece.repeat(LARGE / piece.len());
        survive(&text);
    }
    let lists = format!(
        "{{\"blockdevices\":[{}]}}",
        vec!["{\"name\":\"a\",\"pkname\":\"b\"}"; 5000].join(",")
    );
    survive(&lists);
    let wide = format!(
        "NAME MIN-IO {}\n{}",
        "A ".repeat(5000),
        "a   b ".repeat(2500)
    );
    survive(&wide.repeat(4));
    let spent = on_cpu() - start;
    assert!(spent < Duration::from_secs(20), "{spent:?}");
}

#[test]
fn devices_without_end_are_bounded() {
    let rows: String = (0..30_000)
        .map(|n| format!(" 8 {n} 1024 sd{n}\n"))
        .collect();
    let evidence = super::read(&format!("major minor  #blocks  name\n\n{rows}"));
    assert_eq!(evidence.devices.len(), 20_000);
    assert_eq!(evidence.remarks.len(), 1);
    assert!(size_of::<ioalign_inspect::captures::Said>() < 1500);
}
