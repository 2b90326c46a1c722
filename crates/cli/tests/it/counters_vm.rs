//! Write amplification from the counters of QEMU's NVMe drives, which write what they get.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::guest;
use super::schema::valid;

const WRITTEN: u64 = 32 << 20;

/// QEMU has the log page C0h since 8.2.
fn has_ocp() -> bool {
    let asked = ["-device", "nvme,help"];
    let help = Command::new("qemu-system-x86_64").args(asked).output();
    String::from_utf8_lossy(&help.unwrap().stdout).contains("ocp=")
}

fn counted(folder: &Path, name: &str) -> Value {
    let text = std::fs::read_to_string(folder.join(name).with_extension("json")).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    valid(&value, "comparison-1.schema.json");
    assert_eq!(value["partial"], Value::Null, "{value:#}");
    let found = value["write_amplification"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{value:#}");
    found[0].clone()
}

/// The emulator adds nothing: its exact counter of media is that of the bytes that were written here.
fn is_exact(found: &Value, drive: &str) {
    assert_eq!(found["unknown"], Value::Null, "{found:#}");
    let arms = found["arms"].as_array().unwrap();
    let names: Vec<_> = arms
        .iter()
        .map(|arm| arm["arm"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), 2, "{found:#}");
    for arm in arms {
        assert_eq!(arm["drive"], drive);
        assert_eq!(arm["counter"], "OCP log page C0h");
        let written = arm["written_bytes"].as_u64().unwrap();
        assert_eq!(written, WRITTEN);
        let ends = |range: &Value| ["low", "high"].map(|end| range[end].as_u64().unwrap());
        // Two halves, each between two readings that are uncertain by a byte.
        assert_eq!(
            ends(&arm["media_bytes"]),
            [written - 2, written + 2],
            "{arm:#}"
        );
        let [low, high] = ends(&arm["host_bytes"]);
        assert!(low <= written && written <= high, "{arm:#}");
        assert!(high - low <= 4 * 512_000, "{arm:#}");
        assert_eq!(arm["others_wrote"], false, "{arm:#}");
        let range = &arm["amplification"];
        let ends = ["low", "high"].map(|end| range[end].as_f64().unwrap());
        assert!(
            ends[0] <= 1.0 && 1.0 <= ends[1] && ends[0] > 0.95,
            "{arm:#}"
        );
    }
}

#[test]
fn the_counters_of_a_drive_are_read() {
    needs!(Packages, Guest);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let counting = has_ocp();
    let first = if counting { "-=256M,ocp" } else { "-=256M" };
    let options = ["--nvme", first, "--nvme", "-=256M", "--out", out];
    let options = [&options[..], &["--timeout", "900"]].concat();
    let (ended, said) = guest::boot("lab/live/counters.sh", &options);
    assert!(ended, "{said}");
    let folder = folder.path().join("counters");
    let name = std::fs::read_to_string(folder.join("name")).unwrap();
    // Its SMART page was read, else that would be the reason.
    let unknown = |found: &Value| {
        let why = found["unknown"].as_str().unwrap_or_default().to_owned();
        assert!(why.contains("counts no writes to its media"), "{found:#}");
        assert_eq!(found["arms"].as_array().unwrap().len(), 0, "{found:#}");
        why
    };
    unknown(&counted(&folder, "d1"));
    for target in ["d0", "partition"] {
        let found = counted(&folder, target);
        if counting {
            is_exact(&found, name.trim());
        } else {
            eprintln!("this QEMU has no log page C0h: {target} counts nothing");
            assert!(unknown(&found).starts_with(name.trim()));
        }
    }
}
