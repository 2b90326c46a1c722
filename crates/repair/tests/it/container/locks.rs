//! An image that a machine runs on is not touched, and QEMU does not take one that is being written.

use ioalign_repair::ErrorKind;
use ioalign_repair::container::{self, ImageFormat};
use ioalign_testkit::Qemu;
use ioalign_testkit::run::command;

use super::tools::open;

#[test]
fn qemu_and_we_keep_out_of_each_others_images() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("used.qcow2");
    drop(container::create(&path, ImageFormat::Qcow2, 4 << 20, 512).unwrap());
    drop(open(&path, true));
    {
        let _writes = Qemu::on(&path, &["-f", "qcow2"]);
        for write in [true, false] {
            let error = container::open(&path, write).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::InUse, "write: {write}");
        }
    }
    {
        let _reads = Qemu::on(&path, &["-r", "-f", "qcow2"]);
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
