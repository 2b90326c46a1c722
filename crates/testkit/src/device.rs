//! Block devices and mounts that last as long as a value. They need root.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::run::{command, text};

/// A loop device.
#[derive(Debug)]
pub struct Loop {
    device: String,
}

impl Loop {
    /// Over a file, with further arguments of losetup: `--direct-io=on`, `--offset=32256`.
    pub fn new(file: &Path, arguments: &[&str]) -> Self {
        let arguments = [&["--find", "--show"], arguments, &[text(file)]].concat();
        let device = root("losetup", &arguments).trim().to_owned();
        Self { device }
    }

    /// `/dev/loop3`.
    pub fn path(&self) -> &Path {
        Path::new(&self.device)
    }

    /// The same as text, for arguments.
    pub fn text(&self) -> &str {
        &self.device
    }

    /// `loop3`.
    pub fn name(&self) -> &str {
        self.device.trim_start_matches("/dev/")
    }

    /// Has it take on the size that its file has now.
    pub fn resize(&self) {
        root("losetup", &["--set-capacity", &self.device]);
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        // Partitions that a test had the kernel add; mostly there are none.
        let _ = command("partx").args(["--delete", &self.device]).output();
        let detached = command("losetup").args(["--detach", &self.device]).status();
        if !std::thread::panicking() {
            assert!(
                detached.is_ok_and(|status| status.success()),
                "{}",
                self.device
            );
        }
    }
}

/// A mounted file system.
#[derive(Debug)]
pub struct MountGuard {
    point: PathBuf,
}

impl MountGuard {
    /// `mount ARGUMENTS POINT`: `["-t", "tmpfs", "-o", "size=8m", "none"]`.
    pub fn new(arguments: &[&str], point: &Path) -> Self {
        std::fs::create_dir_all(point).unwrap();
        root("mount", &[arguments, &[text(point)]].concat());
        let point = point.to_owned();
        Self { point }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.point
    }

    /// Unmounts it, at the first try; what the tool says if that fails.
    pub fn try_unmount(self) -> Result<(), String> {
        let output = command("umount").arg(&self.point).output().unwrap();
        if output.status.success() {
            std::mem::forget(self);
            return Ok(());
        }
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

impl Drop for MountGuard {
    fn drop(&mut self) {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(5) {
            let status = command("umount").arg(&self.point).status();
            if status.is_ok_and(|status| status.success()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        // Whoever still holds it lets go in the end, and then it goes.
        let _ = command("umount").arg("--lazy").arg(&self.point).status();
        eprintln!("{} was still in use", self.point.display());
    }
}

/// A tool that only root may use.
fn root(tool: &str, arguments: &[&str]) -> String {
    let output = command(tool).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{tool} is needed for this test: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{tool} {arguments:?} (this test needs root): {errors}"
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}
