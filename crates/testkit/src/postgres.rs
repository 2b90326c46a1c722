//! A PostgreSQL server of its own, in a folder, reached by a socket there.

use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where Debian keeps the servers of each version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// A cluster there starts in a second, and recovers in one.
const MEMORY: &str = "/dev/shm";
/// The server refuses to run as root.
const USER: u32 = 65534;
/// How long it may take to start.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server that runs; it is killed when this is dropped.
#[derive(Debug)]
pub struct PostgresServer {
    folder: tempfile::TempDir,
    child: Option<Child>,
}

impl PostgresServer {
    /// Makes a cluster in memory, where there is a file system for it, and starts it.
    pub fn start() -> Self {
        let folder = tempfile::tempdir_in(MEMORY).or_else(|_| tempfile::tempdir());
        let folder = folder.expect("a folder");
        if is_root() {
            chown(folder.path(), Some(USER), Some(USER)).expect("given away");
        }
        let mut server = Self {
            folder,
            child: None,
        };
        let made = server
            .program("initdb")
            .args([
                "-A",
                "trust",
                "-U",
                "ioalign",
                "--no-sync",
                "-E",
                "UTF8",
                "--locale=C",
                "-D",
            ])
            .arg(server.cluster())
            .output()
            .expect("initdb runs");
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        server.run();
        server
    }

    /// Starts it again after [`PostgresServer::stop`].
    pub fn run(&mut self) {
        let log = fs::File::create(self.folder.path().join("log")).expect("a log");
        let child = self
            .program("postgres")
            .arg("-D")
            .arg(self.cluster())
            .arg("-k")
            .arg(self.folder.path())
            .args(["-c", "listen_addresses="])
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("postgres runs");
        self.child = Some(child);
        let began = Instant::now();
        while !self.answers() {
            assert!(began.elapsed() < PATIENCE, "{}", self.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ends it at once, as a kill does (`SIGQUIT`: no checkpoint).
    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let id = child.id().to_string();
            let _ = Command::new("kill").args(["-QUIT", &id]).status();
            let _ = child.wait();
        }
    }

    /// Makes a place for tables that shares nothing with others; its URL.
    pub fn space(&self, name: &str) -> String {
        let made = self
            .client("postgres")
            .args(["-c", &format!("CREATE SCHEMA {name}")])
            .output();
        let made = made.expect("psql runs");
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        let socket = self
            .folder
            .path()
            .to_str()
            .expect("a name")
            .replace('/', "%2F");
        format!("postgres://ioalign@{socket}/postgres?options=-csearch_path%3D{name}")
    }

    /// What the server said.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    fn answers(&self) -> bool {
        let asked = self.client("postgres").args(["-c", "SELECT 1"]).output();
        asked.is_ok_and(|asked| asked.status.success())
    }

    fn client(&self, database: &str) -> Command {
        let mut command = Command::new(program("psql"));
        command.args(["-X", "-q", "-U", "ioalign", "-d", database, "-h"]);
        command.arg(self.folder.path());
        command
    }

    fn cluster(&self) -> PathBuf {
        self.folder.path().join("cluster")
    }

    /// A program of the server, as a user without rights.
    fn program(&self, name: &str) -> Command {
        let path = program(name);
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command.args([format!("--reuid={USER}"), format!("--regid={USER}")]);
            command.args(["--clear-groups", "--"]).arg(path);
            command
        } else {
            Command::new(path)
        };
        command.current_dir(self.folder.path());
        command
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata("/proc/self").is_ok_and(|data| data.uid() == 0)
}

/// Of the newest version.
fn program(name: &str) -> PathBuf {
    let versions = fs::read_dir(VERSIONS).into_iter().flatten().flatten();
    let paths = versions.map(|version| version.path().join("bin").join(name));
    let newest = paths.filter(|path| path.is_file()).max();
    newest.unwrap_or_else(|| Path::new(name).to_owned())
}
