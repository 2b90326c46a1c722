//! What `qemu-img` says of an image.

use std::path::Path;
use std::process::Output;

use ioalign_testkit::run::command;

fn qemu_img<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Output {
    let mut command = command("qemu-img");
    let arguments: Vec<&str> = arguments.into_iter().collect();
    // Names inside of images are relative to where it runs.
    let image = arguments
        .iter()
        .rev()
        .find(|argument| argument.starts_with('/'));
    if let Some(folder) = image.and_then(|image| Path::new(image).parent()) {
        command.current_dir(folder);
    }
    command.args(arguments);
    command
        .output()
        .expect("qemu-img (qemu-utils) is needed for this test")
}

/// Runs it, and it has to work.
pub fn must<'a>(arguments: impl IntoIterator<Item = &'a str>) {
    let arguments: Vec<&str> = arguments.into_iter().collect();
    let done = qemu_img(arguments.iter().copied());
    assert!(
        done.status.success(),
        "qemu-img {arguments:?}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
}

/// QEMU's name for a format.
pub fn name(format: &str) -> &str {
    if format == "vhd" { "vpc" } else { format }
}

/// What `qemu-img check` says: whether it found damage, or only clusters that nothing uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Sound,
    Leaks,
    Damaged,
}

/// Checks an image. VHD has no check: that it opens has to do.
pub fn check(path: &Path, format: &str) -> (Verdict, String) {
    let done = qemu_img(["check", "-f", name(format), path.to_str().unwrap()]);
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr)
    );
    let verdict = match done.status.code() {
        Some(0 | 63) => Verdict::Sound,
        Some(3) => Verdict::Leaks,
        _ => Verdict::Damaged,
    };
    (verdict, said)
}

/// What a guest reads in the image.
pub fn content(path: &Path, format: &str) -> Vec<u8> {
    let raw = path.with_extension("converted");
    must([
        "convert",
        "-f",
        name(format),
        "-O",
        "raw",
        path.to_str().unwrap(),
        raw.to_str().unwrap(),
    ]);
    let bytes = std::fs::read(&raw).unwrap();
    std::fs::remove_file(&raw).unwrap();
    bytes
}

/// The image has no leaks and no errors, and a guest reads `expected` in it.
pub fn is_sound(path: &Path, format: &str, expected: &[u8]) {
    let (verdict, said) = check(path, format);
    assert_eq!(verdict, Verdict::Sound, "{}: {said}", path.display());
    holds(path, format, expected);
}

/// A guest reads `expected` in it.
pub fn holds(path: &Path, format: &str, expected: &[u8]) {
    let there = content(path, format);
    assert!(there.len() >= expected.len(), "{} is short", path.display());
    let wrong = there.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!(wrong, None, "{} differs", path.display());
}
