//! Coming back to a disk after others have been there: the marker given up, a boot record or a table put back, a backup
//! restored over it. What the journal alone has is lost in none of these.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use ioalign_repair::journal::JournalGlance;

use super::*;

const MBR: &str = "label: dos\n63,20000,7\n20063,16065,83\n36129,30000,83\n";
const LOGICAL: &str = "label: dos\n63,20000,7\n20063,50000,5\n20126,16065,83\n36255,30000,83\n";
const GPT: &str = "label: gpt\nfirst-lba: 34\nstart=35,size=20000\nstart=20063,size=16065\n";

/// What somebody does to a disk whose move was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visit {
    Abandon,
    OldBootRecord,
    OldTable,
    NewTable,
    /// The header of the backup GPT alone, as it was.
    OldBackupHeader,
    /// Half of what stands for the superblocks of one partition.
    HalfOfTheCovers,
}

/// Writes a whole file by another process: a child of a test beside this one holds what is open here until it runs.
fn lay(bytes: &[u8], path: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let from = folder.path().join("bytes");
    fs::write(&from, bytes).unwrap();
    tool("cp", &[text(&from), text(path)]);
}

/// An image whose move was killed when the fourth record was in its journal: data are on their way.
fn stopped(image: Image) -> Image {
    let slow = ["--apply", "--limit", "8M", "--chunk", "1M"];
    let mut child = started(&[&[text(image.path())], &slow[..]].concat());
    until("data move", || {
        JournalGlance::at(&image.journal()).is_some_and(|seen| seen.number >= 4)
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(image.journal().exists(), "it was done too soon");
    image
}

/// An image whose move was killed, and its bytes before, and after a move that was not.
struct Stopped {
    image: Image,
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Stopped {
    fn new(script: &str) -> Self {
        let image = Image::new(40, script);
        let before = image.whole();
        let whole = tempfile::tempdir().unwrap();
        let copy = whole.path().join("copy.img");
        lay(&before, &copy);
        done(&[text(&copy), "--apply"]);
        let after = fs::read(&copy).unwrap();
        Self {
            image: stopped(image),
            before,
            after,
        }
    }

    fn visit(&self, visit: Visit) {
        let path = text(self.image.path());
        let table_of = |bytes: &[u8]| {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("disk.img");
            fs::write(&file, bytes).unwrap();
            tool("sfdisk", &["--dump", text(&file)])
        };
        let by_hand = |bytes: &[u8]| sfdisk(self.image.path(), &table_of(bytes));
        match visit {
            Visit::Abandon => done(&[path, "--abandon", path]),
            Visit::OldBootRecord => {
                self.image.disk.write(0, &self.before[..512]);
            }
            Visit::OldTable => by_hand(&self.before),
            Visit::NewTable => by_hand(&self.after),
            Visit::OldBackupHeader => {
                let at = self.before.len() - 512;
                self.image.disk.write(at as u64, &self.before[at..]);
            }
            Visit::HalfOfTheCovers => {
                let whole = self.image.whole();
                let says = b"ioalign: this superblock is in the journal";
                let covered = whole
                    .chunks(512)
                    .position(|sector| sector.starts_with(says));
                let at = covered.unwrap() * 512;
                self.image.disk.write(at as u64, &noise(77, 4096));
            }
        }
    }

    /// Ends it one way, and compares every byte.
    fn ends(&self, way: &str, visit: Visit) {
        let path = text(self.image.path());
        let needs_force = visit != Visit::OldBackupHeader;
        if needs_force {
            let stopped = self.image.whole();
            refused(&[path, way], 65, &["Nothing was written", "--trust-disk"]);
            assert!(self.image.whole() == stopped);
            refused(
                &[path, "--forget"],
                65,
                &["a part of the move is on it", "--resume"],
            );
        }
        let force = if needs_force {
            &["--trust-disk"][..]
        } else {
            &[]
        };
        let output = fix(&[&[path, way], force].concat());
        assert_eq!(output.status.code(), Some(0), "{visit:?} {way} {output:?}");
        let wanted = match way {
            "--resume" => &self.after,
            _ => &self.before,
        };
        let differs = self
            .image
            .whole()
            .iter()
            .zip(wanted)
            .position(|(a, b)| a != b);
        assert_eq!(differs, None, "{visit:?} {way}");
        assert!(!self.image.journal().exists());
    }
}

fn ends_both_ways(script: &str, visits: &[Visit]) {
    for visit in visits {
        for way in ["--resume", "--rollback"] {
            let stopped = Stopped::new(script);
            stopped.visit(*visit);
            stopped.ends(way, *visit);
        }
    }
}

#[test]
fn an_mbr_disk_ends_right_whatever_table_came_back() {
    needs!(Packages);
    use Visit::{Abandon, HalfOfTheCovers, NewTable, OldBootRecord, OldTable};
    ends_both_ways(
        MBR,
        &[Abandon, OldBootRecord, OldTable, NewTable, HalfOfTheCovers],
    );
}

#[test]
fn a_gpt_disk_ends_right_whatever_table_came_back() {
    needs!(Packages);
    use Visit::{Abandon, NewTable, OldBackupHeader, OldBootRecord, OldTable};
    ends_both_ways(
        GPT,
        &[Abandon, OldBootRecord, OldTable, NewTable, OldBackupHeader],
    );
}

#[test]
fn logical_partitions_end_right_after_abandon() {
    needs!(Packages);
    ends_both_ways(LOGICAL, &[Visit::Abandon, Visit::OldBootRecord]);
}

/// A backup in the same file: neither way writes on it, and the way forward is named and works.
#[test]
fn a_restored_image_is_not_written_and_its_stale_journal_is_removed() {
    needs!(Packages);
    for script in [MBR, GPT] {
        let stopped = Stopped::new(script);
        let path = text(stopped.image.path());
        let mut newer = stopped.before.clone();
        newer[70_000] ^= 1;
        for restored in [&newer, &stopped.before] {
            lay(restored, stopped.image.path());
            for call in [
                &[path][..],
                &[path, "--apply"],
                &[path, "--resume"],
                &[path, "--rollback"],
            ] {
                refused(call, 65, &["--forget`", "nothing"]);
            }
            for way in ["--resume", "--rollback"] {
                refused(&[path, way, "--trust-disk"], 65, &["--forget`"]);
            }
            assert!(stopped.image.whole() == *restored);
        }
        done(&[path, "--forget"]);
        assert!(stopped.image.whole() == stopped.before && !stopped.image.journal().exists());
        done(&[path, "--apply"]);
        assert!(stopped.image.whole() == stopped.after);
    }
}

#[test]
fn the_journal_of_a_move_in_flight_is_not_forgotten() {
    needs!(Packages);
    let image = stopped(Image::old());
    let path = text(image.path());
    refused(
        &[path, "--forget"],
        65,
        &["a part of the move is on it", "--resume"],
    );
    // A copy from before, to which the journal does not belong.
    let other = Image::old();
    let named = ["--forget", "--journal", text(&image.journal())].map(str::to_owned);
    let call: Vec<_> = named.iter().map(String::as_str).collect();
    refused(
        &[&[text(other.path())], &call[..]].concat(),
        65,
        &["--adopt"],
    );
    assert!(image.journal().exists());
    refused(&[path, "--forget", "--trust-disk"], 64, &[]);
    refused(&[path, "--forget", "--resume"], 64, &[]);
    done(&[path, "--resume"]);
    refused(&[path, "--forget"], 65, &["there is no journal"]);
}

#[test]
fn a_journal_that_was_never_finished_is_removed_by_the_command_that_is_named() {
    needs!(Packages);
    let image = Image::old();
    let path = text(image.path());
    let before = image.whole();
    for bytes in [0, 1 << 20] {
        fs::write(image.journal(), vec![0; bytes]).unwrap();
        fs::set_permissions(image.journal(), fs::Permissions::from_mode(0o600)).unwrap();
        for way in [&[][..], &["--apply"], &["--resume"], &["--rollback"]] {
            refused(
                &[&[path], way].concat(),
                65,
                &["cut off while it was made", "--forget`"],
            );
        }
        done(&[path, "--forget"]);
        assert!(!image.journal().exists());
    }
    // Notes of somebody are no journal.
    fs::write(image.journal(), b"my own notes").unwrap();
    fs::set_permissions(image.journal(), fs::Permissions::from_mode(0o600)).unwrap();
    refused(&[path, "--forget"], 65, &["journal"]);
    assert!(image.whole() == before && image.journal().exists());
}
