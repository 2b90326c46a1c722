//! A folder with one file, which takes as long as its law has it.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use fuser::{
    Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, InitFlags,
    KernelConfig, LockOwner, OpenFlags, ReplyAttr, ReplyData, ReplyDirectory, ReplyEmpty,
    ReplyEntry, ReplyOpen, ReplyWrite, Request, WriteFlags,
};
use ioalign_testkit::served::{DeviceLaw, ServedIo, Servers};

use crate::answers::{self, Reply, ServedAnswer};

/// How long the kernel may keep names and attributes, which never change.
const FOREVER: Duration = Duration::from_secs(86_400);
/// Ends of I/Os that the next one may follow.
const REMEMBERED: usize = 64;
const FILE: INodeNo = INodeNo(2);
const NAME: &str = "disk";

/// The folder, and what is in its file.
pub struct ServedDisk {
    size: u64,
    data: File,
    queue: Mutex<ServedQueue>,
    later: Sender<ServedAnswer>,
}

struct ServedQueue {
    servers: Servers,
    begun: Instant,
    /// Where I/Os ended of late.
    ends: VecDeque<u64>,
}

impl ServedDisk {
    pub fn new(law: DeviceLaw, size: u64) -> io::Result<Self> {
        let data = tempfile::tempfile()?;
        data.set_len(size)?;
        Ok(Self {
            size,
            data,
            queue: Mutex::new(ServedQueue {
                servers: Servers::new(law),
                begun: Instant::now(),
                ends: VecDeque::new(),
            }),
            later: answers::start(),
        })
    }

    /// When an I/O that comes now is complete.
    fn complete(&self, write: bool, offset: u64, bytes: usize) -> Instant {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = bytes.max(1) as u64;
        let followed = queue.ends.iter().position(|end| *end == offset);
        let io = ServedIo {
            write,
            offset,
            bytes,
            sequential: followed.is_some(),
        };
        if let Some(followed) = followed {
            queue.ends.remove(followed);
        } else if queue.ends.len() == REMEMBERED {
            queue.ends.pop_front();
        }
        queue.ends.push_back(offset + bytes);
        let now_us = queue.begun.elapsed().as_secs_f64() * 1e6;
        let end_us = queue.servers.take(&io, now_us, 1.0);
        queue.begun + Duration::from_secs_f64(end_us / 1e6)
    }

    fn attributes(&self, ino: INodeNo) -> FileAttr {
        let epoch = SystemTime::UNIX_EPOCH;
        let (kind, perm, size) = if ino == FILE {
            (FileType::RegularFile, 0o600, self.size)
        } else {
            (FileType::Directory, 0o700, 0)
        };
        FileAttr {
            ino,
            size,
            blocks: size / 512,
            atime: epoch,
            mtime: epoch,
            ctime: epoch,
            crtime: epoch,
            kind,
            perm,
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        }
    }
}

impl Filesystem for ServedDisk {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        // Without it the kernel sends one direct I/O at a time. What a kernel does not have it leaves as it is.
        let _ = config.add_capabilities(InitFlags::FUSE_ASYNC_DIO);
        let _ = config.set_max_write(1 << 20);
        let _ = config.set_max_background(1024);
        let _ = config.set_congestion_threshold(1024);
        Ok(())
    }

    fn lookup(&self, _: &Request, _: INodeNo, name: &OsStr, reply: ReplyEntry) {
        if name == NAME {
            reply.entry(&FOREVER, &self.attributes(FILE), Generation(0));
        } else {
            reply.error(Errno::ENOENT);
        }
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        reply.attr(&FOREVER, &self.attributes(ino));
    }

    fn readdir(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let entries = [
            (INodeNo::ROOT, FileType::Directory, "."),
            (INodeNo::ROOT, FileType::Directory, ".."),
            (FILE, FileType::RegularFile, NAME),
        ];
        // The number of an entry is where the next listing goes on.
        for (next, (ino, kind, name)) in (1..).zip(entries) {
            if next > offset && reply.add(ino, next, kind, name) {
                break;
            }
        }
        reply.ok();
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
        let mut data = vec![0; size as usize];
        match self.data.read_at(&mut data, offset) {
            Ok(bytes) => data.truncate(bytes),
            Err(_) => return reply.error(Errno::EIO),
        }
        let at = self.complete(false, offset, data.len());
        let reply = Reply::Read(reply, data);
        // The thread that answers lives as long as this.
        let _ = self.later.send(ServedAnswer { at, reply });
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
        if self.data.write_all_at(data, offset).is_err() {
            return reply.error(Errno::EIO);
        }
        let at = self.complete(true, offset, data.len());
        let reply = Reply::Write(reply, u32::try_from(data.len()).unwrap_or(u32::MAX));
        let _ = self.later.send(ServedAnswer { at, reply });
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }
}
