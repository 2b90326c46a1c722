//! The unit and timer: verified by systemd itself, the command line run.

use std::path::Path;
use std::process::Command;

use ioalign_testkit::run::{promtool, text, tool};

use super::{INSTALLED, read, run};
use crate::PROGRAM;

const UNIT: &str = "contrib/systemd/ioalign.service";
const TIMER: &str = "contrib/systemd/ioalign.timer";

/// Most that `systemd-analyze security` may find, of ten.
const EXPOSURE: &str = "20";

/// The unit and the timer in a folder, with the program under test.
fn installed(folder: &Path) -> [String; 2] {
    [UNIT, TIMER].map(|path| {
        let to = folder.join(Path::new(path).file_name().unwrap());
        std::fs::write(&to, read(path).replace(INSTALLED, PROGRAM)).unwrap();
        text(&to).to_owned()
    })
}

#[test]
fn systemd_takes_them() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let [unit, timer] = installed(folder.path());
    let output = Command::new("systemd-analyze")
        .args(["verify", "--man=no", &unit, &timer])
        .output()
        .unwrap_or_else(|error| panic!("systemd-analyze is needed for this test: {error}"));
    // A key that it does not know is a message and no failure.
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
}

#[test]
fn the_unit_is_hardened() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let [unit, _] = installed(folder.path());
    let threshold = format!("--threshold={EXPOSURE}");
    tool(
        "systemd-analyze",
        &["security", "--offline=true", &threshold, &unit],
    );
}

#[test]
fn the_command_line_writes_the_textfile() {
    needs!(Packages);
    let unit = read(UNIT);
    let line = unit
        .lines()
        .find_map(|line| line.strip_prefix("ExecStart="))
        .unwrap();
    let place = "/var/lib/prometheus/node-exporter";
    assert!(unit.contains(&format!("ReadWritePaths={place}\n")));
    let folder = tempfile::tempdir().unwrap();
    let line = line.replace(place, text(folder.path()));
    let words: Vec<&str> = line.split(' ').collect();
    let output = run(&words, &[]);
    let code = output.status.code().unwrap();
    let success = unit
        .lines()
        .find_map(|line| line.strip_prefix("SuccessExitStatus="))
        .unwrap();
    let accepted = success.split(' ').any(|word| word == code.to_string());
    assert!(code == 0 || accepted || code == 65, "{code}");
    let metrics = folder.path().join("ioalign.prom");
    promtool(&metrics);
}
