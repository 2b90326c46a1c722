//! `-o` and its like: never over a target, never over what is no report, never through a link.

use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::process::Stdio;

use ioalign_testkit::Loop;

use super::*;

const QUICK: &str = "--time 60ms --depth 1 --no-saturate --offsets 0,512";

/// Whatever the option, and with `--force` too.
#[test]
fn no_report_replaces_a_target_or_what_it_lies_in() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let whole = vec![7_u8; 8 << 20];
    fs::write(at.join("t.dat"), &whole).unwrap();
    fs::hard_link(at.join("t.dat"), at.join("hard")).unwrap();
    fs::write(at.join("below"), vec![0; 8 << 20]).unwrap();
    let device = Loop::new(&at.join("below"), &[]);
    let device = text(device.path());
    let calls = [
        format!("measure compare t.dat {QUICK} -o t.dat"),
        format!("measure compare t.dat {QUICK} -o hard"),
        "measure matrix t.dat --quick -o ./t.dat".to_owned(),
        "measure run t.dat --time 50ms --ramp 0 --profile-out t.dat".to_owned(),
        format!("measure compare {device} {QUICK} -o below"),
        format!("measure run {device} --time 50ms --ramp 0 --profile-out below"),
        "check t.dat --no-policy -o t.dat".to_owned(),
        "check t.dat --no-policy --json -o hard".to_owned(),
    ];
    for call in calls {
        for force in ["", " --force"] {
            let output = ioalign(at, &format!("{call}{force}"));
            ends(&output, 64, &["name another file"]);
        }
    }
    assert!(fs::read(at.join("t.dat")).unwrap() == whole);
    assert!(fs::read(at.join("below")).unwrap() == vec![0; 8 << 20]);
    assert_eq!(names(at), ["below", "hard", "t.dat"]);
}

#[test]
fn the_backing_file_of_an_image_stays() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let base = image(at, "base.img");
    let script = "cd \"$0\"; qemu-img create -q -f qcow2 -b base.img -F raw ov.qcow2";
    tool("sh", &["-c", script, text(at)]);
    for call in [
        "check ov.qcow2 --no-policy --json -o base.img --force",
        "check . --no-policy --json -o base.img --force",
        "check . --no-policy -o ov.qcow2 --force",
    ] {
        ends(&ioalign(at, call), 64, &["is never replaced"]);
    }
    assert!(fs::read(at.join("base.img")).unwrap() == base);
}

#[test]
fn only_a_report_gives_way_to_a_report() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    image(at, "disk.img");
    fs::write(at.join("notes"), "mine: ioalign check disk.img").unwrap();
    let call = "check disk.img --no-policy -o notes";
    ends(&ioalign(at, call), 64, &["not recognised", "--force"]);
    assert!(
        fs::read_to_string(at.join("notes"))
            .unwrap()
            .starts_with("mine")
    );
    ends(&ioalign(at, &format!("{call} --force")), 1, &[]);
    assert!(
        !fs::read_to_string(at.join("notes"))
            .unwrap()
            .starts_with("mine")
    );
    // An empty file, as mktemp makes it; then each report over itself.
    for format in [
        "json",
        "html",
        "svg",
        "nagios",
        "prometheus",
        "sarif",
        "junit",
    ] {
        let name = format!("report.{format}");
        fs::write(at.join(&name), "").unwrap();
        for _ in 0..2 {
            let call = format!("check disk.img --no-policy --format {format} -o {name}");
            let output = ioalign(at, &call);
            assert!(
                output.status.code().unwrap() < 2,
                "{format}: {}",
                super::said(&output)
            );
        }
        assert!(at.join(&name).metadata().unwrap().len() > 0);
    }
    for format in ["json", "csv", "html", "svg"] {
        for _ in 0..2 {
            let call = format!(
                "measure compare t.dat --size 8M {QUICK} --format {format} -o cost.{format}"
            );
            let output = ioalign(at, &call);
            assert!(
                output.status.code().unwrap() < 2,
                "{format}: {}",
                super::said(&output)
            );
        }
    }
    // Text is recognised by nothing, but a run replaces its own.
    let call = format!("measure compare t.dat --size 8M {QUICK} --sizes 4k,8k -o cost.txt");
    assert!(ioalign(at, &call).status.code().unwrap() < 2);
    ends(&ioalign(at, &call), 64, &["--force"]);
    nothing_partial(at);
}

/// The temporary name of earlier versions could be foreseen, and was written through.
#[test]
fn links_that_others_planted_lead_nowhere() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    image(at, "disk.img");
    fs::create_dir(at.join("shared")).unwrap();
    set_bits(&at.join("shared"), 0o777);
    let victim = at.join("victim");
    fs::write(&victim, "secret").unwrap();
    let calls = [
        "check disk.img --no-policy --json -o shared/out",
        "trace generate --ios 10 -o shared/out",
        "trace generate --ios 10 -o - --truth shared/out",
        "capture --sysroot shared -o shared/out",
    ];
    for call in calls {
        let planted = "ln -s ../victim shared/out.$$.tmp";
        after(at, planted, call);
        assert_eq!(fs::read(&victim).unwrap(), b"secret", "{call}");
        let _ = fs::remove_file(at.join("shared/out"));
        symlink("../victim", at.join("shared/out")).unwrap();
        for force in ["", " --force"] {
            let output = ioalign(at, &format!("{call}{force}"));
            assert!(super::said(&output).contains("symbolic link"), "{call}");
            assert_eq!(fs::read(&victim).unwrap(), b"secret", "{call}");
        }
        fs::remove_file(at.join("shared/out")).unwrap();
    }
    nothing_partial(&at.join("shared"));
}

#[test]
fn a_report_is_for_its_owner_and_a_collected_one_for_all() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    image(at, "disk.img");
    let is_root = rustix::process::geteuid().is_root();
    let private = if is_root { 0o600 } else { 0o644 };
    for (format, expected) in [
        ("json", private),
        ("html", private),
        ("svg", private),
        ("text", private),
        ("prometheus", 0o644),
        ("nagios", 0o644),
        ("sarif", 0o644),
        ("junit", 0o644),
    ] {
        let call = format!("check disk.img --no-policy --format {format} -o {format}");
        after(at, "umask 022", &call);
        assert_eq!(bits(&at.join(format)), expected, "{format}");
    }
    // Who may read the old one may read the new one.
    set_bits(&at.join("json"), 0o640);
    after(at, "umask 022", "check disk.img --no-policy --json -o json");
    assert_eq!(bits(&at.join("json")), 0o640);
    // But not if it is a stranger's.
    if is_root {
        chown(at.join("json"), Some(NOBODY), Some(NOBODY)).unwrap();
        set_bits(&at.join("json"), 0o666);
        after(at, "umask 022", "check disk.img --no-policy --json -o json");
        assert_eq!(
            (bits(&at.join("json")), owner(&at.join("json"))),
            (0o600, 0)
        );
    }
    // A trace is not for more eyes than those that it is made of.
    fs::write(at.join("a.csv"), "0,R,0,4096,1577808000000000\n".repeat(3)).unwrap();
    for expected in [0o600, 0o644] {
        set_bits(&at.join("a.csv"), expected);
        let call = "trace convert a.csv --to csv --force -o b.csv";
        ends(&after(at, "umask 022", call), 0, &[]);
        assert_eq!(bits(&at.join("b.csv")), expected);
    }
}

#[test]
fn standard_output_and_pipes_are_written_as_they_are() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    image(at, "disk.img");
    // But for the times in the report.
    let targets = |bytes: &[u8]| -> serde_json::Value {
        let value: serde_json::Value = serde_json::from_slice(bytes).unwrap();
        value["targets"][0]["findings"].clone()
    };
    let plain = targets(&ioalign(at, "check disk.img --no-policy --json").stdout);
    assert_eq!(plain.as_array().unwrap().len(), 1);
    for name in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let call = format!("check disk.img --no-policy --json -o {name}");
        assert_eq!(targets(&ioalign(at, &call).stdout), plain, "{name}");
        let file = fs::File::create(at.join("out")).unwrap();
        let mut command = Command::new(PROGRAM);
        let command = command.current_dir(at).args(call.split(' ')).stdout(file);
        command.stderr(Stdio::null()).status().unwrap();
        assert_eq!(targets(&fs::read(at.join("out")).unwrap()), plain, "{name}");
    }
    tool("mkfifo", &[text(&at.join("fifo"))]);
    let script = "cat fifo > read & \"$0\" check disk.img --no-policy --json -o fifo; wait";
    let mut shell = Command::new("sh");
    let shell = shell.current_dir(at).args(["-c", script, PROGRAM]);
    shell.output().unwrap();
    assert_eq!(targets(&fs::read(at.join("read")).unwrap()), plain);
    assert!(!names(at).contains(&"-".to_owned()));
}

/// Who guesses the name of the folder of `sudo ioalign demo` does not get files of root overwritten.
#[test]
fn the_folder_of_the_demo_is_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("victim"), "secret").unwrap();
    let planted = "export TMPDIR=\"$PWD\"; mkdir ioalign-demo-$$; for name in scratch.img fixed.img report.html; do \
                   ln -s ../victim ioalign-demo-$$/$name; done";
    let output = after(at, planted, "demo");
    ends(&output, 0, &[]);
    assert_eq!(fs::read(at.join("victim")).unwrap(), b"secret");
    let made = |name: &&String| at.join(name).join("scratch.img").is_file() && name.len() > 20;
    let all = names(at);
    let own = all.iter().find(made).unwrap();
    assert_eq!(bits(&at.join(own)), 0o700);
    for name in ["scratch.img", "fixed.img", "report.html"] {
        assert!(
            at.join(own).join(name).metadata().unwrap().len() > 1000,
            "{name}"
        );
    }
}
