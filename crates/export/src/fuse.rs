//! The device as a file: a FUSE mount on a regular file, whose root is the file itself.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags,
    INodeNo, InitFlags, KernelConfig, LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData,
    ReplyEmpty, ReplyOpen, ReplyStatfs, ReplyWrite, Request, Session, WriteFlags,
};
use rustix::mount::UnmountFlags;

use crate::media::BlockFault;
use crate::server::{BlockAnswer, BlockIo, BlockServer};

/// How long the kernel may keep attributes, which never change.
const FOREVER: Duration = Duration::from_secs(86_400);
/// I/Os that the kernel has with us at a time. Without it there are 12.
const IN_FLIGHT: u16 = 1024;
/// The largest I/O that arrives in one piece: what 256 pages hold, the kernel's limit.
const LARGEST: u32 = 1 << 20;
const BLOCK: u32 = 4096;
/// Threads that take I/Os from the kernel: a processor each, but few are enough.
const MOST_THREADS: usize = 4;
/// How long a mount may be in use before it is taken away all the same.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(20);

/// A mounted file.
#[derive(Debug)]
pub struct FuseMount {
    path: PathBuf,
    session: Option<BackgroundSession>,
}

impl FuseMount {
    /// Mounts the device on an existing regular file.
    pub fn new(server: Arc<BlockServer>, path: &Path) -> io::Result<Self> {
        let mut config = Config::default();
        config.mount_options = vec![
            MountOption::FSName("ioalign".to_owned()),
            MountOption::NoExec,
        ];
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        config.n_threads = Some(processors.clamp(1, MOST_THREADS));
        config.clone_fd = true;
        let session = Session::new(ServedFile { server }, path, &config)?.spawn()?;
        Ok(Self {
            path: path.to_owned(),
            session: Some(session),
        })
    }

    /// Waits until another program unmounts it.
    pub fn wait(mut self) -> io::Result<()> {
        self.session.take().map_or(Ok(()), BackgroundSession::join)
    }

    /// Takes the mount away; `false`: somebody still had the file open, who gets errors from now on.
    pub fn unmount(mut self) -> bool {
        self.detach()
    }

    fn detach(&mut self) -> bool {
        let Some(session) = self.session.take() else {
            return true;
        };
        let mut done = rustix::mount::unmount(&self.path, UnmountFlags::empty());
        let begun = Instant::now();
        while done == Err(rustix::io::Errno::BUSY) && begun.elapsed() < PATIENCE {
            std::thread::sleep(PAUSE);
            done = rustix::mount::unmount(&self.path, UnmountFlags::empty());
        }
        match done {
            // Without rights it is for `fusermount3`, which the session runs.
            Err(rustix::io::Errno::PERM) => return session.umount_and_join().is_ok(),
            Err(rustix::io::Errno::BUSY) => {
                let _ = rustix::mount::unmount(&self.path, UnmountFlags::DETACH);
            }
            // It is gone, now or before; the kernel lets the threads go a moment later.
            _ => {
                while !session.guard.is_finished() && begun.elapsed() < PATIENCE {
                    std::thread::sleep(PAUSE);
                }
            }
        }
        // Threads that are left end with the process, and with them the connection.
        let is_over = session.guard.is_finished();
        std::mem::forget(session);
        is_over
    }
}

impl Drop for FuseMount {
    fn drop(&mut self) {
        self.detach();
    }
}

struct ServedFile {
    server: Arc<BlockServer>,
}

impl ServedFile {
    fn attributes(&self) -> FileAttr {
        let epoch = SystemTime::UNIX_EPOCH;
        FileAttr {
            ino: INodeNo::ROOT,
            size: self.server.bytes(),
            blocks: self.server.bytes().div_ceil(512),
            atime: epoch,
            mtime: epoch,
            ctime: epoch,
            crtime: epoch,
            kind: FileType::RegularFile,
            perm: 0o600,
            nlink: 1,
            uid: rustix::process::geteuid().as_raw(),
            gid: rustix::process::getegid().as_raw(),
            rdev: 0,
            blksize: BLOCK,
            flags: 0,
        }
    }
}

impl Filesystem for ServedFile {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        // Without the first the kernel sends one direct I/O at a time, without the second it cuts them at 128 KiB. What a
        // kernel does not have it leaves as it is.
        let _ = config.add_capabilities(InitFlags::FUSE_ASYNC_DIO);
        let _ = config.add_capabilities(InitFlags::FUSE_MAX_PAGES);
        let _ = config.set_max_write(LARGEST);
        let _ = config.set_max_background(IN_FLIGHT);
        let _ = config.set_congestion_threshold(IN_FLIGHT);
        Ok(())
    }

    fn getattr(&self, _: &Request, _: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        reply.attr(&FOREVER, &self.attributes());
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        let blocks = self.server.bytes() / u64::from(BLOCK);
        reply.statfs(blocks, 0, 0, 1, 0, BLOCK, 255, BLOCK);
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        let flags = FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES;
        reply.opened(FileHandle(0), flags);
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        // A file ends; a read across the end is short.
        let rest = self.server.bytes().saturating_sub(offset);
        let len = u32::try_from(rest).map_or(size, |rest| size.min(rest));
        let io = BlockIo::Read {
            at: offset.min(self.server.bytes()),
            len,
        };
        self.server.submit(io, Box::new(ReadAnswer(reply)));
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let bytes = u32::try_from(data.len()).unwrap_or(u32::MAX);
        let io = BlockIo::Write {
            at: offset,
            data: data.to_vec(),
            durable: false,
        };
        self.server.submit(io, Box::new(WriteAnswer(reply, bytes)));
    }

    fn fallocate(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        // Values of `linux/falloc.h`. A loop device sends discards as holes, and zeros as holes, or as a zero range where
        // they have to be written.
        const KEEP_SIZE: i32 = 1;
        const PUNCH_HOLE: i32 = 2;
        const ZERO_RANGE: i32 = 16;
        match (mode & !KEEP_SIZE, u32::try_from(length)) {
            (PUNCH_HOLE, _) => answered(self.server.punch(offset, length, false), reply),
            (ZERO_RANGE, Ok(len)) => {
                let io = BlockIo::Zero {
                    at: offset,
                    len,
                    durable: false,
                };
                self.server.submit(io, Box::new(ZeroAnswer(reply)));
            }
            _ => reply.error(Errno::EOPNOTSUPP),
        }
    }

    /// When a descriptor is closed; it is no flush of a device.
    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        answered(self.server.flush(), reply);
    }
}

fn answered(done: Result<(), BlockFault>, reply: ReplyEmpty) {
    match done {
        Ok(()) => reply.ok(),
        Err(fault) => reply.error(error(fault)),
    }
}

const fn error(fault: BlockFault) -> Errno {
    match fault {
        BlockFault::PowerOff | BlockFault::Failed => Errno::EIO,
        BlockFault::PastEnd | BlockFault::Full => Errno::ENOSPC,
    }
}

struct ReadAnswer(ReplyData);

impl BlockAnswer for ReadAnswer {
    fn give(self: Box<Self>, outcome: Result<Vec<u8>, BlockFault>) {
        match outcome {
            Ok(data) => self.0.data(&data),
            Err(fault) => self.0.error(error(fault)),
        }
    }
}

struct WriteAnswer(ReplyWrite, u32);

impl BlockAnswer for WriteAnswer {
    fn give(self: Box<Self>, outcome: Result<Vec<u8>, BlockFault>) {
        match outcome {
            Ok(_) => self.0.written(self.1),
            Err(fault) => self.0.error(error(fault)),
        }
    }
}

struct ZeroAnswer(ReplyEmpty);

impl BlockAnswer for ZeroAnswer {
    fn give(self: Box<Self>, outcome: Result<Vec<u8>, BlockFault>) {
        answered(outcome.map(|_| ()), self.0);
    }
}
