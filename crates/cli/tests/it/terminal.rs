//! What others wrote does not act on the terminal, errors included.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ioalign_testkit::run::text;

use super::PROGRAM;

/// Sets the title, clears the screen, and does so once more by C1.
const EVIL: &str = "x\u{1b}]0;PWNED\u{7}\u{1b}[2J\u{9b}2J\u{202e}y";

/// What a terminal gets from a command line of `sh`, run in `folder`.
fn on_a_terminal(folder: &Path, line: &str) -> String {
    let out = folder.join("typescript");
    let mut child = Command::new("script")
        .args(["-qec", line])
        .arg(&out)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    child.wait().unwrap();
    let shown = String::from_utf8_lossy(&fs::read(&out).unwrap()).into_owned();
    // `script` puts a line of its own before and after.
    let lines = shown.lines().filter(|line| !line.starts_with("Script "));
    lines.collect::<Vec<_>>().join("\n")
}

fn acts(text: &str) -> bool {
    // Colours are ours.
    let escapes = text.split('\u{1b}').skip(1);
    let mut other = escapes.filter(|rest| !rest.starts_with('['));
    other.next().is_some()
        || text.contains("\u{1b}[2J")
        || text.contains(['\u{7}', '\u{9b}', '\u{202e}'])
}

/// A folder with documents whose every text is [`EVIL`].
fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    let json = format!("{{\"schema\": {}}}", serde_json::json!(EVIL));
    fs::write(path.join("evil.json"), json).unwrap();
    fs::write(path.join("policy.toml"), format!("x = \"{EVIL}\"\n")).unwrap();
    fs::write(path.join("plain.img"), vec![0; 1 << 20]).unwrap();
    fs::write(path.join(format!("{EVIL}.img")), "no image").unwrap();
    let trace = format!(
        "time_ns,op,offset_bytes,length_bytes,latency_ns,device,pid,process\n1,read,0,4096,,{EVIL},1,{EVIL}\n"
    );
    fs::write(path.join("trace.csv"), trace).unwrap();
    (folder, path)
}

#[test]
fn errors_do_not_act_on_the_terminal() {
    let (_folder, folder) = folder();
    for line in [
        "plan --from evil.json",
        "advise --stack evil.json",
        "measure compare --before evil.json plain.img",
        "check --policy policy.toml plain.img",
        "check --no-policy x*y.img nowhere",
        "check --no-policy --sysroot nowhere x*y.img",
        "fix x*y.img",
        "fix --journal nowhere --resume x*y.img",
        "trace summarize x*y.img",
        "trace convert x*y.img -o out.csv",
        "trace convert trace.csv --to csv -o -",
        "trace convert trace.csv --to msr -o -",
        "trace summarize trace.csv",
        "capture --sysroot . -o x*y.img",
        "measure run x*y.img",
        "explain x*y.img",
        "--x*y.img",
        "check --format x*y.img",
        "watch x*y.img",
    ] {
        let shown = on_a_terminal(&folder, &format!("{PROGRAM} {line}"));
        assert!(!shown.trim().is_empty(), "{line} said nothing");
        assert!(!acts(&shown), "{line}: {shown:?}");
    }
}

#[test]
fn a_name_with_a_line_end_is_no_message_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("a\nioalign: all is well");
    let output = Command::new(PROGRAM)
        .args(["trace", "summarize", text(&name)])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!said.is_empty());
    assert!(!said.contains("\nioalign: all is well"), "{said}");
}

#[test]
fn a_spreadsheet_runs_no_name_of_a_process() {
    let (_folder, folder) = folder();
    let trace = "time_ns,op,offset_bytes,length_bytes,latency_ns,device,pid,process\n\
                 1,read,0,4096,,@SUM(A1),1,=1+cmd|x!A\n2,read,0,4096,,sda,2,-bash\n3,read,0,512,,+1+x,3,fio\n";
    fs::write(folder.join("trace.csv"), trace).unwrap();
    for (format, rows) in [("csv", 4), ("msr", 3)] {
        let output = Command::new(PROGRAM)
            .args(["trace", "convert", "-q", "--to", format, "-o", "-"])
            .arg(folder.join("trace.csv"))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().count(), rows, "{text}");
        let mut cells = text.split([',', '\n']);
        let formula = cells.find(|cell| cell.starts_with(['=', '+', '-', '@', '\t', '\r']));
        assert_eq!(formula, None, "{text}");
        if format == "csv" {
            fs::write(folder.join("again.csv"), &text).unwrap();
        }
    }
    // Read back, the names are what they were.
    let output = Command::new(PROGRAM)
        .args([
            "trace",
            "summarize",
            "--json",
            text(&folder.join("again.csv")),
        ])
        .output()
        .unwrap();
    let profile = String::from_utf8(output.stdout).unwrap();
    for name in ["\"=1+cmd|x!A\"", "\"-bash\"", "\"@SUM(A1)\""] {
        assert!(profile.contains(name), "{name}: {profile}");
    }
}

/// A message that goes to standard error by another way is not cleaned.
#[test]
fn nothing_else_writes_to_standard_error() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    for name in [
        "cli", "core", "device", "inspect", "measure", "observe", "repair", "report",
    ] {
        look(&crates.join(name).join("src"), &mut found);
    }
    assert!(found.is_empty(), "use `say::note`: {found:#?}");
}

fn look(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            look(&path, found);
            continue;
        }
        // The room itself.
        if path.ends_with("cli/src/say.rs") {
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        // Tests of a module stand at its end.
        let code = source.split("#[cfg(test)]").next().unwrap();
        let writes = |line: &&str| {
            let bar = line.contains("ProgressDrawTarget") || line.contains("use_stderr");
            (line.contains("eprint") || line.contains("stderr()") || line.contains("dbg!(")) && !bar
        };
        let lines = code.lines().filter(writes);
        found.extend(lines.map(|line| format!("{}: {}", path.display(), line.trim())));
    }
}
