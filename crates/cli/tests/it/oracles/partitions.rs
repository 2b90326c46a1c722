//! Partition tables: sfdisk, fdisk and parted on the same image files.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{CheckRun, Disk, mbr};
use serde_json::Value;

use super::{Random, code, of_kind, run, stdout};
use crate::check_image;

/// Number, start and size in sectors, type: one partition, as a tool lists it.
type Row = (u32, u64, u64, String);

/// What `sfdisk -J` lists.
fn sfdisk(image: &Path) -> Vec<Row> {
    let json: Value = serde_json::from_str(&tool("sfdisk", &["-J", text(image)])).unwrap();
    let list = json["partitiontable"]["partitions"].as_array().unwrap();
    let row = |entry: &Value| {
        let node = entry["node"].as_str().unwrap();
        let number = node.strip_prefix(text(image)).unwrap().parse().unwrap();
        let start = entry["start"].as_u64().unwrap();
        let kind = normal(entry["type"].as_str().unwrap());
        (number, start, entry["size"].as_u64().unwrap(), kind)
    };
    list.iter().map(row).collect()
}

/// What we list.
fn ours(checked: &CheckRun) -> Vec<Row> {
    let row = |layer: &&Value| {
        let number = layer["name"].as_str().unwrap()[1..].parse().unwrap();
        let size = layer["size_bytes"].as_u64().unwrap() / 512;
        let kind = normal(layer["facts"]["type"].as_str().unwrap());
        (number, layer["start_sectors"].as_u64().unwrap(), size, kind)
    };
    let mut rows: Vec<_> = of_kind(checked, "partition").iter().map(row).collect();
    rows.sort();
    rows
}

/// Types as both sides write them: `5` is `05`, GUIDs have capitals.
fn normal(kind: &str) -> String {
    match u8::from_str_radix(kind, 16) {
        Ok(number) => format!("{number:02x}"),
        Err(_) => kind.to_uppercase(),
    }
}

/// Writes a table with sfdisk, exactly as `script` says.
fn write(image: &Path, script: &str) {
    let mut child = Command::new("sfdisk")
        .args(["--quiet", "--force", text(image)])
        .stdin(Stdio::piped())
        .spawn()
        .expect("sfdisk is needed for this test");
    child
        .stdin
        .take()
        .unwrap()
        .write_all(script.as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success(), "{script}");
}

/// A disk with up to three primaries and an extended partition with up to eight logicals, at any
/// sector, each EBR one or more sectors before its partition.
fn dos_disk(random: &mut Random) -> Disk {
    const TYPES: [u8; 7] = [0x83, 0x07, 0x82, 0x0c, 0x8e, 0xfd, 0xfb];
    let sector = |n: u64| u32::try_from(n).unwrap();
    let disk = Disk::new("dos.img", 131_072 * 512);
    let mut table = Vec::new();
    let mut at = random.within(1, 4000);
    for _ in 0..random.within(0, 4) {
        let size = random.within(1, 9000);
        table.push((*random.pick(&TYPES), sector(at), sector(size)));
        at += size + random.within(0, 3000);
    }
    let first = at;
    table.push((
        *random.pick(&[0x05, 0x0f, 0x85]),
        sector(first),
        sector(131_000 - first),
    ));
    disk.write(0, &mbr::sector(&table));
    // Start of each EBR, of its partition behind it, size and type.
    let count = random.within(1, 9);
    let chain: Vec<_> = (0..count)
        .map(|_| {
            let (gap, size) = (random.within(1, 3000), random.within(1, 7000));
            let ebr = at;
            at += gap + size + random.within(0, 2000);
            (ebr, gap, size, *random.pick(&TYPES))
        })
        .collect();
    for (i, (ebr, gap, size, kind)) in chain.iter().enumerate() {
        let mut entries = vec![(*kind, sector(*gap), sector(*size))];
        // The link counts from the start of the extended partition, the data from their EBR.
        entries.extend(
            chain
                .get(i + 1)
                .map(|(next, gap, size, _)| (0x05, sector(next - first), sector(gap + size))),
        );
        disk.write(ebr * 512, &mbr::sector(&entries));
    }
    disk
}

fn gpt_script(random: &mut Random) -> String {
    const TYPES: [&str; 4] = [
        "0FC63DAF-8483-4772-8E79-3D69D8477DE4",
        "21686148-6449-6E6F-744E-656564454649",
        "E3C9E316-0B5C-4DB8-817D-F92DF00215AE",
        "E6D6D379-F507-44C2-A23C-238F2A3DF928",
    ];
    let mut script = "label: gpt\nfirst-lba: 34\n".to_owned();
    let mut at = random.within(34, 3000);
    for _ in 0..random.within(1, 12) {
        let (size, kind) = (random.within(1, 8000), random.within(0, 4));
        let kind = TYPES[usize::try_from(kind).unwrap()];
        script.push_str(&format!("start={at}, size={size}, type={kind}\n"));
        at += size + random.within(0, 2000);
    }
    script
}

#[test]
fn thirty_tables_read_as_sfdisk_reads_them() {
    needs!(Packages);
    let mut random = Random(2026);
    let mut logicals = 0;
    for round in 0..30 {
        let disk = if round % 3 == 2 {
            let disk = Disk::new("gpt.img", 131_072 * 512);
            write(disk.path(), &gpt_script(&mut random));
            disk
        } else {
            dos_disk(&mut random)
        };
        let checked = check_image(disk.path(), &[]);
        let mut theirs = sfdisk(disk.path());
        theirs.sort();
        assert_eq!(ours(&checked), theirs, "round {round}");
        if round % 3 != 2 {
            logicals += theirs.iter().filter(|row| row.0 > 4).count();
        }
    }
    assert!(logicals > 50, "{logicals} logical partitions were compared");
}

/// An EBR whose link leads back to itself. sfdisk follows it until a limit of its own and lists 58
/// partitions that are one; exit 0. The kernel stops as well, at 100.
#[test]
fn sfdisk_lists_58_partitions_where_there_is_one() {
    needs!(Packages);
    let disk = mbr::disk("loop.img", 64, &[(0x83, 63, 1000), (0x05, 2048, 100_000)]);
    disk.write(
        2048 * 512,
        &mbr::sector(&[(0x83, 2048, 4096), (0x05, 0, 8192)]),
    );
    let theirs = sfdisk(disk.path());
    // Two primaries and 56 logicals: it stops at its own limit of 60 numbers.
    assert_eq!(theirs.len(), 58, "{theirs:?}");
    let same = theirs
        .iter()
        .filter(|row| row.0 > 4)
        .all(|row| row.1 == 4096);
    assert!(same, "one partition, again and again: {theirs:?}");
    let checked = check_image(disk.path(), &[]);
    let ours = ours(&checked);
    assert_eq!(ours.iter().filter(|row| row.0 > 4).count(), 1);
    assert_eq!(checked.code, 65);
    checked.finding("ebr-loop", "loop.img");
}

/// parted's verdict on partition 1 by its exit code: 0 is aligned.
fn parted(image: &Path, kind: &str) -> i32 {
    code(&run(
        "parted",
        &["-s", text(image), "align-check", kind, "1"],
    ))
}

/// To parted an image file is a disk of 512-byte sectors: the topology of the disk that it will
/// run on is no input of it. So `min` passes everything, and `opt` asks for 1 MiB and nothing else.
#[test]
fn parted_sees_512_byte_sectors_in_every_file() {
    needs!(Packages);
    for (start, min, opt, verdict) in [
        (63, 0, 1, "misaligned"),
        (34, 0, 1, "misaligned"),
        (2047, 0, 1, "misaligned"),
        (64, 0, 1, "ok"),
        (128, 0, 1, "ok"),
        (2048, 0, 0, "ok"),
        (6144, 0, 0, "ok"),
    ] {
        let disk = mbr::disk("parted.img", 64, &[(0x83, start, 8192)]);
        let both = (parted(disk.path(), "min"), parted(disk.path(), "opt"));
        assert_eq!(both, (min, opt), "sector {start}");
        assert_eq!(
            check_image(disk.path(), &[]).verdict(),
            verdict,
            "sector {start}"
        );
    }
}

/// A stripe of three 64 KiB chunks: 1 MiB is not on it. parted has no option for it.
#[test]
fn parted_calls_one_mebibyte_optimal_on_any_array() {
    needs!(Packages);
    let disk = mbr::disk("array.img", 64, &[(0x83, 2048, 8192)]);
    assert_eq!(parted(disk.path(), "opt"), 0);
    let checked = check_image(disk.path(), &["--profile-grid", "raid:64kx3"]);
    assert_eq!(checked.verdict(), "suboptimal");
    assert_eq!(
        checked.finding("start-suboptimal", "p1")["offset_bytes"],
        (1 << 20) % (192 << 10)
    );
}

/// The same bytes, and no word from either.
#[test]
fn sfdisk_and_fdisk_find_nothing_wrong_with_sector_63() {
    needs!(Packages);
    for script in [
        "label: dos\nstart=63, size=8192\n",
        "label: gpt\nfirst-lba: 34\nstart=34, size=8192\n",
    ] {
        let disk = Disk::new("silent.img", 64 << 20);
        write(disk.path(), script);
        let verify = tool("sfdisk", &["--verify", text(disk.path())]);
        assert!(verify.contains("No errors detected"), "{verify}");
        let list = run("fdisk", &["-l", text(disk.path())]);
        let said = stdout(&list) + &String::from_utf8_lossy(&list.stderr);
        assert!(
            !said.contains("does not start on physical sector boundary"),
            "{said}"
        );
        let checked = check_image(disk.path(), &[]);
        assert_eq!((checked.verdict(), checked.code), ("misaligned", 1));
    }
}

/// A GPT for 4096-byte sectors: sfdisk of util-linux 2.38 sees the protective entry, parted nothing.
#[test]
fn tables_for_4096_byte_sectors_are_no_tables_to_the_tools() {
    needs!(Packages);
    use ioalign_testkit::gpt::{self, LINUX};
    let disk = Disk::new("4kn.img", 256 << 20);
    gpt::write(&disk, 4096, &[(LINUX, 256, 4096), (LINUX, 8257, 4096)]);
    let theirs = sfdisk(disk.path());
    assert_eq!(
        (theirs.len(), theirs[0].3.as_str()),
        (1, "ee"),
        "{theirs:?}"
    );
    let parted = run("parted", &["-s", text(disk.path()), "print"]);
    assert_ne!(code(&parted), 0, "{}", stdout(&parted));
    let checked = check_image(disk.path(), &[]);
    assert_eq!(of_kind(&checked, "partition").len(), 2);
    assert_eq!(checked.layer("p2")["below"][0]["start_bytes"], 8257 * 4096);
    assert_eq!(checked.verdict(), "ok");
}
