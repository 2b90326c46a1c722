//! What is refused, with which exit code, in which words.

use ioalign_testkit::Loop;
use ioalign_testkit::run::tool;

use super::{SIZE, measure, stated};

#[test]
fn wrong_use_and_unusable_targets() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("data"), vec![7; 1 << 20]).unwrap();
    std::fs::write(at.join("empty"), "").unwrap();
    std::fs::write(
        at.join("bad.toml"),
        "name = \"x\"\n[[step]]\nsizes = \"4x\"\n",
    )
    .unwrap();
    let made = measure(
        at,
        &format!("compare t.dat --size {SIZE} --time 60ms --depth 1 --no-saturate"),
    );
    assert!(made.status.code().unwrap() < 2, "{made:?}");
    std::fs::hard_link(at.join("t.dat"), at.join("hard")).unwrap();
    tool("mkfifo", &[at.join("fifo").to_str().unwrap()]);
    for (arguments, code, words) in [
        ("compare missing", 65, "there is no such file or device"),
        ("compare t.dat --ops write", 64, "--write"),
        ("compare t.dat --workload fio-1m-writes", 64, "--write"),
        ("matrix t.dat --ops write", 64, "--write"),
        ("run blender-70-30 t.dat", 64, "--write"),
        (
            "compare data --write --ops write",
            64,
            "--destroy-data data",
        ),
        ("run fio-1m-writes data --write", 64, "--destroy-data data"),
        (
            "compare data --write --destroy-data t.dat",
            64,
            "no target of this run",
        ),
        ("compare t.dat --destroy-data t.dat", 64, "--write"),
        (
            "compare t.dat --offsets 512",
            64,
            "nothing to be compared with",
        ),
        ("compare t.dat --offsets 0,512,0", 64, "twice"),
        ("compare t.dat --offsets 0,1T", 64, "beyond its end"),
        ("compare t.dat --write-amplification 1G", 64, "--write"),
        (
            "compare t.dat --write --ops read --write-amplification 1G",
            64,
            "no cell of this run writes",
        ),
        (
            "compare t.dat --write --quick --write-amplification 1G",
            64,
            "--quick",
        ),
        ("compare t.dat --vs t.dat", 64, "the same target"),
        ("compare t.dat --vs ./hard", 64, "the same target"),
        ("compare t.dat --layout-a t.dat", 64, "--layout-b"),
        ("compare t.dat --workload nothing", 64, "iometer-vmfs"),
        ("compare t.dat --workload bad.toml", 64, "step 1: sizes:"),
        ("compare t.dat --confidence 100%", 64, "99.9999%"),
        ("compare t.dat --format xml", 64, "csv"),
        ("compare empty", 64, "0 bytes"),
        ("run", 64, "no target"),
        ("run t.dat t.dat", 64, "named twice"),
        (
            "run blender-70-30 t.dat data ./hard --write",
            64,
            "are the same target",
        ),
        ("run missing.toml t.dat", 65, "missing.toml"),
        ("run t.dat --from-fio missing.fio", 65, "missing.fio"),
        ("compare /dev/null", 64, "no block device, file or folder"),
        ("matrix fifo", 64, "no block device, file or folder"),
    ] {
        let output = measure(at, arguments);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments}: {}",
            stated(&output)
        );
        assert!(
            stated(&output).contains(words),
            "{arguments}: {}",
            stated(&output)
        );
        assert!(output.stdout.is_empty(), "{arguments}");
    }
    // Two loop devices over one file are it, unless they show different parts of it.
    let disk = at.join("t.dat");
    let whole = [Loop::new(&disk, &[]), Loop::new(&disk, &[])];
    let part = Loop::new(&disk, &["-o", "4194304"]);
    let [a, b] = [whole[0].text(), whole[1].text()];
    for arguments in [
        format!("run {a} {b}"),
        format!("run hard {a}"),
        format!("compare {a} --vs {b}"),
    ] {
        let output = measure(at, &arguments);
        assert_eq!(output.status.code(), Some(64), "{arguments}");
        assert!(stated(&output).contains("same target"), "{arguments}");
    }
    let line = format!("run {a} {} --ramp 0 --time 10ms", part.text());
    assert_eq!(measure(at, &line).status.code(), Some(0));
    assert_eq!(std::fs::read(at.join("data")).unwrap(), vec![7; 1 << 20]);
    assert!(!at.join("missing").exists());
}
