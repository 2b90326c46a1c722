//! `plan --quiet` is a script that a shell takes, that names no disk that nobody named, and in which names stay
//! names.

use std::io::Write;
use std::process::{Command, Stdio};

use ioalign_testkit::run::command;

use super::plan;

fn script(arguments: &[&str]) -> String {
    String::from_utf8(plan(&[arguments, &["--quiet"]].concat()).stdout).unwrap()
}

const WISHES: &[&[&str]] = &[
    &[],
    &[
        "--fs",
        "xfs",
        "--partition",
        "esp:512M,boot:1G,swap:8G,data",
    ],
    &[
        "--raid",
        "5",
        "--disks",
        "4",
        "--element",
        "64k",
        "--lvm",
        "--thin",
        "--fs",
        "ext4",
        "--db",
        "innodb",
    ],
    &[
        "--raid", "10", "--disks", "30", "--luks", "--bcache", "--fs", "btrfs", "--db", "postgres",
    ],
    &[
        "--label",
        "dos",
        "--size",
        "20G",
        "--partition",
        "data:1G,data:1G,data:1G,data:1G,data",
        "--fs",
        "ext4",
    ],
    &["--unit", "16k", "--fs", "ext4", "--db", "oracle"],
    &["--label", "none", "--fs", "zfs"],
    &[
        "--partition-at",
        "63s",
        "--lvm",
        "--fs",
        "xfs",
        "--db",
        "sqlserver",
    ],
    &["--platform", "esxi"],
    &["--platform", "freebsd", "--fs", "zfs"],
];

/// What a program makes of a text on its standard input: whether it exits with 0, and what it prints.
fn fed(mut program: Command, text: &str) -> (bool, String) {
    let piped = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

#[test]
fn shells_and_shellcheck_take_every_script() {
    needs!(Packages);
    for wish in WISHES {
        for name in [&[][..], &["--device", "/dev/disk/by-id/a b'c"]] {
            let several = wish.contains(&"--raid") || wish.contains(&"--platform");
            if several && !name.is_empty() {
                continue;
            }
            let script = script(&[wish, name].concat());
            for shell in ["sh", "dash", "bash"] {
                let mut parse = command(shell);
                parse.arg("-n");
                assert_eq!(
                    fed(parse, &script),
                    (true, String::new()),
                    "{shell}\n{script}"
                );
            }
            let mut shellcheck = command("shellcheck");
            shellcheck.arg("-");
            assert_eq!(fed(shellcheck, &script), (true, String::new()), "{script}");
        }
    }
}

#[test]
fn a_disk_that_nobody_named_is_named_nowhere() {
    let mut wishes = WISHES.to_vec();
    wishes.extend([
        &["--platform", "windows"][..],
        &["--platform", "solaris", "--fs", "zfs"],
    ]);
    for wish in wishes {
        let script = script(wish);
        // Kernels name disks in lower case or by numbers.
        for word in script.split(|c: char| c.is_whitespace() || "()".contains(c)) {
            let disk = word
                .strip_prefix("/dev/sd")
                .or(word.strip_prefix("/dev/rdsk/"));
            assert!(
                disk.is_none_or(|disk| disk.contains(char::is_uppercase)),
                "{word}\n{script}"
            );
            assert!(
                !word.starts_with("/dev/vd") && !word.starts_with("/dev/nvme"),
                "{script}"
            );
        }
        for name in ["select disk 1", "-Number 1", "c0t0d0", " da0"] {
            assert!(!script.contains(name), "{script}");
        }
        assert!(script.contains("before you run the commands"), "{script}");
    }
}

#[test]
fn a_script_that_nobody_edited_ends_at_its_first_command() {
    needs!(Packages, Root);
    for (wish, first) in [
        (&["--fs", "ext4"][..], "sfdisk"),
        (&["--label", "none", "--fs", "ext4"], "mke2fs"),
        (&["--raid", "1", "--disks", "2", "--fs", "xfs"], "mdadm"),
    ] {
        // Only its own first tool is found: what comes after it would say so.
        let script = script(wish);
        let output = command("sh").args(["-c", &script]).output().unwrap();
        assert!(!output.status.success());
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(said.contains("sdX"), "{first}: {said}");
        assert!(
            !said.contains("mkfs.xfs") && !said.contains("/dev/sdX1"),
            "{said}"
        );
    }
}

#[test]
fn device_names_stay_inert() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "/dev/$(touch pwned)",
        "/dev/a;touch pwned;",
        "/dev/`touch pwned`",
        "/dev/a'b\"c",
        "-rf",
        "/dev/a b",
    ] {
        let device = format!("--device={name}");
        let script = script(&[&device, "--fs", "ext4", "--lvm", "--luks"]);
        for shell in ["sh", "dash", "bash"] {
            // Every tool is one that prints its last argument.
            let stubs = "for tool in sfdisk mke2fs pvcreate vgcreate lvcreate pvs cryptsetup; do
                eval \"$tool() { for last; do :; done; printf '<%s>\\n' \\\"\\$last\\\"; }\"; done\n";
            let mut run = command(shell);
            run.arg("-s").current_dir(folder.path());
            let (worked, said) = fed(run, &format!("{stubs}{script}"));
            assert!(worked, "{shell} {name}: {said}");
            let named = if name == "-rf" { "./-rf" } else { name };
            assert!(
                said.contains(&format!("<{named}>\n")),
                "{shell} {name}: {said}"
            );
            assert!(!folder.path().join("pwned").exists(), "{shell} {name}");
        }
    }
}

#[test]
fn partitions_of_links_and_of_numbered_disks_are_named_as_udev_and_the_kernel_do() {
    for (disk, partition) in [
        ("/dev/disk/by-id/ata-1", "/dev/disk/by-id/ata-1-part1"),
        ("/dev/nvme0n1", "/dev/nvme0n1p1"),
        ("/dev/mmcblk0", "/dev/mmcblk0p1"),
        ("/dev/loop3", "/dev/loop3p1"),
        ("/dev/sdq", "/dev/sdq1"),
    ] {
        let script = script(&["--device", disk, "--fs", "xfs"]);
        assert!(
            script.ends_with(&format!("mkfs.xfs -b size=4k {partition}\n")),
            "{script}"
        );
        assert_eq!(script.contains("udevadm settle"), disk.contains("by-id"));
    }
    let md = script(&[
        "--raid", "1", "--device", "/dev/sdq", "--device", "/dev/sdr",
    ]);
    assert!(
        md.contains("--raid-devices=2 ") && md.contains(" /dev/sdq /dev/sdr\n"),
        "{md}"
    );
}
