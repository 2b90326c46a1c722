//! A program that has an image open as virtual machines do.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Stdio};

use crate::run::command;

/// QEMU with the image open, for as long as it is not asked to quit.
#[derive(Debug)]
pub struct Qemu(Child);

impl Qemu {
    /// With options of `qemu-io`: `-r` only reads, `-f raw` takes any file.
    pub fn on(path: &Path, options: &[&str]) -> Self {
        let mut command = command("qemu-io");
        command.args(options).arg(path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let child = command.stderr(Stdio::null()).spawn();
        let mut qemu = Self(child.expect("qemu-io (qemu-utils) is needed for this test"));
        // Its answer says that the image is open.
        qemu.say("length\n");
        let mut byte = [0];
        let output = qemu.0.stdout.as_mut().unwrap();
        output.read_exact(&mut byte).unwrap();
        qemu
    }

    fn say(&mut self, what: &str) {
        let input = self.0.stdin.as_mut().unwrap();
        input.write_all(what.as_bytes()).unwrap();
        input.flush().unwrap();
    }
}

impl Drop for Qemu {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
