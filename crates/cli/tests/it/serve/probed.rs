//! `ioalign probe` on served arrays, whose geometry is known.

use std::path::Path;
use std::process::Command;

use ioalign_testkit::needs;
use serde_json::Value;

use super::{PROGRAM, ServedArray};

fn probe(device: &Path) -> Value {
    let mut command = Command::new(PROGRAM);
    command.arg("probe").arg(device);
    let output = command.args(["--time", "60s", "--json"]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&output.stderr));
    })
}

/// On a loaded machine an array may stay invisible. A geometry that is not there is never found, and not all of
/// them stay invisible.
#[test]
fn geometries_of_served_arrays_are_right() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    // Array, start of the device in it; unit, first boundary, columns.
    let cases = [
        ("raid0:4x64k", "65024", [65536, 512, 4]),
        ("raid5:5x192k", "63s", [196_608, 196_608 - 32256, 5]),
        ("raid10:6x32k", "0", [32768, 0, 3]),
    ];
    let mut found = 0;
    for (array, start, expected) in cases {
        let arguments = [array, "--start", start, "--service", "2ms", "--size", "1G"];
        let served = ServedArray::start(folder.path(), &arguments);
        let geometry = probe(&served.device());
        assert_eq!(geometry["schema"], "ioalign.geometry/1");
        if geometry["found"] == false {
            assert_eq!(geometry["kind"], "none", "{geometry:#}");
            continue;
        }
        found += 1;
        let keys = ["unit_bytes", "phase_bytes", "columns"];
        let said = keys.map(|key| geometry[key].as_u64().unwrap_or(0));
        assert_eq!(said, expected, "{array}: {geometry:#}");
        assert_eq!(geometry["kind"], "stripe");
        let grid = format!("{}@{}:stripe-unit:preference", expected[0], expected[1]);
        assert_eq!(geometry["grids"][0]["grid"], grid);
    }
    assert!(found > 0, "none of three arrays is visible");
}
