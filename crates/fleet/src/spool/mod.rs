//! The spool of a host: pushes that no server has acknowledged yet, a file each.
//!
//! A push is on the disk before it is sent and removed after it was acknowledged, so neither a lost server nor a kill loses
//! one. Names count up, whatever the clock says, and are sent in that order. The spool is bounded: the oldest pushes give
//! way, which is said, because the newest one says how the host is.

mod pause;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

pub use pause::RetryPause;

use crate::envelope::MOST_BYTES;
use crate::error::{FleetError, FleetResult};

/// Pushes that are kept.
pub const MOST_PUSHES: usize = 64;
/// Bytes that are kept.
pub const MOST_SPOOLED: u64 = 64 << 20;
/// The ending of a push.
const ENDING: &str = "push";
/// The ending of one that the server refused for good.
const REFUSED: &str = "refused";
/// The lock.
const LOCK: &str = "lock";

/// The folder, locked against a second `ioalign push`.
#[derive(Debug)]
pub struct PushSpool {
    folder: PathBuf,
    /// Locked as long as it is open.
    _lock: File,
}

/// What was dropped to make room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DroppedPushes {
    /// How many.
    pub pushes: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// A push in the spool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpooledPush {
    path: PathBuf,
    bytes: u64,
}

impl PushSpool {
    /// Opens the folder, which only its owner may read; it is made where there is none. A second caller waits.
    ///
    /// # Errors
    /// When it cannot be made or locked.
    pub fn open(folder: &Path) -> FleetResult<Self> {
        let failed =
            |what: &'static str| move |error: io::Error| FleetError::file(folder, what, &error);
        let made = fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder);
        made.map_err(failed("cannot make the spool"))?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(folder.join(LOCK))
            .map_err(failed("cannot lock the spool"))?;
        flock(&lock, FlockOperation::LockExclusive)
            .map_err(|error| failed("cannot lock the spool")(error.into()))?;
        Ok(Self {
            folder: folder.to_owned(),
            _lock: lock,
        })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Puts a push in, behind all others; it is on the disk when this returns. The oldest give way where there is no room.
    ///
    /// # Errors
    /// When the disk takes it not: then it is not in the spool.
    pub fn put(&self, push: &[u8]) -> FleetResult<DroppedPushes> {
        let failed =
            |error: io::Error| FleetError::file(&self.folder, "cannot write to the spool", &error);
        let dropped = self.make_room(push.len() as u64)?;
        let name = format!("{:016}", self.last()? + 1);
        let unfinished = self.folder.join(format!("{name}.new"));
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(true)
            .write(true)
            .mode(0o600)
            .open(&unfinished)
            .map_err(failed)?;
        let written = file.write_all(push).and_then(|()| file.sync_all());
        let written = written
            .and_then(|()| fs::rename(&unfinished, self.folder.join(format!("{name}.{ENDING}"))))
            .and_then(|()| self.sync());
        if written.is_err() {
            // What is left would be taken for nothing, and takes room.
            let _ = fs::remove_file(&unfinished);
        }
        written.map_err(failed)?;
        Ok(dropped)
    }

    /// The pushes, oldest first.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn waiting(&self) -> FleetResult<Vec<SpooledPush>> {
        self.ending(ENDING)
    }

    /// Reads one.
    ///
    /// # Errors
    /// When it cannot be read, or is larger than a push.
    pub fn read(&self, push: &SpooledPush) -> FleetResult<Vec<u8>> {
        let failed = |error: io::Error| FleetError::file(&push.path, "cannot be read", &error);
        let file = File::open(&push.path).map_err(failed)?;
        let mut bytes = Vec::new();
        let most = MOST_BYTES as u64 + 1;
        file.take(most).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() > MOST_BYTES {
            let path = push.path.display();
            return Err(FleetError::Refused(format!(
                "{path}: it is larger than a push"
            )));
        }
        Ok(bytes)
    }

    /// Removes one that was acknowledged.
    ///
    /// # Errors
    /// When it cannot be removed: it will be sent again, as a duplicate.
    pub fn acknowledged(&self, push: &SpooledPush) -> FleetResult<()> {
        let removed = fs::remove_file(&push.path).and_then(|()| self.sync());
        removed.map_err(|error| FleetError::file(&push.path, "cannot be removed", &error))
    }

    /// Puts one aside that the server will never take, so that those behind it are sent; the last one is kept, to be looked at.
    ///
    /// # Errors
    /// When it cannot be renamed.
    pub fn refused(&self, push: &SpooledPush) -> FleetResult<PathBuf> {
        let failed = |error: io::Error| FleetError::file(&push.path, "cannot be put aside", &error);
        for former in self.ending(REFUSED)? {
            fs::remove_file(&former.path).map_err(failed)?;
        }
        let aside = push.path.with_extension(REFUSED);
        fs::rename(&push.path, &aside)
            .and_then(|()| self.sync())
            .map_err(failed)?;
        Ok(aside)
    }

    fn sync(&self) -> io::Result<()> {
        File::open(&self.folder)?.sync_all()
    }

    fn make_room(&self, bytes: u64) -> FleetResult<DroppedPushes> {
        let waiting = self.waiting()?;
        let mut held: u64 = waiting.iter().map(|push| push.bytes).sum();
        let mut left = waiting.len();
        let mut dropped = DroppedPushes::default();
        for push in &waiting {
            if left < MOST_PUSHES && held.saturating_add(bytes) <= MOST_SPOOLED {
                break;
            }
            let removed = fs::remove_file(&push.path);
            removed.map_err(|error| FleetError::file(&push.path, "cannot be removed", &error))?;
            (left, held) = (left - 1, held.saturating_sub(push.bytes));
            dropped.pushes += 1;
            dropped.bytes += push.bytes;
        }
        Ok(dropped)
    }

    /// The last number; of a refused one, too, so that no name is used twice while it is there.
    fn last(&self) -> FleetResult<u64> {
        let all = self
            .ending(ENDING)?
            .into_iter()
            .chain(self.ending(REFUSED)?);
        let numbers = all.filter_map(|push| push.path.file_stem()?.to_str()?.parse().ok());
        Ok(numbers.max().unwrap_or(0))
    }

    fn ending(&self, ending: &str) -> FleetResult<Vec<SpooledPush>> {
        let failed =
            |error: io::Error| FleetError::file(&self.folder, "cannot read the spool", &error);
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let data = entry.metadata().map_err(failed)?;
            let path = entry.path();
            if data.is_file() && path.extension().is_some_and(|found| found == ending) {
                let bytes = data.len();
                found.push(SpooledPush { path, bytes });
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn contents(spool: &PushSpool) -> Vec<Vec<u8>> {
        let waiting = spool.waiting().unwrap();
        waiting
            .iter()
            .map(|push| spool.read(push).unwrap())
            .collect()
    }

    #[test]
    fn pushes_wait_in_their_order_until_they_are_acknowledged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spool");
        let spool = PushSpool::open(&path).unwrap();
        for push in [b"one", b"two"] {
            assert_eq!(spool.put(push).unwrap(), DroppedPushes::default());
        }
        drop(spool);
        let spool = PushSpool::open(&path).unwrap();
        assert_eq!(contents(&spool), [b"one", b"two"]);
        spool.acknowledged(&spool.waiting().unwrap()[0]).unwrap();
        spool.put(b"three").unwrap();
        assert_eq!(contents(&spool), [b"two".to_vec(), b"three".to_vec()]);
    }

    #[test]
    fn what_a_kill_left_half_is_not_sent() {
        let folder = tempfile::tempdir().unwrap();
        let spool = PushSpool::open(folder.path()).unwrap();
        fs::write(folder.path().join("0000000000000001.new"), "half").unwrap();
        assert!(contents(&spool).is_empty());
        spool.put(b"whole").unwrap();
        assert_eq!(contents(&spool), [b"whole"]);
        assert!(!folder.path().join("0000000000000001.new").exists());
    }

    #[test]
    fn the_oldest_give_way_and_it_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let spool = PushSpool::open(folder.path()).unwrap();
        for number in 0..MOST_PUSHES {
            spool.put(number.to_string().as_bytes()).unwrap();
        }
        let dropped = spool.put(b"last").unwrap();
        assert_eq!((dropped.pushes, dropped.bytes), (1, 1));
        let left = contents(&spool);
        assert_eq!(
            (left.len(), left[0].as_slice()),
            (MOST_PUSHES, b"1".as_slice())
        );
        let large = vec![0; usize::try_from(MOST_SPOOLED).unwrap()];
        assert_eq!(spool.put(&large).unwrap().pushes, MOST_PUSHES);
        assert_eq!(spool.waiting().unwrap().len(), 1);
    }

    #[test]
    fn a_refused_push_holds_up_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let spool = PushSpool::open(folder.path()).unwrap();
        for push in ["a", "b", "c"] {
            spool.put(push.as_bytes()).unwrap();
        }
        for _ in 0..2 {
            let aside = spool.refused(&spool.waiting().unwrap()[0]).unwrap();
            assert!(aside.exists());
        }
        assert_eq!(contents(&spool), [b"c"]);
        assert_eq!(spool.ending(REFUSED).unwrap().len(), 1);
        spool.put(b"d").unwrap();
        assert_eq!(contents(&spool), [b"c", b"d"]);
    }

    #[test]
    fn a_second_caller_waits() {
        let folder = tempfile::tempdir().unwrap();
        let spool = PushSpool::open(folder.path()).unwrap();
        let second = File::open(folder.path().join(LOCK)).unwrap();
        let lock = || flock(&second, FlockOperation::NonBlockingLockExclusive);
        assert_eq!(lock(), Err(rustix::io::Errno::WOULDBLOCK));
        drop(spool);
        assert_eq!(lock(), Ok(()));
    }

    #[test]
    fn what_fails_says_so_and_leaves_nothing_half() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let error = PushSpool::open(&file.join("spool")).unwrap_err();
        assert!(
            error.to_string().contains("cannot make the spool"),
            "{error}"
        );
        let spool = PushSpool::open(folder.path()).unwrap();
        // A folder is where the push would be.
        let taken = folder.path().join("0000000000000001.push");
        fs::create_dir(&taken).unwrap();
        assert!(spool.put(b"x").is_err());
        assert!(!folder.path().join("0000000000000001.new").exists());
        fs::remove_dir(&taken).unwrap();
        spool.put(b"x").unwrap();
        let push = &spool.waiting().unwrap()[0];
        spool.acknowledged(push).unwrap();
        assert!(spool.acknowledged(push).is_err(), "it is gone already");
    }

    #[test]
    fn only_its_owner_may_read_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spool");
        PushSpool::open(&path).unwrap().put(b"x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o700);
        assert_eq!(mode(&path.join("0000000000000001.push")), 0o600);
    }
}
