//! The full screen.

use std::process::{Command, Stdio};

use super::{Memory, PROGRAM, permitted};

/// What a terminal of 80 columns gets from `ioalign watch ARGUMENT…`, and is left as.
fn on_a_terminal(command: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("typescript");
    let line = format!("stty cols 80 rows 30; {command}");
    let mut child = Command::new("script")
        .args(["-qec", &line])
        .arg(&out)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    child.wait().unwrap();
    String::from_utf8_lossy(&std::fs::read(&out).unwrap()).into_owned()
}

#[test]
fn the_full_screen_gives_the_terminal_back() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("screen", 64);
    let name = disk.name();
    let taken = "\u{1b}[?1049h";
    let given_back = "\u{1b}[?1049l";
    let ended = on_a_terminal(&format!(
        "{PROGRAM} watch {name} --count 2 --interval 200ms"
    ));
    let terminated = on_a_terminal(&format!(
        "{PROGRAM} watch {name} & sleep 4; kill -TERM $!; wait $!"
    ));
    for screen in [&ended, &terminated] {
        assert!(
            screen.contains(taken) && screen.contains(name),
            "{screen:?}"
        );
        let (_, after) = screen.rsplit_once(given_back).unwrap();
        assert!(
            after.contains("No I/O") || after.contains("dropped 0"),
            "{after:?}"
        );
        // The cursor is shown again.
        assert!(screen.contains("\u{1b}[?25h"));
    }
}
