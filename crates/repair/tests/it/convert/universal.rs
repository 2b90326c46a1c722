//! A GPT for sectors of 512 and one for 4096 on one disk, as partitioners and the kernel read them.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use ioalign_repair::convert::{
    self, Conversion, ConversionAnswer, ConversionWish, from_for_both, has_both,
};
use ioalign_repair::{Disk, Error};
use ioalign_testkit::device::Loop;

use super::{answered, blank, done_in_place, shell};
use crate::image;

const GPT: &str = "label: gpt\nlabel-id: 0B7A1F5E-11D4-4C0B-9B1B-6D3A0C6F0E01\n\
    start=2048, size=32768, type=U, name=\"EFI system\", uuid=4D1B4C5D-0000-4000-8000-0000000000A1\n\
    start=34816, size=20480, type=L, name=\"root\", attrs=\"LegacyBIOSBootable,GUID:63\"\n";

fn wish(from: u64, may_grow: bool) -> ConversionWish {
    ConversionWish {
        from,
        to: 4096,
        both: true,
        may_grow,
    }
}

/// An ESP of small sectors with a file, and an ext4 of 4 KiB blocks.
fn filled(path: &Path, bytes: u64) {
    blank(path, bytes);
    image::partition(path, 512, GPT);
    let fill = "truncate --size 16M \"$1.f\"; mkfs.fat -s 1 \"$1.f\" >&2; seq 1 30000 > \"$1.t\"; mcopy -i \"$1.f\" \"$1.t\" ::/FILE
        truncate --size 10M \"$1.e\"; mkfs.ext4 -q -b 4096 \"$1.e\"
        dd if=\"$1.f\" of=\"$1\" bs=1M seek=1 conv=notrunc status=none; dd if=\"$1.e\" of=\"$1\" bs=1M seek=17 conv=notrunc status=none";
    shell(fill, &[path]);
}

fn planned(path: &Path, may_grow: bool) -> Result<Conversion, Error> {
    let mut disk = crate::image::opened(path);
    let from = from_for_both(&mut disk)?;
    answered(&mut disk, wish(from, may_grow))
}

/// The partitions in bytes, as a program reads them in sectors of this size.
type Seen = BTreeMap<&'static str, String>;

/// What partitioners and the kernel read from a disk of these sectors; each of them has to find nothing wrong.
fn seen(path: &Path, unit: u64) -> Seen {
    // No disk ends inside a sector.
    let size = std::fs::metadata(path).unwrap().len();
    let whole = (size - size % unit).to_string();
    let device = Loop::new(
        path,
        &["--sector-size", &unit.to_string(), "--sizelimit", &whole],
    );
    let read = |script: &str| shell(script, &[device.path()]);
    assert!(read("sgdisk --verify \"$1\"").contains("No problems found"));
    assert!(read("sfdisk --verify \"$1\" 2>&1").contains("No errors detected"));
    let in_bytes = format!("awk '{{ print $1, $2 * {unit}, $3 * {unit} }}'");
    let sfdisk = "sfdisk --dump \"$1\" | sed -n 's/.*p\\([0-9]*\\) : start= *\\([0-9]*\\), size= *\\([0-9]*\\),.*/\\1 \\2 \\3/p'";
    let sgdisk = "sgdisk --print \"$1\" | awk '/^ +[0-9]/ { print $1, $2, $3 - $2 + 1 }'";
    let parted = "parted --script --machine \"$1\" unit B print | tr -d B | awk -F: '/^[0-9]+:/ { print $1, $2, $4 }'";
    let kernel = "partx --update \"$1\" >/dev/null || partx --add \"$1\"; d=/sys/block/${1#/dev/}
        for p in $d/*p[0-9]*; do echo $(cat $p/partition) $(($(cat $p/start) * 512)) $(($(cat $p/size) * 512)); done";
    // It shows a table where it has something to look for: a partition that is there.
    let repart = "d=$(mktemp -d); trap 'rm -rf $d' EXIT; printf '[Partition]\\nType=linux-generic\\n' >$d/a.conf
        systemd-repart --dry-run=yes --definitions=$d --json=short --no-pager \"$1\" 2>/dev/null | tr '}' '\\n' |
        sed -n 's/.*p\\([0-9]*\\)\",\"offset\":\\([0-9]*\\),\"old_size\":\\([0-9]*\\),.*/\\1 \\2 \\3/p' | sort -n";
    let names = "sfdisk --dump \"$1\" | grep -o 'type=.*'";
    [
        ("sfdisk", read(&format!("{sfdisk} | {in_bytes}"))),
        ("sgdisk", read(&format!("{sgdisk} | {in_bytes}"))),
        ("parted", read(parted)),
        ("kernel", read(kernel)),
        ("systemd-repart", read(repart)),
        ("names", read(names)),
        (
            "file",
            read("MTOOLS_SKIP_CHECK=1 mcopy -i \"$1@@1M\" ::/FILE - | md5sum"),
        ),
    ]
    .into_iter()
    .collect()
}

fn bytes(path: &Path, at: u64, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    File::open(path)
        .unwrap()
        .read_exact_at(&mut bytes, at)
        .unwrap();
    bytes
}

fn write(path: &Path, at: u64, bytes: &[u8]) {
    let file = File::options().write(true).open(path).unwrap();
    file.write_all_at(bytes, at).unwrap();
}

/// Lengths of whole sectors of 4096, and of 1, 4 and 7 sectors of 512 more, which nothing may be added to.
#[test]
fn every_program_reads_the_same_partitions_from_both_sectors() {
    needs!(Packages, Root);
    for more in [0, 1, 4, 7] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("disk.img");
        let size = (40 << 20) + more * 512;
        filled(&path, size);
        let small = seen(&path, 512);
        let root = bytes(&path, 17 << 20, 10 << 20);
        let plan = planned(&path, false).unwrap();
        assert_eq!((plan.bytes, plan.moves.len()), (size, 0));
        done_in_place(&path, plan);
        let one = seen(&path, 512);
        assert_eq!(one["sfdisk"], "1 1048576 16777216\n2 17825792 10485760\n");
        for program in ["sgdisk", "parted", "kernel", "systemd-repart"] {
            assert_eq!(
                one[program], one["sfdisk"],
                "{program} with {more} sectors more"
            );
        }
        assert_eq!(one, seen(&path, 4096), "{more}");
        assert_eq!(one, small, "{more}");
        assert!(
            bytes(&path, 17 << 20, 10 << 20) == root,
            "the root file system is unchanged"
        );
        let mut disk = crate::image::opened(&path);
        assert!(has_both(&mut disk));
        let again = convert::plan(&mut disk, wish(512, false)).unwrap();
        assert!(matches!(again, ConversionAnswer::Nothing), "{again:?}");
    }
}

/// From a table for 4096 it becomes what it becomes from one for 512; after damage to one table as well.
#[test]
fn either_table_leads_to_the_same_bytes() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    filled(&path, 40 << 20);
    let large = folder.path().join("large.img");
    std::fs::copy(&path, &large).unwrap();
    super::convert_in_place(&large, 512, 4096);
    done_in_place(&path, planned(&path, true).unwrap());
    let from_large = planned(&large, true).unwrap();
    assert_eq!(from_large.from, 4096);
    done_in_place(&large, from_large);
    let both = std::fs::read(&path).unwrap();
    let head = 2 << 20;
    assert!(both[..head] == std::fs::read(&large).unwrap()[..head]);
    assert!(both == std::fs::read(&large).unwrap());
    // Headers and entries of both copies: each is made again from the other table.
    let end = 40 << 20;
    for at in [
        520,
        4104,
        8200,
        24600,
        end - 36864,
        end - 20480,
        end - 4088,
        end - 504,
    ] {
        write(&path, at, b"damage");
        assert!(!has_both(&mut crate::image::opened(&path)), "{at}");
        done_in_place(&path, planned(&path, true).unwrap());
        assert!(std::fs::read(&path).unwrap() == both, "{at}");
    }
}

#[test]
fn tables_that_disagree_are_not_chosen_from() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    filled(&path, 40 << 20);
    done_in_place(&path, planned(&path, true).unwrap());
    let both = std::fs::read(&path).unwrap();
    shell("sgdisk --delete=2 \"$1\" >&2", &[&path]);
    let refused = planned(&path, true).unwrap_err().to_string();
    assert!(
        refused.contains("name different places") && refused.contains("--sector-size 512"),
        "{refused}"
    );
    let mut disk = crate::image::opened(&path);
    let right = answered(&mut disk, wish(4096, true)).unwrap();
    drop(disk);
    done_in_place(&path, right);
    assert!(std::fs::read(&path).unwrap() == both);
}

/// Tables at the old end of an image that became longer are taken away; partitions before the tables move.
#[test]
fn what_is_in_the_way_moves_or_is_refused() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    filled(&path, 40 << 20);
    done_in_place(&path, planned(&path, true).unwrap());
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(60 << 20)
        .unwrap();
    done_in_place(&path, planned(&path, true).unwrap());
    assert!(
        bytes(&path, (40 << 20) - 65536, 65536)
            .iter()
            .all(|byte| *byte == 0)
    );
    assert!(has_both(&mut crate::image::opened(&path)));
    // A first stage of a board behind the table.
    filled(&path, 40 << 20);
    write(&path, 30 << 10, b"eGON");
    let refused = planned(&path, true).unwrap_err().to_string();
    assert!(
        refused.contains("something else is at byte 30720"),
        "{refused}"
    );
    blank(&path, 32 << 20);
    image::partition(
        &path,
        512,
        "label: gpt\nfirst-lba: 34\nstart=34, size=2000, type=S\n",
    );
    shell(
        "truncate --size 1024000 \"$1.s\"; mkswap \"$1.s\" >&2; dd if=\"$1.s\" of=\"$1\" bs=512 seek=34 conv=notrunc status=none",
        &[&path],
    );
    let plan = done_in_place(&path, planned(&path, true).unwrap());
    assert_eq!(
        (plan.moves.len(), plan.partitions[0].new.start),
        (1, 1 << 20)
    );
    blank(&path, 32 << 20);
    image::partition(&path, 512, "label: dos\nstart=2048, size=2000, type=82\n");
    let refused = planned(&path, true).unwrap_err().to_string();
    assert!(
        refused.contains("an MBR counts in sectors of one size")
            && refused.contains("sgdisk --mbrtogpt"),
        "{refused}"
    );
}

#[test]
fn what_lives_in_one_of_the_sectors_alone_is_refused() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    for (make, why) in [
        ("mkfs.ext4 -q -b 1024 \"$1.p\"", "block of 1024 bytes"),
        ("mkfs.xfs -q -s size=512 \"$1.p\"", "sector of 512 bytes"),
        (
            "mkfs.ntfs -q -F -s 512 \"$1.p\" >&2",
            "made for sectors of 512 bytes",
        ),
        (
            "mkfs.ntfs -q -F -s 4096 \"$1.p\" >&2",
            "made for sectors of 4096 bytes",
        ),
        ("mkfs.exfat \"$1.p\" >&2", "exFAT has a sector of 512 bytes"),
        ("head -c 512 /dev/urandom > \"$1.p\"", "content is unknown"),
    ] {
        blank(&path, 330 << 20);
        image::partition(&path, 512, "label: gpt\nstart=2048, size=655360, type=L\n");
        let script = format!(
            "rm -f \"$1.p\"; truncate --size 320M \"$1.p\"; {make}; dd if=\"$1.p\" of=\"$1\" bs=1M seek=1 conv=notrunc,sparse status=none"
        );
        shell(&script, &[&path]);
        let plan = planned(&path, true).unwrap();
        let refusal = plan
            .refusal(|_| false)
            .unwrap_or_else(|| panic!("{why}"))
            .to_string();
        assert!(refusal.contains(why), "{refusal}");
    }
    assert_eq!(crate::image::opened(&path).logical_bytes(), 512);
}
