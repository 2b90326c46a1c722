//! Folders that root reads without asking, with damage in one file among valid ones: the data folders of databases, and
//! captured hosts (`sys`, `proc`, tables of device-mapper).
//!
//! The bytes of a run are the number of a tree (one byte), that of a file in it (two, little-endian), and the content that
//! the file has instead; a number past the last file leaves the tree as it is.

mod copies;
mod made;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ioalign_core::judge;
use ioalign_inspect::assemble::{self, AssembleOptions, HostOptions};
use ioalign_inspect::filesystems::database;
use ioalign_testkit::Random;
use tempfile::TempDir;

use self::copies::Tree;
use crate::damage;
use crate::subject::{Answer, Subject};

/// A host takes a thousand times as long as a database.
const HOST_COST: u64 = 20;
/// What a whole file becomes, with a bar between two.
const CONTENTS: &str =
    "0|-1|18446744073709551615|9223372036854775808|4294967296|1e9||\0|none|../../../../etc/passwd";

/// Makes trees in a folder that stays until the program ends.
type MakeTrees = Box<dyn Fn(&Path) -> Vec<PathBuf> + Send + Sync>;

pub fn all(folders: &[PathBuf]) -> Vec<Subject> {
    let entries = folders.iter().filter_map(|folder| folder.read_dir().ok());
    let paths = entries.flatten().flatten().map(|entry| entry.path());
    let mut captured: Vec<_> = paths.filter(|path| path.join("sys").is_dir()).collect();
    captured.sort();
    let databases = |scratch: &Path| (0..4).map(|kind| made::database(scratch, kind)).collect();
    let hosts = move |scratch: &Path| {
        let host = scratch.join("host");
        copies::copy_tree(made::host().path(), &host);
        std::iter::once(host).chain(captured.clone()).collect()
    };
    vec![
        subject("databases", Box::new(databases), read_database),
        subject("hosts", Box::new(hosts), read_host).with_cost(HOST_COST),
    ]
}

fn subject(name: &'static str, make: MakeTrees, read: fn(&Path) -> Answer) -> Subject {
    let trees = Arc::new(Trees {
        make,
        made: OnceLock::new(),
    });
    let (of_seeds, of_damage) = (Arc::clone(&trees), Arc::clone(&trees));
    let seeds = move || {
        let count = u8::try_from(of_seeds.all().len()).unwrap();
        (0..count).map(|tree| vec![tree, 0xff, 0xff]).collect()
    };
    let damage = move |bytes: &mut Vec<u8>, random: &mut Random| of_damage.damage(bytes, random);
    Subject::of_bytes("trees", name, seeds, damage, move |bytes| {
        let Some(([tree, low, high], content)) = bytes.split_first_chunk() else {
            return Answer::NotMine;
        };
        let file = usize::from(u16::from_le_bytes([*low, *high]));
        let all = trees.all();
        all[usize::from(*tree) % all.len()].with_other(file, content, read)
    })
}

/// Trees that are made when a loop asks for them.
struct Trees {
    make: MakeTrees,
    made: OnceLock<(TempDir, Vec<Tree>)>,
}

impl Trees {
    fn all(&self) -> &[Tree] {
        let made = self.made.get_or_init(|| {
            let scratch = tempfile::tempdir().unwrap();
            let trees = (self.make)(scratch.path()).into_iter();
            let trees = trees.map(Tree::new).collect();
            (scratch, trees)
        });
        &made.1
    }

    /// Another content for a file of the tree.
    fn damage(&self, bytes: &mut Vec<u8>, random: &mut Random) {
        let tree = &self.all()[usize::from(bytes[0])];
        let file = random.below(tree.count());
        let mut content = tree.content(file);
        match random.below(8) {
            0 => content = damage::word(CONTENTS, '|', random).into(),
            1..=4 => damage::text(&mut content, random),
            _ => damage::fields(&mut content, &[0..4096, 0..64], 1..=3, random),
        }
        bytes.truncate(1);
        bytes.extend(u16::try_from(file).unwrap().to_le_bytes());
        bytes.extend(content);
    }
}

fn read_database(path: &Path) -> Answer {
    let paths = [path.to_owned(), path.join("data.sqlite")];
    let found = paths.map(|path| matches!(database::find(&path), Ok(Some(_))));
    Answer::mine(found.contains(&true))
}

fn read_host(tree: &Path) -> Answer {
    let what = HostOptions {
        sysroot: Some(tree.to_owned()),
        only: Vec::new(),
        extents: false,
    };
    let Ok(found) = assemble::host(&what, &AssembleOptions::default()) else {
        return Answer::NotMine;
    };
    let _ = judge::judge(&found.stack, &judge::JudgeOptions::default());
    Answer::Mine
}
