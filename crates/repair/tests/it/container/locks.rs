//! An image that a machine runs on is not touched, and QEMU does not take one that is being written.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Stdio};

use ioalign_repair::ErrorKind;
use ioalign_repair::container::{self, Format};
use ioalign_testkit::run::command;

use super::tools::open;

/// QEMU with the image open, for as long as it is not told to quit.
struct Qemu(Child);

impl Qemu {
    fn on(path: &Path, options: &[&str]) -> Self {
        let mut command = command("qemu-io");
        command.args(options).args(["-f", "qcow2"]).arg(path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let child = command.stderr(Stdio::null()).spawn();
        let mut qemu = Self(child.expect("qemu-io (qemu-utils) is needed for this test"));
        // Its answer says that the image is open.
        qemu.tell("length\n");
        let mut byte = [0];
        let output = qemu.0.stdout.as_mut().unwrap();
        std::io::Read::read_exact(output, &mut byte).unwrap();
        qemu
    }

    fn tell(&mut self, what: &str) {
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

#[test]
fn qemu_and_we_keep_out_of_each_others_images() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("used.qcow2");
    drop(container::create(&path, Format::Qcow2, 4 << 20, 512).unwrap());
    drop(open(&path, true));
    {
        let _writes = Qemu::on(&path, &[]);
        for write in [true, false] {
            let error = container::open(&path, write).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::InUse, "write: {write}");
        }
    }
    {
        let _reads = Qemu::on(&path, &["-r"]);
        let error = container::open(&path, true).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InUse);
        drop(open(&path, false));
    }
    let ours = open(&path, true);
    let mut qemu = command("qemu-io");
    qemu.args(["-f", "qcow2", "-c", "length"]).arg(&path);
    assert!(
        !qemu.output().unwrap().status.success(),
        "QEMU opens it too"
    );
    drop(ours);
}
