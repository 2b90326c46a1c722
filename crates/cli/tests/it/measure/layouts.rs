//! `--layout-a` and `--layout-b`: the starts that sfdisk made, from every form in which they are kept.

use std::path::Path;
use std::process::Stdio;

use ioalign_testkit::run::command;

use super::super::PROGRAM;
use super::{arms, compared, measure};

/// A table by sfdisk itself: an EFI partition first, then data at `start`.
fn image(path: &Path, start: u64) {
    std::fs::File::create(path)
        .unwrap()
        .set_len(64 << 20)
        .unwrap();
    let script = format!(
        "label: dos\nstart={start}, size=20480, type=83\nstart=61440, size=8192, type=82\n"
    );
    let mut child = command("sfdisk")
        .args(["--quiet", "--no-reread"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), script.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

/// The same layout as a dump, as JSON, as a document of check, and as the image itself.
fn forms(folder: &Path, name: &str, start: u64) -> Vec<String> {
    let path = folder.join(name);
    image(&path, start);
    let text = path.to_str().unwrap();
    let keep = |ending: &str, content: String| {
        let file = format!("{name}.{ending}");
        std::fs::write(folder.join(&file), content).unwrap();
        file
    };
    let run = |flag: &str| {
        let output = command("sfdisk").arg(flag).arg(&path).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let checked = std::process::Command::new(PROGRAM)
        .args(["check", "--json", text])
        .output()
        .unwrap();
    vec![
        keep("sfdisk", run("-d")),
        keep("json", run("-J")),
        keep("check", String::from_utf8(checked.stdout).unwrap()),
        name.to_owned(),
    ]
}

#[test]
fn starts_of_two_layouts_in_every_form() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let old = forms(folder.path(), "old.img", 63);
    let new = forms(folder.path(), "new.img", 2048);
    for (old, new) in old.iter().zip(&new) {
        let line = format!(
            "compare t.dat --size 4M --layout-a {old} --layout-b {new} --time 60ms --depth 1 --no-saturate"
        );
        let value = compared(folder.path(), &line);
        assert_eq!(
            arms(&value),
            [("a: 32256", 32256), ("b: 1048576", 1 << 20)],
            "{old} {new}"
        );
    }
}

#[test]
fn another_partition_and_none() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let old = forms(folder.path(), "old.img", 63);
    image(&folder.path().join("new.img"), 2048);
    let line = |number: u32| {
        let rest = "--layout-b new.img --time 60ms --depth 1 --no-saturate";
        format!(
            "compare t.dat --size 4M --layout-a {} {rest} --partition {number}",
            old[0]
        )
    };
    let output = measure(folder.path(), &line(2));
    assert_eq!(output.status.code(), Some(64), "{output:?}");
    assert!(super::stated(&output).contains("both layouts start at byte 31457280"));
    let output = measure(folder.path(), &line(7));
    assert_eq!(output.status.code(), Some(65), "{output:?}");
    assert!(super::stated(&output).contains("no partition 7 is in it"));
}
