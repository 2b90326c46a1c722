//! Texts as targets: pasted tickets, outputs of tools, standard input.

use std::io::Write;
use std::process::{Command, Stdio};

use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{CheckRun, check, mbr};

use super::PROGRAM;

/// A ticket with an old `fdisk -ul` in it; the starts are those of the article on aligning I/O.
const TICKET: &str = "\
Hi, our db server is slow. This is its disk:

# fdisk -ul /dev/sda

Disk /dev/sda: 1198.0 GB, 1197998080000 bytes
255 heads, 63 sectors/track, 145648 cylinders, total 2339840000 sectors
Units = sectors of 1 * 512 = 512 bytes
Disk identifier: 0x00091218

   Device Boot      Start         End      Blocks   Id  System
/dev/sda1   *          63    19535039     9767488+  83  Linux
/dev/sda2        19535040    27342629     3903795   82  Linux swap / Solaris
/dev/sda3        27342630  2339835119  1156246245   8e  Linux LVM

Any idea?
";

/// Texts of one host, by file name.
pub fn together(texts: &[(&str, &str)], arguments: &[&str]) -> CheckRun {
    let folder = tempfile::tempdir().unwrap();
    let mut all: Vec<std::ffi::OsString> = Vec::new();
    for (name, content) in texts {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        all.push(path.into_os_string());
    }
    all.extend(arguments.iter().map(std::ffi::OsString::from));
    check(PROGRAM, all)
}

pub fn from_stdin(input: &[u8], arguments: &[&str]) -> CheckRun {
    let mut child = Command::new(PROGRAM)
        .args(["check", "--json", "-"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    let json = serde_json::from_slice(&output.stdout).unwrap();
    CheckRun {
        json,
        code: output.status.code().unwrap(),
    }
}

#[test]
fn a_pasted_ticket_is_judged() {
    let checked = from_stdin(TICKET.as_bytes(), &["--grid", "64k:raid-chunk:rmw"]);
    assert_eq!((checked.verdict(), checked.code), ("misaligned", 1));
    assert_eq!(checked.target()["source"], "capture");
    for (partition, offset) in [("sda1", 32256), ("sda2", 32768), ("sda3", 19456)] {
        assert_eq!(
            checked.finding("start-misaligned", partition)["offset_bytes"],
            offset
        );
    }
    // The same with carriage returns, colours and the quoting marks of a mail.
    let quoted: String = TICKET
        .lines()
        .map(|line| format!("> \u{1b}[1m{line}\u{1b}[0m\r\n"))
        .collect();
    let again = from_stdin(quoted.as_bytes(), &["--grid", "64k:raid-chunk:rmw"]);
    assert_eq!(again.rules(), checked.rules());
}

/// The files of the kernel have no length.
#[test]
fn a_text_without_a_length_is_read() {
    let checked = check(PROGRAM, ["/proc/partitions"]);
    assert_eq!(checked.json["targets"][0]["source"], "capture");
    let error = &checked.json["targets"][0]["error"];
    assert!(error.is_null(), "{error}");
}

#[test]
fn a_file_that_is_named_like_standard_input_is_not_taken_for_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("-"), vec![0; 1 << 20]).unwrap();
    let ticket = folder.path().join("ticket.txt");
    std::fs::write(&ticket, TICKET).unwrap();
    let output = Command::new(PROGRAM)
        .args(["check", "--json", "-"])
        .current_dir(folder.path())
        .stdin(std::fs::File::open(&ticket).unwrap())
        .output()
        .unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["targets"][0]["source"], "capture");
    assert_eq!(json["targets"][0]["verdict"], "misaligned");
}

#[test]
fn several_texts_are_one_host() {
    let folder = tempfile::tempdir().unwrap();
    let fdisk = folder.path().join("fdisk.txt");
    let pvs = folder.path().join("pvs.txt");
    std::fs::write(&fdisk, TICKET).unwrap();
    std::fs::write(
        &pvs,
        "  PV         VG  Fmt  Attr PSize       PFree 1st PE\n  /dev/sda3  vg0 lvm2 a--  2312486912S    0S   474S\n",
    )
    .unwrap();
    let checked = check(PROGRAM, [fdisk.as_os_str(), pvs.as_os_str()]);
    assert_eq!(checked.json["targets"].as_array().unwrap().len(), 1);
    // 27342630 + 474 sectors is a multiple of 8: LVM made up for it.
    assert_eq!(checked.offset("lvm-pv:sda3", 4096), Some(0));
    checked.finding("start-repaired-above", "sda3");
}

#[test]
fn the_same_image_by_itself_and_by_what_tools_print() {
    needs!(Packages);
    let entries = [
        (0x83, 63, 40000),
        (0x83, 43008, 20000),
        (0x82, 64001, 60000),
    ];
    let disk = mbr::disk("disk.img", 64, &entries);
    let image = text(disk.path());
    let starts = |checked: &CheckRun| -> Vec<u64> {
        let layers = checked.target()["layers"].as_array().unwrap();
        let parts = layers.iter().filter(|layer| layer["kind"] == "partition");
        let mut starts: Vec<_> = parts
            .map(|layer| layer["below"][0]["start_bytes"].as_u64().unwrap())
            .collect();
        starts.sort_unstable();
        starts
    };
    let severities = |checked: &CheckRun| -> Vec<String> {
        checked
            .rules()
            .into_iter()
            .filter(|rule| rule.starts_with("start-mis"))
            .collect()
    };
    let whole = check(PROGRAM, [image]);
    for (program, arguments) in [
        ("sfdisk", vec!["-d", image]),
        ("sfdisk", vec!["-J", image]),
        ("fdisk", vec!["-l", image]),
        ("parted", vec!["-s", image, "unit", "s", "print"]),
    ] {
        let printed = tool(program, &arguments);
        let checked = from_stdin(printed.as_bytes(), &[]);
        assert_eq!(starts(&checked), starts(&whole), "{program} {arguments:?}");
        assert_eq!(
            severities(&checked),
            severities(&whole),
            "{program} {arguments:?}"
        );
    }
}

#[test]
fn rounded_numbers_and_prose_are_unknown() {
    needs!(Packages);
    let disk = mbr::disk("disk.img", 64, &[(0x83, 2048, 100_000)]);
    let printed = tool("parted", &["-s", text(disk.path()), "print"]);
    assert!(printed.contains("1049kB"), "{printed}");
    let checked = from_stdin(printed.as_bytes(), &[]);
    assert_eq!((checked.verdict(), checked.code), ("unknown", 3));
    let prose = from_stdin(b"The disk is slow since Monday.\n", &[]);
    assert_eq!((prose.verdict(), prose.code), ("unknown", 3));
}
