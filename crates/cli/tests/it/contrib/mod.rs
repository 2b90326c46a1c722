//! What `contrib/` and `docs/ci/` hand out, run as its users run it.

mod ansible;
mod ci;
mod fleet;
mod monitoring;
mod npd;
mod rules;
mod scrape;
mod systemd;
mod systemd_serve;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ioalign_testkit::gpt::{self, LINUX};
use ioalign_testkit::{Disk, mbr};

use super::PROGRAM;

/// Where packages put the program.
const INSTALLED: &str = "/usr/bin/ioalign";

/// A file of the repository.
fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

fn read(path: &str) -> String {
    let path = file(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs words as a command, the installed program replaced by the one under test.
fn run(words: &[&str], more: &[&str]) -> Output {
    let words: Vec<&str> = words
        .iter()
        .map(|word| if *word == INSTALLED { PROGRAM } else { word })
        .collect();
    let (program, arguments) = words.split_first().unwrap();
    Command::new(program)
        .args(arguments)
        .args(more)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"))
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn bad() -> Disk {
    mbr::disk("bad.img", 64, &[(0x83, 63, 100_000)])
}

fn good() -> Disk {
    let disk = Disk::new("good.img", 64 << 20);
    gpt::write(&disk, 512, &[(LINUX, 2048, 102_400)]);
    disk
}
