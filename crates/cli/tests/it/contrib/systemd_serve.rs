//! The unit of `serve`: verified and judged by systemd itself, the command line run.

use std::process::Command;

use ioalign_testkit::run::{text, tool};

use super::{INSTALLED, read};
use crate::PROGRAM;

const UNIT: &str = "contrib/systemd/ioalign-serve.service";

/// Most that `systemd-analyze security` may find, of a hundred: it listens, and has two capabilities.
const EXPOSURE: &str = "35";

#[test]
fn systemd_takes_the_server() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let unit = folder.path().join("ioalign-serve.service");
    std::fs::write(&unit, read(UNIT).replace(INSTALLED, PROGRAM)).unwrap();
    let output = Command::new("systemd-analyze")
        .args(["verify", "--man=no", text(&unit)])
        .output()
        .unwrap_or_else(|error| panic!("systemd-analyze is needed for this test: {error}"));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let threshold = format!("--threshold={EXPOSURE}");
    tool(
        "systemd-analyze",
        &["security", "--offline=true", &threshold, text(&unit)],
    );
}

/// It runs the server with its defaults, and keeps no capability but those of BPF.
#[test]
fn the_unit_grants_what_the_server_needs_and_no_more() {
    let unit = read(UNIT);
    for line in [
        "ExecStart=/usr/bin/ioalign serve",
        "DynamicUser=yes",
        "CapabilityBoundingSet=CAP_BPF CAP_PERFMON",
        "AmbientCapabilities=CAP_BPF CAP_PERFMON",
        "DeviceAllow=block-* r",
        "ProtectSystem=strict",
    ] {
        assert!(unit.lines().any(|one| one == line), "{line}");
    }
}
