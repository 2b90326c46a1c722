//! What hosts and nodes push with: the unit judged by systemd, the DaemonSet by the fields of its API, both commands run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use ioalign_testkit::MountGuard;
use ioalign_testkit::run::{text, tool};
use serde_json::{Value, json};

use super::{INSTALLED, ci, read};
use crate::PROGRAM;
use crate::fleet::MadeFleet;

const UNIT: &str = "contrib/systemd/ioalign-push.service";
const TIMER: &str = "contrib/systemd/ioalign-push.timer";
const DAEMON_SET: &str = "contrib/kubernetes/ioalign.yaml";

/// Most that `systemd-analyze security` may find, of a hundred: it has the network.
const EXPOSURE: &str = "35";

#[test]
fn systemd_takes_the_push() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let [unit, timer] = [UNIT, TIMER].map(|path| {
        let to = folder.path().join(Path::new(path).file_name().unwrap());
        fs::write(&to, read(path).replace(INSTALLED, PROGRAM)).unwrap();
        text(&to).to_owned()
    });
    let output = Command::new("systemd-analyze")
        .args(["verify", "--man=no", &unit, &timer])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let threshold = format!("--threshold={EXPOSURE}");
    let words = ["security", "--offline=true", &threshold, &unit];
    tool("systemd-analyze", &words);
}

#[test]
fn the_command_of_the_unit_pushes() {
    needs!(Root);
    let fleet = MadeFleet::new();
    let server = fleet.serve(&[]);
    let unit = read(UNIT);
    let line = unit
        .lines()
        .find_map(|line| line.strip_prefix("ExecStart=/usr/bin/ioalign "))
        .unwrap();
    let line = line
        .replace("${URL}", &server.url)
        .replace("${CREDENTIALS_DIRECTORY}", text(fleet.folder.path()))
        .replace("/var/lib/ioalign/spool", text(&fleet.path("spool")));
    let words: Vec<_> = line.split(' ').collect();
    let output = Command::new(PROGRAM).args(&words).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(server.get("overview")["hosts"], 1);
}

/// The fields of apps/v1 that are used, with the types and words of the API reference; others are mistakes of typing.
fn schema() -> Value {
    let object = |required: &[&str], properties: Value| json!({"type": "object", "additionalProperties": false, "required": required, "properties": properties});
    let words = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let name =
        json!({"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "maxLength": 63});
    let quantity = json!({"type": "object", "additionalProperties": {"type": "string", "pattern": "^[0-9]+(m|Ki|Mi|Gi)?$"}});
    let mount = object(
        &["name", "mountPath"],
        json!({"name": name, "mountPath": {"type": "string", "pattern": "^/[^:]*$"}, "readOnly": {"type": "boolean"}}),
    );
    let variable = object(
        &["name"],
        json!({"name": {"type": "string"}, "value": {"type": "string"},
        "valueFrom": object(&["fieldRef"], json!({"fieldRef": object(&["fieldPath"], json!({"fieldPath": {"enum": ["spec.nodeName"]}}))}))}),
    );
    let container = object(
        &["name", "image"],
        json!({"name": name, "image": {"type": "string"},
        "command": {"type": "array", "items": {"type": "string"}}, "env": {"type": "array", "items": variable},
        "securityContext": object(&[], json!({"privileged": {"type": "boolean"}, "readOnlyRootFilesystem": {"type": "boolean"}})),
        "resources": object(&[], json!({"requests": quantity, "limits": quantity})),
        "volumeMounts": {"type": "array", "items": mount}}),
    );
    let volume = object(
        &["name"],
        json!({"name": name,
        "hostPath": object(&["path"], json!({"path": {"type": "string"}, "type": {"enum": ["", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"]}})),
        "secret": object(&["secretName"], json!({"secretName": {"type": "string"}, "defaultMode": {"type": "integer", "maximum": 511}}))}),
    );
    let pod = object(
        &["containers"],
        json!({"automountServiceAccountToken": {"type": "boolean"}, "enableServiceLinks": {"type": "boolean"},
        "terminationGracePeriodSeconds": {"type": "integer"},
        "tolerations": {"type": "array", "items": object(&[], json!({"operator": {"enum": ["Exists", "Equal"]}}))},
        "containers": {"type": "array", "minItems": 1, "items": container}, "volumes": {"type": "array", "items": volume}}),
    );
    let meta = object(
        &[],
        json!({"name": name, "namespace": name, "labels": words}),
    );
    object(
        &["apiVersion", "kind", "metadata", "spec"],
        json!({"apiVersion": {"const": "apps/v1"}, "kind": {"const": "DaemonSet"}, "metadata": meta,
        "spec": object(&["selector", "template"], json!({
            "selector": object(&["matchLabels"], json!({"matchLabels": words})),
            "updateStrategy": object(&["type"], json!({"type": {"enum": ["RollingUpdate", "OnDelete"]}})),
            "template": object(&["metadata", "spec"], json!({"metadata": meta, "spec": pod}))}))}),
    )
}

/// What one place of the manifest names and another has.
fn names(list: &Value) -> Vec<&str> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect()
}

#[test]
fn the_daemon_set_has_the_fields_of_its_api() {
    needs!(Packages);
    let manifest = ci::yaml(DAEMON_SET);
    if let Err(error) = jsonschema::validate(&schema(), &manifest) {
        panic!("{}: {error}", error.instance_path());
    }
    let spec = &manifest["spec"];
    assert_eq!(
        spec["selector"]["matchLabels"],
        spec["template"]["metadata"]["labels"]
    );
    let pod = &spec["template"]["spec"];
    assert_eq!(
        names(&pod["containers"][0]["volumeMounts"]),
        names(&pod["volumes"])
    );
    // A field that the API does not have is found.
    let mut wrong = manifest.clone();
    wrong["spec"]["template"]["spec"]["hostPid"] = json!(true);
    assert!(jsonschema::validate(&schema(), &wrong).is_err());
}

/// The folders of a node, where the manifest mounts them, and the command of its loop.
#[test]
fn the_command_of_the_daemon_set_pushes_a_node() {
    needs!(Root, Packages);
    let manifest = ci::yaml(DAEMON_SET);
    let pod = &manifest["spec"]["template"]["spec"];
    let sources: BTreeMap<_, _> = pod["volumes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|volume| {
            Some((
                volume["name"].as_str()?,
                volume["hostPath"]["path"].as_str()?,
            ))
        })
        .collect();
    let fleet = MadeFleet::new();
    let server = fleet.serve(&[]);
    let root = fleet.path("node");
    let mut mounts = Vec::new();
    for mount in pod["containers"][0]["volumeMounts"].as_array().unwrap() {
        let to = mount["mountPath"].as_str().unwrap();
        let (Some(inside), Some(from)) = (
            to.strip_prefix("/host/"),
            sources.get(mount["name"].as_str().unwrap()),
        ) else {
            continue;
        };
        match inside {
            "etc/machine-id" => {
                fs::create_dir_all(root.join("etc")).unwrap();
                fs::write(root.join(inside), "0123456789abcdef0123456789abcdef\n").unwrap();
            }
            _ => mounts.push(MountGuard::new(&["--bind", from], &root.join(inside))),
        }
    }
    let script = pod["containers"][0]["command"][2].as_str().unwrap();
    let line = script
        .lines()
        .find(|line| line.trim().starts_with("ioalign push"))
        .unwrap();
    let line = line
        .replace("ioalign push", &format!("'{PROGRAM}' push"))
        .replace("/host", text(&root))
        .replace("/etc/ioalign", text(fleet.folder.path()))
        .replace("/spool", text(&fleet.path("spool")));
    let output = Command::new("sh")
        .args(["-euc", &line])
        .env("URL", &server.url)
        .env("NODE", "node-7")
        .output()
        .unwrap();
    drop(mounts);
    assert_eq!(output.status.code(), Some(0), "{line}: {output:?}");
    let worst = server.get("worst").to_string();
    assert!(worst.contains("node-7"), "{worst}");
}
