//! This build's program on another kernel, in the microVM of `cargo xtask vm`.

use std::path::Path;
use std::process::Command;

use super::PROGRAM;

/// Runs a script of `lab/` in the guest, with this build's program beside it; what the guest copies out
/// goes to `out`. Gives what the guest printed.
pub fn run(script: &str, out: &Path) -> String {
    let out = out.to_str().unwrap();
    let (ended, said) = boot(script, &["--timeout", "900", "--out", out]);
    assert!(ended, "{said}");
    said
}

/// The xtask that runs the tests, or one that is built now.
fn xtask() -> Command {
    if let Some(running) = std::env::var_os("IOALIGN_XTASK") {
        return Command::new(running);
    }
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "--package", "xtask", "--"]);
    command
}

/// The same with these options; whether the script came to its end, and all that was printed.
pub fn boot(script: &str, options: &[&str]) -> (bool, String) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let output = xtask()
        .args(["vm", script])
        // Emulated, beside other tests on two processors: a minute alone.
        .args(["--file", PROGRAM])
        .args(options)
        .current_dir(root)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    (output.status.success(), format!("{said}\n{errors}"))
}
