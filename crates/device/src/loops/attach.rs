//! Loop devices that this program makes.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::LoopStatus;

const CONTROL: &str = "/dev/loop-control";
/// `LOOP_CTL_GET_FREE`, `LOOP_CONFIGURE` and `LOOP_CLR_FD` of `linux/loop.h`.
const GET_FREE: u16 = 0x4c82;
const CONFIGURE: u16 = 0x4c0a;
const CLEAR: u16 = 0x4c01;
/// `LO_FLAGS_DIRECT_IO`.
const DIRECT_IO: u32 = 16;
/// Another program may take the free device first.
const TRIES: u32 = 64;
/// A device is gone a moment after it was let go.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(10);

/// `struct loop_config`.
#[repr(C)]
struct LoopSetting {
    file: u32,
    block_size: u32,
    status: LoopStatus,
    reserved: [u64; 8],
}

/// A loop device over a file, with direct I/O; detached when it goes.
#[derive(Debug)]
pub struct AttachedLoop {
    node: PathBuf,
    file: PathBuf,
    is_attached: bool,
}

impl AttachedLoop {
    /// Attaches a whole file to a free device. It needs root.
    pub fn new(path: &Path) -> io::Result<Self> {
        Self::from_offset(path, 0)
    }

    /// Attaches what lies in a file from this byte on.
    pub fn from_offset(path: &Path, offset: u64) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let control = OpenOptions::new().read(true).write(true).open(CONTROL)?;
        let file = OpenOptions::new().read(true).write(true).open(&path)?;
        let setting = setting(&file, &path, offset);
        for _ in 0..TRIES {
            // SAFETY: LOOP_CTL_GET_FREE takes no argument, and the descriptor is open.
            let number = unsafe { libc::ioctl(control.as_raw_fd(), GET_FREE.into()) };
            if number < 0 {
                return Err(io::Error::last_os_error());
            }
            let node = PathBuf::from(format!("/dev/loop{number}"));
            let device = OpenOptions::new().read(true).write(true).open(&node)?;
            // SAFETY: LOOP_CONFIGURE reads one `struct loop_config`, which lives until the call returns; both
            // descriptors are open.
            let done = unsafe {
                libc::ioctl(
                    device.as_raw_fd(),
                    CONFIGURE.into(),
                    std::ptr::from_ref(&setting),
                )
            };
            if done == 0 {
                return Ok(Self {
                    node,
                    file: path,
                    is_attached: true,
                });
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::ResourceBusy {
                return Err(error);
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    /// `/dev/loop3`.
    pub fn node(&self) -> &Path {
        &self.node
    }

    /// Whether its I/O goes past the page cache of the file.
    pub fn is_direct(&self) -> bool {
        let name = self.node.file_name().unwrap_or_default();
        let flag = Path::new("/sys/block").join(name).join("loop/dio");
        fs::read(flag).is_ok_and(|text| text.starts_with(b"1"))
    }

    /// Detaches it; `false`: something has it open, and the kernel detaches it when that closes it.
    pub fn detach(mut self) -> io::Result<bool> {
        self.is_attached = false;
        detach(&self.node, &self.file)?;
        let mut waited = Duration::ZERO;
        while loops_on(&self.file).contains(&self.node) {
            if waited >= PATIENCE {
                return Ok(false);
            }
            std::thread::sleep(PAUSE);
            waited += PAUSE;
        }
        Ok(true)
    }
}

impl Drop for AttachedLoop {
    fn drop(&mut self) {
        if self.is_attached {
            let _ = detach(&self.node, &self.file);
        }
    }
}

/// Detaches a loop device if this file is still the one below it, or as soon as it is closed.
pub fn detach(node: &Path, file: &Path) -> io::Result<()> {
    let device = File::open(node)?;
    if !loops_on(file).iter().any(|one| one == node) {
        return Ok(());
    }
    // SAFETY: LOOP_CLR_FD takes no argument, and the descriptor is open.
    match unsafe { libc::ioctl(device.as_raw_fd(), CLEAR.into()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The loop devices over a file, by the name that it had. The file is not asked: it may be one that does not answer.
pub fn loops_on(file: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let on_it = entries.filter(|entry| {
        let below = fs::read(entry.path().join("loop/backing_file"));
        below.is_ok_and(|below| below.trim_ascii_end() == file.as_os_str().as_bytes())
    });
    on_it
        .map(|entry| Path::new("/dev").join(entry.file_name()))
        .collect()
}

/// Sectors of 512 bytes and direct I/O, under the name of the file.
fn setting(file: &File, path: &Path, offset: u64) -> LoopSetting {
    let mut names = [0; 160];
    // `lo_file_name` has 64 bytes and is text for people.
    let name = path.as_os_str().as_bytes();
    for (to, from) in names.iter_mut().take(63).zip(name) {
        *to = *from;
    }
    LoopSetting {
        file: u32::try_from(file.as_raw_fd()).unwrap_or(u32::MAX),
        block_size: 512,
        status: LoopStatus {
            device: 0,
            inode: 0,
            number: 0,
            offset,
            size_limit: 0,
            flags: [0, 0, 0, DIRECT_IO],
            names,
            init: [0; 2],
        },
        reserved: [0; 8],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_has_the_kernels_size() {
        assert_eq!(size_of::<LoopSetting>(), 304);
    }
}
