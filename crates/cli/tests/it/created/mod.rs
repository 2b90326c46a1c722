//! Files that the program makes: what they replace, who may read them, and what is left of a run that was killed.

mod images;
mod reports;
mod scratch;

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Output};

use ioalign_testkit::Disk;
use ioalign_testkit::files::names;
use ioalign_testkit::run::{text, tool};

use super::PROGRAM;

const NOBODY: u32 = 65534;

/// `ioalign WORDS` in a folder.
fn ioalign(folder: &Path, words: &str) -> Output {
    let mut command = Command::new(PROGRAM);
    let words = words.split_whitespace();
    command.current_dir(folder).args(words).output().unwrap()
}

/// In a shell that runs something before, and then becomes the program: `$$` is its process.
fn after(folder: &Path, before: &str, words: &str) -> Output {
    let script = format!("{before}; exec \"$0\" {words}");
    let mut shell = Command::new("sh");
    let shell = shell.current_dir(folder).args(["-c", &script, PROGRAM]);
    shell.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Ended with this code, and says all of this.
fn ends(output: &Output, code: i32, words: &[&str]) {
    let said = said(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    for word in words {
        assert!(said.contains(word), "no «{word}» in: {said}");
    }
}

fn bits(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

fn set_bits(path: &Path, bits: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(bits)).unwrap();
}

/// A raw image with a partition at sector 63, of a few MiB of data.
fn image(folder: &Path, name: &str) -> Vec<u8> {
    let disk = Disk::new(name, 24 << 20);
    let script = "echo 63,40000,83 | sfdisk -q --no-reread --no-tell-kernel \"$0\"";
    tool("sh", &["-c", script, text(disk.path())]);
    disk.write(63 * 512, &vec![0xa5; 16 << 20]);
    std::fs::copy(disk.path(), folder.join(name)).unwrap();
    std::fs::read(folder.join(name)).unwrap()
}

/// No file on its way is left.
fn nothing_partial(folder: &Path) {
    let names = names(folder);
    assert!(
        !names.iter().any(|name| name.contains("PARTIAL")),
        "{names:?}"
    );
}

fn owner(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().uid()
}
