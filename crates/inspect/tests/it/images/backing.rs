//! Backing files: read through, and only where they may be.

use std::os::unix::fs::symlink;
use std::process::Command;

use ioalign_inspect::ErrorKind;
use ioalign_inspect::images::ImagePolicy;

use super::qemu::{Lab, open};
use crate::tools::run;

/// An overlay of 4 MiB that names `base` without looking at it.
fn overlay(lab: &Lab, name: &str, base: &str, format: &str) {
    let create = [
        "create", "-q", "-u", "-f", "qcow2", "-F", format, "-b", base,
    ];
    lab.img(&[&create[..], &[name, "4M"]].concat());
}

fn refused(lab: &Lab, name: &str) -> ErrorKind {
    let error = lab.try_open(name).err().expect("it is not opened");
    assert!(error.path().is_some(), "{error} names no file");
    error.kind()
}

#[test]
fn a_chain_of_three_reads_as_in_qemu() {
    needs!(Packages);
    let lab = Lab::new();
    // Shorter than what lies on it, and not a multiple of a cluster.
    lab.create("base.raw", "raw", "", "2098176");
    lab.io("base.raw", "raw", &["write -P 1 0 2098176"]);
    overlay(&lab, "mid.qcow2", "base.raw", "raw");
    lab.io(
        "mid.qcow2",
        "qcow2",
        &["write -P 2 100k 100k", "write -z 1M 64k"],
    );
    overlay(&lab, "top.qcow2", "mid.qcow2", "qcow2");
    lab.io(
        "top.qcow2",
        "qcow2",
        &["write -P 3 120k 1k", "write -P 4 3M 1k"],
    );
    let image = lab.compare("top.qcow2", "qcow2");
    let mid = image.backing.as_deref().unwrap();
    assert_eq!(image.detail.facts()["backing-format"], "qcow2");
    assert_eq!(
        (
            mid.detail.format.name(),
            mid.backing.as_ref().unwrap().detail.format.name()
        ),
        ("qcow2", "raw")
    );
}

#[test]
fn subclusters_over_a_backing_file() {
    needs!(Packages);
    let lab = Lab::new();
    lab.create("base.raw", "raw", "", "4M");
    lab.io("base.raw", "raw", &["write -P 1 0 4M"]);
    let options = "extended_l2=on,backing_file=base.raw,backing_fmt=raw";
    lab.create("top.qcow2", "qcow2", options, "4M");
    lab.io(
        "top.qcow2",
        "qcow2",
        &["write -P 2 70k 3k", "write -z 80k 4k"],
    );
    lab.compare("top.qcow2", "qcow2");
}

/// A guest that writes a qcow2 header into its raw disk must not choose files of the host.
#[test]
fn a_raw_base_stays_raw_whatever_it_holds() {
    needs!(Packages);
    let lab = Lab::new();
    lab.create("base.raw", "raw", "", "1M");
    overlay(&lab, "inner.qcow2", "/etc/hostname", "raw");
    std::fs::copy(lab.path("inner.qcow2"), lab.path("base.raw")).unwrap();
    overlay(&lab, "top.qcow2", "base.raw", "raw");
    let image = lab.compare("top.qcow2", "qcow2");
    assert_eq!(image.backing.unwrap().detail.format.name(), "raw");
}

#[test]
fn paths_that_leave_the_folder_need_leave() {
    needs!(Packages);
    let lab = Lab::new();
    std::fs::create_dir(lab.path("vm")).unwrap();
    lab.create("base.raw", "raw", "", "4M");
    lab.io("base.raw", "raw", &["write -P 7 0 4M"]);
    symlink("../base.raw", lab.path("vm/link.raw")).unwrap();
    let absolute = lab.path("base.raw");
    for base in ["../base.raw", "link.raw", absolute.to_str().unwrap()] {
        overlay(&lab, "vm/top.qcow2", base, "raw");
        assert_eq!(refused(&lab, "vm/top.qcow2"), ErrorKind::Refused, "{base}");
        let policy = ImagePolicy {
            allow_backing: true,
            ..ImagePolicy::default()
        };
        let image = open(&lab.path("vm/top.qcow2"), &policy).unwrap();
        let mut byte = [0];
        image.guest.read_at(12345, &mut byte).unwrap();
        assert_eq!(byte, [7], "{base}");
    }
    // What is refused is not even looked at.
    overlay(&lab, "vm/top.qcow2", "/nowhere/at/all", "raw");
    assert_eq!(refused(&lab, "vm/top.qcow2"), ErrorKind::Refused);
    let error = lab.try_open("vm/top.qcow2").err().unwrap().to_string();
    assert!(error.contains("--allow-backing"), "{error}");
}

#[test]
fn paths_within_the_folder_need_none() {
    needs!(Packages);
    let lab = Lab::new();
    std::fs::create_dir(lab.path("sub")).unwrap();
    lab.create("sub/base.raw", "raw", "", "4M");
    let absolute = lab.path("sub/base.raw");
    for base in ["sub/base.raw", "./sub/base.raw", absolute.to_str().unwrap()] {
        overlay(&lab, "top.qcow2", base, "raw");
        assert!(lab.open("top.qcow2").backing.is_some(), "{base}");
    }
}

#[test]
fn cycles_end() {
    needs!(Packages);
    let lab = Lab::new();
    overlay(&lab, "a.qcow2", "b.qcow2", "qcow2");
    overlay(&lab, "b.qcow2", "c.qcow2", "qcow2");
    overlay(&lab, "c.qcow2", "./a.qcow2", "qcow2");
    assert_eq!(refused(&lab, "a.qcow2"), ErrorKind::Loop);
    // QEMU does not make such an image under its own name.
    overlay(&lab, "other", "self.qcow2", "qcow2");
    std::fs::rename(lab.path("other"), lab.path("self.qcow2")).unwrap();
    assert_eq!(refused(&lab, "self.qcow2"), ErrorKind::Loop);
    symlink("self2.qcow2", lab.path("alias")).unwrap();
    overlay(&lab, "self2.qcow2", "alias", "qcow2");
    assert_eq!(refused(&lab, "self2.qcow2"), ErrorKind::Loop);
}

#[test]
fn chains_have_an_end() {
    needs!(Packages);
    let lab = Lab::new();
    lab.create("0.qcow2", "qcow2", "", "4M");
    for i in 1..40 {
        overlay(
            &lab,
            &format!("{i}.qcow2"),
            &format!("{}.qcow2", i - 1),
            "qcow2",
        );
    }
    assert!(lab.try_open("31.qcow2").is_ok());
    assert_eq!(refused(&lab, "39.qcow2"), ErrorKind::TooLarge);
}

#[test]
fn what_is_not_a_file_is_not_opened() {
    needs!(Packages);
    let lab = Lab::new();
    run(Command::new("mkfifo").arg(lab.path("fifo")));
    std::fs::create_dir(lab.path("folder")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(lab.path("socket")).unwrap();
    for name in ["fifo", "folder", "socket"] {
        overlay(&lab, "a.qcow2", name, "raw");
        assert_eq!(refused(&lab, "a.qcow2"), ErrorKind::Unsupported, "{name}");
    }
    overlay(&lab, "a.qcow2", "missing", "raw");
    assert_eq!(refused(&lab, "a.qcow2"), ErrorKind::NotFound);
}

#[test]
fn names_that_are_no_paths_are_told() {
    needs!(Packages);
    let lab = Lab::new();
    for name in ["nbd://localhost:10809/x", "json:{\"driver\":\"null-co\"}"] {
        overlay(&lab, "a.qcow2", name, "raw");
        assert_eq!(refused(&lab, "a.qcow2"), ErrorKind::Unsupported, "{name}");
        let error = lab.try_open("a.qcow2").err().unwrap().to_string();
        assert!(error.contains(name), "{error}");
    }
}

#[test]
fn a_base_of_another_format_than_promised() {
    needs!(Packages);
    let lab = Lab::new();
    lab.create("base.raw", "raw", "", "1M");
    overlay(&lab, "a.qcow2", "base.raw", "qcow2");
    assert_eq!(refused(&lab, "a.qcow2"), ErrorKind::Malformed);
}
