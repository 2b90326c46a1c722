//! The disk that loses power, and the file system on its partition.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ioalign_device::{AttachedLoop, Error, ErrorKind, Result};
use ioalign_export::ArrayRequest;
use ioalign_export::data::ArrayData;
use ioalign_export::media::{Media, PowerLoss, PowerRules, UnflushedFate};
use ioalign_export::server::ServiceModel;
use ioalign_export::session::{ServedDevice, WantedWays};

use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

use crate::programs::{found, kill_within, output};

/// How large a disk is.
pub const DISK_BYTES: u64 = 256 << 20;
/// What one I/O takes: long enough that the power is lost with some in flight.
const SERVICE_NS: u64 = 150_000;
/// The smallest page of a database, and how long to wait for one.
const LEAST_PAGE: u64 = 8192;
const WAITS_FOR_PAGE: Duration = Duration::from_secs(1);
/// Of a file system's clusters: the largest page.
const CLUSTER: u64 = 16384;
/// How long a file system may be busy.
const BUSY_AT_MOST: Duration = Duration::from_secs(10);
const BUSY_PAUSE: Duration = Duration::from_millis(50);
const COPIED_AT_ONCE: usize = 1 << 20;

/// A disk with a partition, and a file system that may be mounted. The partition goes before its disk.
#[derive(Debug)]
pub struct TornDisk {
    mounted: Option<PathBuf>,
    partition: AttachedLoop,
    device: ServedDevice,
    data: File,
    /// Pages that are being written.
    pages: Arc<AtomicU64>,
}

impl TornDisk {
    /// A disk of zeros, or of what `from` has, that cuts writes at multiples of `unit` bytes.
    pub fn new(start: u64, unit: u64, seed: u64, from: Option<&File>) -> Result<Self> {
        let data = ArrayData::open(None)?.sized(DISK_BYTES)?;
        let failed = |error| Error::io("the disk cannot be filled", error);
        if let Some(from) = from {
            copy(from, &data).map_err(failed)?;
        }
        let rules = PowerRules {
            tear: Some(unit),
            unflushed: UnflushedFate::LostSome,
            seed,
        };
        let media = data
            .try_clone()
            .and_then(|file| Media::new(file, DISK_BYTES, rules));
        let ways = WantedWays {
            fuse: true,
            socket: None,
        };
        let model = OneAtATime {
            least_page: LEAST_PAGE.min(unit.saturating_mul(2)),
            ..OneAtATime::default()
        };
        let pages = Arc::clone(&model.pages);
        let device = ServedDevice::start(Box::new(model), media.map_err(failed)?, &ways)?;
        let Some(node) = device.device() else {
            let why = device.notes().first().cloned().unwrap_or_default();
            return Err(Error::new(ErrorKind::Unsupported, why));
        };
        let partition = AttachedLoop::from_offset(node, start)
            .map_err(|error| Error::io("has no loop device", error).of_target(node))?;
        Ok(Self {
            mounted: None,
            partition,
            device,
            data,
            pages,
        })
    }

    /// Makes a file system whose clusters are as large as the largest page, and start where the partition does.
    pub fn format(&self) -> Result<()> {
        let mut command = Command::new(found("mkfs.ext4", "e2fsprogs")?);
        command.args(["-q", "-F", "-O", "bigalloc", "-b", "4096", "-C"]);
        command.arg(CLUSTER.to_string());
        // Tables are made now, and not in the background while the power is lost.
        command.args(["-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard"]);
        output(command.arg(self.node())).map(|_| ())
    }

    /// The partition.
    pub fn node(&self) -> &Path {
        self.partition.node()
    }

    /// Mounts its ext4.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn mount(&mut self, at: &Path) -> Result<()> {
        self.mount_as("ext4", at)
    }

    /// Mounts its file system, which is of this kind.
    pub fn mount_as(&mut self, kind: &str, at: &Path) -> Result<()> {
        let node = self.node();
        mount(node, at, kind, MountFlags::empty(), None)
            .map_err(|error| Error::io("cannot be mounted", error.into()).of_target(node))?;
        self.mounted = Some(at.to_owned());
        Ok(())
    }

    /// Unmounts it, whatever state it is in.
    pub fn unmount(&mut self) -> Result<()> {
        self.mounted.take().map_or(Ok(()), |at| unmounted(&at))
    }

    /// Cuts the power while a page is being written, or after a second without one.
    pub fn power_off(&self) -> Result<PowerLoss> {
        let end = Instant::now() + WAITS_FOR_PAGE;
        while self.pages.load(Ordering::Relaxed) == 0 && Instant::now() < end {
            std::thread::yield_now();
        }
        self.device.server().power_off().map_err(|fault| {
            let what = format!("the power cannot be cut: {fault:?}");
            Error::new(ErrorKind::Refused, what)
        })
    }

    /// Switches it on again.
    pub fn power_on(&self) {
        self.device.server().power_on();
    }

    /// What is on the disk, once it was unmounted.
    pub const fn data(&self) -> &File {
        &self.data
    }
}

impl Drop for TornDisk {
    fn drop(&mut self) {
        let _ = self.unmount();
    }
}

/// Kills what works there and unmounts it: processes that were killed take a moment to end.
fn unmounted(at: &Path) -> Result<()> {
    let end = Instant::now() + BUSY_AT_MOST;
    loop {
        kill_within(at);
        match unmount(at, UnmountFlags::empty()) {
            Ok(()) => return Ok(()),
            Err(_) if Instant::now() < end => std::thread::sleep(BUSY_PAUSE),
            Err(error) => {
                return Err(Error::io("cannot be unmounted", error.into()).of_target(at));
            }
        }
    }
}

/// All that is not zero.
fn copy(from: &File, to: &File) -> io::Result<()> {
    let mut piece = vec![0; COPIED_AT_ONCE];
    let mut at = 0;
    while at < DISK_BYTES {
        from.read_exact_at(&mut piece, at)?;
        if piece.iter().any(|byte| *byte != 0) {
            to.write_all_at(&piece, at)?;
        }
        at += COPIED_AT_ONCE as u64;
    }
    Ok(())
}

/// I/Os one after the other.
#[derive(Debug, Default)]
struct OneAtATime {
    free_ns: u64,
    /// What is smaller is no page: two units, so that it can be torn, or the smallest page of a database.
    least_page: u64,
    queue: VecDeque<TimedIo>,
    /// Writes in the queue that are as large as a page, or larger.
    pages: Arc<AtomicU64>,
}

#[derive(Copy, Clone, Debug)]
struct TimedIo {
    due_ns: u64,
    tag: u64,
    is_page: bool,
}

impl ServiceModel for OneAtATime {
    fn send(&mut self, now_ns: u64, request: ArrayRequest, tag: u64, _done: &mut Vec<u64>) {
        self.free_ns = self.free_ns.max(now_ns) + SERVICE_NS;
        let is_page = request.write && request.len >= self.least_page;
        self.pages.fetch_add(u64::from(is_page), Ordering::Relaxed);
        self.queue.push_back(TimedIo {
            due_ns: self.free_ns,
            tag,
            is_page,
        });
    }

    fn advance(&mut self, now_ns: u64, done: &mut Vec<u64>) {
        while let Some(&io) = self.queue.front().filter(|io| io.due_ns <= now_ns) {
            self.queue.pop_front();
            self.pages
                .fetch_sub(u64::from(io.is_page), Ordering::Relaxed);
            done.push(io.tag);
        }
    }

    fn next_ns(&self) -> Option<u64> {
        self.queue.front().map(|io| io.due_ns)
    }
}
