//! All that a served array consists of, put up and taken down in order.

use std::io;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use ioalign_device::{AttachedLoop, Error, ErrorKind, Result};

use crate::fuse::FuseMount;
use crate::media::Media;
use crate::nbd::NbdServer;
use crate::place::ServerFolder;
use crate::server::{BlockServer, ServiceModel};

/// As a nice value.
const MOST_URGENT: i32 = -20;

/// The ways to the device that are wanted.
#[derive(Clone, Debug)]
pub struct WantedWays {
    /// A file, and a loop device on top.
    pub fuse: bool,
    /// The path of the NBD socket; `None`: in the folder of the server.
    pub socket: Option<PathBuf>,
}

/// A served array.
#[derive(Debug)]
pub struct ServedDevice {
    server: Arc<BlockServer>,
    clock: Option<JoinHandle<()>>,
    loop_device: Option<AttachedLoop>,
    mount: Option<FuseMount>,
    nbd: Option<NbdServer>,
    socket: PathBuf,
    folder: ServerFolder,
    notes: Vec<String>,
}

impl ServedDevice {
    /// Puts up everything. What this machine does not have is left out, with a note, as long as one way is left.
    pub fn start(model: Box<dyn ServiceModel>, media: Media, wanted: &WantedWays) -> Result<Self> {
        // Threads that wake late make disks slow. They have this from the thread that starts them; without rights they
        // are as any others.
        let _ = rustix::process::setpriority_process(None, MOST_URGENT);
        let folder = ServerFolder::new()?;
        let socket = match &wanted.socket {
            Some(path) => free_socket(path)?,
            None => folder.socket(),
        };
        let started = BlockServer::start(model, media);
        let (server, clock) =
            started.map_err(|error| Error::io("no thread can be started", error))?;
        let mut device = Self {
            server,
            clock: Some(clock),
            loop_device: None,
            mount: None,
            nbd: None,
            socket,
            folder,
            notes: Vec::new(),
        };
        let nbd = NbdServer::listen(Arc::clone(&device.server), &device.socket);
        let failed = |error| Error::io("cannot be listened on", error).of_target(&device.socket);
        device.nbd = Some(nbd.map_err(failed)?);
        if wanted.fuse {
            device.mount();
        }
        Ok(device)
    }

    fn mount(&mut self) {
        let path = self.folder.file();
        let mounted = std::fs::File::create_new(&path)
            .and_then(|_| FuseMount::new(Arc::clone(&self.server), &path));
        match mounted {
            Ok(mount) => self.mount = Some(mount),
            Err(error) => {
                self.notes.push(format!(
                    "no file and no device: FUSE cannot be used here ({}); NBD is there",
                    why_no_fuse(&error)
                ));
                return;
            }
        }
        // Linux 6.1 knows the size of a file that is mounted by itself once somebody has asked for it.
        let _ = std::fs::metadata(&path);
        match AttachedLoop::new(&path) {
            Ok(device) => {
                if !device.is_direct() {
                    self.notes.push(format!(
                        "{} does not do direct I/O: its times are those of the page cache",
                        device.node().display()
                    ));
                }
                self.loop_device = Some(device);
            }
            Err(error) => self
                .notes
                .push(format!("no block device, only the file: {error}")),
        }
    }

    /// The loop device.
    pub fn device(&self) -> Option<&Path> {
        self.loop_device.as_ref().map(AttachedLoop::node)
    }

    /// The FUSE file.
    pub fn file(&self) -> Option<PathBuf> {
        self.mount.as_ref().map(|_| self.folder.file())
    }

    /// The NBD socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Where I/Os go.
    pub const fn server(&self) -> &Arc<BlockServer> {
        &self.server
    }

    /// What was left out, and why.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Takes everything down, from the top. What is still in use gets errors from now on, and a sentence says what it
    /// is.
    pub fn stop(mut self) -> Vec<String> {
        self.take_down()
    }

    fn take_down(&mut self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(device) = self.loop_device.take() {
            let node = device.node().display().to_string();
            match device.detach() {
                Ok(true) => {}
                Ok(false) => notes.push(format!(
                    "{node} was still open: it goes when it is closed, and gives errors until then"
                )),
                Err(error) => notes.push(format!("{node} cannot be detached: {error}")),
            }
        }
        drop(self.nbd.take());
        self.server.stop();
        if let Some(clock) = self.clock.take() {
            let _ = clock.join();
        }
        if let Some(mount) = self.mount.take()
            && !mount.unmount()
            && notes.is_empty()
        {
            let path = self.folder.file();
            notes.push(format!("{} was still open", path.display()));
        }
        notes
    }
}

impl Drop for ServedDevice {
    fn drop(&mut self) {
        self.take_down();
    }
}

/// A path where nothing is yet.
fn free_socket(path: &Path) -> Result<PathBuf> {
    let Ok(found) = path.symlink_metadata() else {
        return Ok(path.to_owned());
    };
    let (what, advice) = match UnixStream::connect(path) {
        _ if !found.file_type().is_socket() => ("exists already", "name another path"),
        Ok(_) => (
            "another program listens on it",
            "name another path, or stop that program",
        ),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => (
            "is the socket of a program that has ended",
            "remove it, or name another path",
        ),
        Err(_) => ("exists already", "name another path"),
    };
    Err(Error::new(ErrorKind::Refused, what)
        .of_target(path)
        .advise(advice))
}

fn why_no_fuse(error: &io::Error) -> String {
    if !Path::new("/dev/fuse").exists() {
        return "there is no /dev/fuse: try `modprobe fuse`".to_owned();
    }
    if !rustix::process::geteuid().is_root() && error.kind() == io::ErrorKind::NotFound {
        return "without root it needs fusermount3 of the package fuse3".to_owned();
    }
    error.to_string().trim().to_owned()
}
