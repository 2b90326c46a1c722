//! Somebody who may not. Rights of files are those of a thread: this one gives them up.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use ioalign_device::ErrorKind;

use super::{MIB, reading, refused, sized, writing};

/// Runs on a thread with the rights of `nobody`.
fn as_nobody(work: impl FnOnce() + Send) {
    const NOBODY: libc::c_long = 65534;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // SAFETY: the system call changes the rights of this thread alone, and takes a number.
            unsafe { libc::syscall(libc::SYS_setfsuid, NOBODY) };
            work();
        });
    });
}

#[test]
fn what_may_not_be_opened_is_said() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let path = folder.path().join("data");
    fs::write(&path, [0; 8192]).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let secret = folder.path().join("secret");
    fs::write(&secret, [0; 8192]).unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o400)).unwrap();
    // Without root there is no other user to be, and the bits alone refuse.
    let words = [
        "cannot be opened for reading and writing",
        "Permission denied",
        "run as root",
    ];
    as_nobody(|| {
        refused(&path, &writing(), ErrorKind::Io, &words);
        refused(
            &secret,
            &reading(),
            ErrorKind::Io,
            &["for reading", "Permission denied", "run as root"],
        );
        let new = folder.path().join("new");
        let words = [
            "cannot be made",
            "Permission denied",
            "that you may write to",
        ];
        refused(&new, &sized(reading(), MIB), ErrorKind::Io, &words);
    });
}
