//! Commands of Linux on md, LVM, dm-crypt and a jumpered disk, in a microVM.

use std::path::Path;

use serde_json::Value;

use super::super::guest;
use super::valid;

fn read(folder: &Path, name: &str) -> Value {
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Where a layer of the checked stack starts in the one below.
fn start(check: &Value, kind: &str) -> Value {
    let layers = check["targets"][0]["layers"].as_array().unwrap();
    let found = layers.iter().find(|layer| layer["kind"] == kind);
    let found = found.unwrap_or_else(|| panic!("no {kind}: {layers:#?}"));
    found["below"][0]["start_bytes"].clone()
}

#[test]
fn what_is_planned_is_clean_on_a_real_kernel() {
    needs!(Packages, Root, Guest);
    let folder = tempfile::tempdir().unwrap();
    guest::run("lab/live/plan.sh", folder.path());
    let folder = folder.path().join("plans");
    for (name, kinds) in [
        ("raid5-crypt-thin", &["partition", "crypt", "lvm-pv"][..]),
        ("raid10-unit", &["partition"]),
        ("stays", &["partition", "lvm-pv"]),
        ("jumper", &["partition"]),
    ] {
        let plan = read(&folder, &format!("{name}.plan.json"));
        let check = read(&folder, &format!("{name}.check.json"));
        valid(&plan, "plan-1.schema.json");
        assert_eq!(
            check["targets"][0]["verdict"], "ok",
            "{name}: {:#}",
            check["targets"][0]["findings"]
        );
        for kind in kinds {
            let layers = plan["layers"].as_array().unwrap();
            let planned = layers.iter().find(|layer| layer["kind"] == *kind).unwrap();
            assert_eq!(
                start(&check, kind),
                planned["offset_bytes"],
                "{name}: {kind}"
            );
        }
    }
}
