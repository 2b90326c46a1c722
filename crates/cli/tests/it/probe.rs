//! `ioalign probe`: pages below a loop device, devices without a geometry, and what is refused.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use ioalign_testkit::device::{Loop, MountGuard};
use ioalign_testkit::run::{device_bytes, wait_until};
use serde_json::Value;

use super::PROGRAM;
use super::schema::valid;

fn probe(arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.arg("probe").args(arguments).output().unwrap()
}

/// The document of a probe that ended by itself.
fn document(arguments: &[&str]) -> Value {
    let output = probe(&[arguments, &["--json", "-q"]].concat());
    let found = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {output:?}"));
    valid(&found, "geometry-1.schema.json");
    let code = output.status.code().unwrap();
    assert_eq!(code == 0, found["found"] == true, "{code}: {found:#}");
    assert!(code < 2, "{output:?}");
    found
}

fn says(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Random bytes: holes would be answered from memory.
fn filled(path: &Path, mib: usize) {
    let mut random = ioalign_testkit::Random(7);
    let bytes: Vec<u8> = (0..mib << 17)
        .flat_map(|_| random.next().to_le_bytes())
        .collect();
    std::fs::write(path, bytes).unwrap();
    std::fs::File::open(path).unwrap().sync_all().unwrap();
}

/// A page of the cache that a write covers in part is read first.
#[test]
fn the_pages_below_a_loop_device_are_found() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("back");
    filled(&file, 256);
    let device = Loop::new(&file, &["--offset=32256"]);
    let name = device.text();
    let found = document(&[name, "--write", "--destroy-data", name, "--time", "5m"]);
    assert_eq!(found["kind"], "rmw-unit", "{found:#}");
    assert_eq!(
        found["grids"][0]["grid"], "4096@512:physical-block:rmw",
        "{found:#}"
    );
    assert_eq!(found["start_offset_bytes"], 32256 % 4096);
    let claims = found["claims"].as_array().unwrap();
    assert!(
        claims.iter().all(|claim| claim["agrees"] != true),
        "{claims:?}"
    );
}

#[test]
fn memory_has_no_geometry() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let point = folder.path().join("memory");
    let mount = MountGuard::new(&["-t", "tmpfs", "-o", "size=80m", "none"], &point);
    let file = mount.path().join("file");
    filled(&file, 64);
    let device = Loop::new(&file, &[]);
    for seed in ["1", "2", "3"] {
        let found = document(&[device.text(), "--seed", seed]);
        assert_eq!(
            (&found["found"], &found["kind"]),
            (&Value::Bool(false), &"none".into())
        );
        assert_eq!(
            (&found["unit_bytes"], &found["partial"]),
            (&Value::Null, &Value::Null)
        );
        assert!(found["detection_limit"].as_f64().unwrap() >= 0.1);
    }
    let text = probe(&[device.text()]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("no geometry is visible"), "{text}");
    assert!(
        text.contains("smallest effect that reads would have shown"),
        "{text}"
    );
}

#[test]
fn a_file_is_made_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("made.dat");
    let file = file.to_str().unwrap();
    let found = document(&[file, "--size", "40M", "--time", "20s"]);
    assert_eq!(found["size_bytes"], 40 << 20);
    assert!(found["reads"].as_u64().unwrap() > 100, "{found:#}");
    assert_eq!(
        (&found["writes"], &found["redundancy"]),
        (&0.into(), &Value::Null)
    );
}

#[test]
fn what_cannot_be_probed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    filled(&place.join("data"), 33);
    std::fs::write(place.join("small"), vec![1; 1 << 20]).unwrap();
    let data = place.join("data").display().to_string();
    let small = place.join("small").display().to_string();
    let cases: [(&[&str], i32, &str); 7] = [
        (&["/nonexistent"], 65, "no such file"),
        (&[&small], 64, "32 MiB"),
        (&[place.to_str().unwrap()], 64, "folder"),
        (&[&data, "--write"], 64, "destroy"),
        (
            &[&data, "--write", "--destroy-data", &small],
            64,
            "no target",
        ),
        (&[&data, "--destroy-data", &data], 64, "--write"),
        (&[&data, "--time", "soon"], 64, "soon"),
    ];
    for (arguments, code, why) in cases {
        let output = probe(arguments);
        let text = says(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
        assert!(text.contains(why), "{arguments:?}: {text}");
    }
}

#[test]
fn an_interrupted_probe_shows_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data");
    filled(&file, 64);
    let mut command = Command::new(PROGRAM);
    command.args(["probe", "--json", "--write", "--destroy-data"]);
    command
        .args([&file, &file])
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let child = command.spawn().unwrap();
    let begun = Instant::now();
    wait_until("it reads", || device_bytes(child.id()) > 4 << 20);
    let id = child.id().to_string();
    let killed = Command::new("kill").args(["-INT", &id]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    // A quick machine may be done before.
    if killed.success() && output.status.code() == Some(130) {
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        valid(&found, "geometry-1.schema.json");
        assert_eq!(found["partial"], "interrupted");
        assert!(begun.elapsed() < Duration::from_secs(60));
    } else {
        assert!(output.status.code().unwrap() < 2, "{output:?}");
    }
}
