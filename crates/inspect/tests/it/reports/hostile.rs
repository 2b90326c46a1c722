//! Damaged, huge and foreign texts: every reader returns, says nothing of prose, and stays small.

use std::time::Duration;

use ioalign_inspect::captures::volumes::lvm::join;
use ioalign_inspect::captures::{FORMATS, Text, TextEvidence, read};
use ioalign_testkit::Random;

use super::{oracle, said};
use crate::tools::on_cpu;

/// Every format reads it, asked for or not.
fn survive(bytes: &[u8]) {
    let text = Text::new(bytes);
    let mut evidence = TextEvidence::default();
    for format in FORMATS {
        let _ = (format.sniff)(&text);
        let _ = read(&text, Some(format.name), &mut evidence);
    }
    join(&mut evidence);
}

/// Real outputs of every kind, and forms written by hand.
fn samples() -> Vec<String> {
    let mut all: Vec<String> = [
        ("lvm-segments", "lvs.txt"),
        ("lvm-segments", "pvs.txt"),
        ("lvm-segments", "vgcfg-vg"),
        ("lvm-segments", "dmsetup-table.txt"),
        ("md-raid10", "mdadm-E-vda1.txt"),
        ("md-raid1-0.90", "mdadm-E-vda1.txt"),
        ("md-ddf", "mdadm-E-vda.txt"),
        ("md-raid10", "mdadm-D-md0.txt"),
        ("md-raid10", "xfs_info-md0.txt"),
        ("luks2", "luksDump-vda1.txt"),
    ]
    .iter()
    .map(|(machine, file)| oracle(machine, file))
    .collect();
    all.extend(HAND.iter().map(|text| (*text).to_owned()));
    all
}

const HAND: [&str; 9] = [
    "md0 : active raid5 sdd1[4] sdc1[2] sdb1[1] sda1[0]\n 3139584 blocks super 1.2 level 5, 64k chunk, algorithm 2 [4/4]\n",
    "NVME Identify Namespace 1:\nnsze : 0x1bf\nnsfeat : 0x1a\nnlbaf : 1\nflbas : 0x1\nnpwg : 15\nlbaf 0 : ms:0 lbads:9 rp:0x2\nlbaf 1 : ms:0 lbads:12 rp:0x1 (in use)\n",
    "{\"report\":[{\"pv\":[{\"pv_name\":\"/dev/sda\",\"vg_name\":\"vg\",\"pe_start\":\"1048576B\"}]}]}\n",
    "  pool: tank\n NAME STATE READ WRITE CKSUM\n  tank ONLINE 0 0 0\n  sda ONLINE 0 0 0  block size: 512B configured, 4096B native\n",
    "vdev_tree:\n  children[0]:\n    ashift: 12\n    children[0]:\n      path: '/dev/sda1'\n",
    "mpatha (3600) dm-2 HP,HSV300\n`- 1:0:0:1 sdb 8:16 active\n",
    "Virtual Drive: 0 (Target Id: 0)\nRAID Level : Primary-5, Secondary-0\nStrip Size : 64 KB\nNumber Of Drives : 4\nSpan Depth : 1\n",
    "sd 6:0:0:0: [sdb] Optimal transfer size 33553920 bytes not a multiple of physical block size (4096 bytes)\n",
    "Filesystem volume name:   <none>\nFilesystem magic number:  0xEF53\nBlock count: 65536\nBlock size: 1024\nRAID stride: 16\n",
];

#[test]
fn truncated_texts_return() {
    needs!(Root, Fixtures);
    for sample in samples() {
        let step = (sample.len() / 30).max(1);
        for end in (0..sample.len()).step_by(step) {
            survive(&sample.as_bytes()[..end]);
        }
    }
}

#[test]
fn numbers_that_nothing_can_have_return() {
    let minfo = "filename=\"x\"\nsector size: 0 bytes\nreserved (boot) sectors: 1\nfats: 2\n\
                 max available root directory slots: 512\nsectors per fat: 6\n";
    survive(minfo.as_bytes());
    survive(b"  PV Name               /dev/sda\n  PE Size               0.0000001 KiB\n");
}

#[test]
fn damaged_texts_return() {
    needs!(Root, Fixtures);
    let samples = samples();
    let mut noise = Random(17);
    let words: [&[u8]; 8] = [
        b"18446744073709551615",
        b"99999999999999999999999",
        b"-1",
        b"0",
        b"\n",
        b"\xff\xfe",
        b"1e400",
        b"\xe2\x80\xaf",
    ];
    for _ in 0..600 {
        let mut bytes = samples[noise.below(samples.len())].clone().into_bytes();
        for _ in 0..=noise.below(4) {
            let at = noise.below(bytes.len());
            match noise.below(3) {
                0 => bytes[at] ^= 1 << noise.below(8),
                1 => {
                    let end = (at + noise.below(12)).min(bytes.len());
                    bytes.splice(at..end, words[noise.below(words.len())].iter().copied());
                }
                _ => {
                    let other = samples[noise.below(samples.len())].as_bytes();
                    let from = noise.below(other.len());
                    let end = (from + noise.below(200)).min(other.len());
                    bytes.splice(at..at, other[from..end].iter().copied());
                }
            }
        }
        survive(&bytes);
    }
}

#[test]
fn garbage_says_nothing() {
    let mut noise = Random(4);
    for _ in 0..200 {
        let bytes: Vec<u8> = (0..2000).map(|_| noise.next().to_le_bytes()[0]).collect();
        let mut evidence = TextEvidence::default();
        read(&Text::new(&bytes), None, &mut evidence).unwrap();
        assert!(evidence.read.is_empty());
    }
}

#[test]
fn prose_is_not_recognised() {
    let prose = "Hello, the disk /dev/sda: it is slow. LV and VG and PV are fine, see pvs and lvs.\n\
                 Name of the machine: box. Version: 2. Magic : none. NAME is a word. md0 : broken\n\
                 the block size: unknown. I ran mdadm -E /dev/sdb1 and it said nothing.\n\
                 Node is not a heading. fats, sector size, files. UUID: 1 Block size: 4096\n";
    assert_eq!(said(prose).read, Vec::<&str>::new());
}

/// Texts that would cost much to a careless reader.
#[test]
fn large_texts_are_read_in_time() {
    let begun = on_cpu();
    for (line, count) in [
        ("[{", 1 << 18),
        ("{\"a\":", 1 << 17),
        ("{\"\n", 1 << 14),
        ("  LV VG Attr LSize\n", 1 << 12),
        ("pv0 {\nid = \"x\"\nextent_size = 1\n", 1 << 12),
        ("vdev_tree:\n children[0]:\n", 1 << 12),
        ("/dev/sda: \n/dev/sdb:\n Magic : a92b4efc\n", 1 << 11),
        ("sd 6:0:0:0: [sdb] 4096-byte physical blocks\n", 1 << 11),
        ("LUKS header information\nVersion: 2\n", 1 << 11),
    ] {
        survive(line.repeat(count).as_bytes());
    }
    let mut rows = String::from("  PV VG Fmt 1st PE\n");
    let mut volumes = String::from("  LV VG Attr LSize PE Ranges\n");
    for n in 0..6_000 {
        rows.push_str(&format!("  /dev/sd{n} vg{n} lvm2 2048S\n"));
        volumes.push_str(&format!("  lv{n} vg -wi 4194304B /dev/sda:{n}-{n}\n"));
    }
    survive(rows.as_bytes());
    survive(volumes.as_bytes());
    let spent = on_cpu() - begun;
    assert!(spent < Duration::from_secs(40), "{spent:?}");
}
