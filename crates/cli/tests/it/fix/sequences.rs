//! Sequences of commands, kills and visits of others, made at random: whatever happened, the commands that a refusal names
//! lead to a disk on which every partition is whole.

use std::fs;
use std::os::unix::fs::FileExt;

use ioalign_repair::journal::JournalGlance;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::*;

/// Sequences of a whole run; `IOALIGN_SEQUENCES=N` tries N.
const SEQUENCES: u32 = 12;
/// So many commands of refusals are followed, one after the other.
const DEEPEST: usize = 4;
const SCRIPTS: [&str; 2] = [
    "label: dos\n63,20000,7\n20063,16065,83\n36129,30000,83\n",
    "label: gpt\nfirst-lba: 34\nstart=35,size=20000\nstart=20063,size=16065\n",
];

/// What happens to a disk.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A command of `fix`, killed after so many records of its journal; 0: it ends by itself.
    Apply(u64),
    Resume(u64),
    Rollback(u64),
    Abandon,
    /// Another program writes the first sector of before.
    OldFirstSector,
    OldTable,
    NewTable,
    /// The folder of image and journal gets another name.
    Rename,
    /// Somebody keeps a copy of the image.
    Copy,
    /// The image is restored from a backup of before the move.
    Backup,
    /// The image gets longer or shorter, where nothing is.
    Extend,
    CutOff,
    /// `mkswap` by mistake, over the whole disk.
    SecondOwner,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (1..14_u64).prop_map(Event::Apply),
        1 => Just(Event::Apply(0)),
        2 => (0..10_u64).prop_map(Event::Resume),
        2 => (0..10_u64).prop_map(Event::Rollback),
        1 => Just(Event::Abandon),
        1 => Just(Event::OldFirstSector),
        1 => Just(Event::OldTable),
        1 => Just(Event::NewTable),
        1 => Just(Event::Rename),
        1 => Just(Event::Copy),
        1 => Just(Event::Backup),
        1 => Just(Event::Extend),
        1 => Just(Event::CutOff),
        1 => Just(Event::SecondOwner),
    ]
}

/// A disk, and what it held before any of it and would hold after a fix.
struct World {
    root: tempfile::TempDir,
    renames: u32,
    parts: Vec<Part>,
    before: Vec<u8>,
    tables: [String; 2],
}

impl World {
    fn new(script: &str) -> Self {
        let image = Image::new(40, script);
        let before = image.whole();
        let old = tool("sfdisk", &["--dump", text(image.path())]);
        done(&[text(image.path()), "--apply"]);
        let new = tool("sfdisk", &["--dump", text(image.path())]);
        let world = Self {
            root: tempfile::tempdir().unwrap(),
            renames: 0,
            parts: image.parts,
            before,
            tables: [old, new],
        };
        fs::create_dir(world.folder()).unwrap();
        fs::write(world.image(), &world.before).unwrap();
        world
    }

    fn folder(&self) -> PathBuf {
        self.root.path().join(format!("folder-{}", self.renames))
    }

    fn image(&self) -> PathBuf {
        self.folder().join("disk.img")
    }

    fn records(&self) -> u64 {
        let journal = self.folder().join("disk.img.ioalign-journal");
        JournalGlance::at(&journal).map_or(0, |seen| seen.number)
    }

    fn happens(&mut self, event: Event) {
        let image = self.image();
        match event {
            Event::Apply(records) => self.runs("--apply", records),
            Event::Resume(records) => self.runs("--resume", records),
            Event::Rollback(records) => self.runs("--rollback", records),
            Event::Abandon => _ = fix(&[text(&image), "--abandon", text(&image)]),
            // Without a journal these destroy a table that nothing else knows.
            Event::OldFirstSector | Event::OldTable | Event::NewTable if self.records() == 0 => {}
            Event::OldFirstSector => self.writes(&self.before[..512]),
            Event::OldTable => sfdisk(&image, &self.tables[0]),
            Event::NewTable => sfdisk(&image, &self.tables[1]),
            Event::Rename => {
                let from = self.folder();
                self.renames += 1;
                fs::rename(from, self.folder()).unwrap();
            }
            Event::Copy => _ = fs::copy(&image, self.folder().join("copy.img")).unwrap(),
            // The backup GPT is at the end, and the entries are where mkswap writes.
            Event::Extend | Event::CutOff | Event::SecondOwner if self.is_gpt() => {}
            Event::Extend => self.resize(1 << 20),
            Event::CutOff => self.resize(-(1 << 20)),
            Event::SecondOwner => _ = tool("mkswap", &["-q", text(&image)]),
            Event::Backup => {
                let file = fs::OpenOptions::new().write(true).open(&image).unwrap();
                file.write_all_at(&self.before, 0).unwrap();
            }
        }
    }

    fn is_gpt(&self) -> bool {
        self.tables[0].contains("label: gpt")
    }

    fn resize(&self, by: i64) {
        let file = fs::OpenOptions::new()
            .write(true)
            .open(self.image())
            .unwrap();
        let bytes = file.metadata().unwrap().len();
        file.set_len(bytes.checked_add_signed(by).unwrap()).unwrap();
    }

    fn writes(&self, first: &[u8]) {
        let file = fs::OpenOptions::new()
            .write(true)
            .open(self.image())
            .unwrap();
        file.write_all_at(first, 0).unwrap();
    }

    /// Runs `fix` until it ends, or its journal has so many records more.
    fn runs(&self, way: &str, records: u64) {
        let image = self.image();
        let limit = self.records() + if records == 0 { u64::MAX / 2 } else { records };
        let mut child = started(&[text(&image), way, "--limit", "40M", "--chunk", "1M"]);
        until("it ends or is killed", || {
            child.try_wait().unwrap().is_some() || self.records() >= limit
        });
        let _ = child.kill();
        child.wait().unwrap();
    }

    /// Whether no move is in flight and every partition has its bytes where the table says.
    fn is_whole(&self) -> bool {
        let image = self.image();
        let bytes = fs::read(&image).unwrap();
        let lines = table(&image, 512);
        self.parts.iter().all(|part| {
            let line = lines.iter().find(|line| line.number == part.number);
            line.is_some_and(|line| {
                let start = usize::try_from(line.start).unwrap();
                bytes.get(start..start + part.bytes.len()) == Some(&part.bytes[..])
            })
        })
    }

    /// Follows what refusals name until a plan is shown; the commands that were run.
    fn follows(&self) -> Result<Vec<String>, String> {
        let mut told = Vec::new();
        let mut command = format!("ioalign fix {}", text(&self.image()));
        for _ in 0..=DEEPEST {
            let (code, document) = self.answer(&command);
            told.push(format!("{command}: {code} {}", document["why"]));
            if document["result"] == "planned" {
                return Ok(told);
            }
            command = match document["result"].as_str() {
                Some("refused") => match way_on(&document) {
                    Some(next) => next.to_owned(),
                    None => {
                        return Err(format!(
                            "no way on: {}\n{}",
                            document["next"],
                            told.join("\n")
                        ));
                    }
                },
                _ => format!("ioalign fix {}", text(&self.image())),
            };
        }
        Err(format!("no end:\n{}", told.join("\n")))
    }

    /// Runs a command as a shell does, and reads its document; a command of another program has none.
    fn answer(&self, line: &str) -> (i32, Value) {
        let is_ours = line.starts_with("ioalign ");
        let line = if is_ours {
            format!("{line} --json")
        } else {
            line.to_owned()
        };
        let programs = Path::new(PROGRAM).parent().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let output = command("sh")
            .args(["-c", &line])
            .env("PATH", format!("{}:{path}", programs.display()))
            .current_dir(self.folder())
            .output()
            .unwrap();
        if !is_ours {
            return (output.status.code().unwrap(), Value::Null);
        }
        let document = serde_json::from_slice(&output.stdout);
        let document = document.unwrap_or_else(|error| panic!("{line}: {error}: {output:?}"));
        valid(&document);
        (output.status.code().unwrap(), document)
    }
}

/// The first command that changes something: a person who knows that a signature is stale takes it away.
fn way_on(document: &Value) -> Option<&str> {
    const WAYS: [&str; 3] = ["ioalign fix ", "truncate ", "wipefs "];
    let next = document["next"].as_array()?.iter();
    let mut commands = next.filter_map(Value::as_str);
    commands.find(|command| {
        WAYS.iter().any(|way| command.starts_with(way)) && !command.contains("/dev/md")
    })
}

fn ends_whole(script: &str, events: &[Event]) -> Result<(), TestCaseError> {
    let mut world = World::new(script);
    for event in events {
        world.happens(*event);
    }
    let told = world.follows().map_err(TestCaseError::fail)?;
    let is_whole = world.is_whole();
    prop_assert!(
        is_whole,
        "a partition is not whole after\n{}",
        told.join("\n")
    );
    Ok(())
}

#[test]
fn what_a_refusal_names_leads_to_a_whole_disk() {
    needs!(Packages);
    let asked = std::env::var("IOALIGN_SEQUENCES").ok();
    let cases = asked
        .and_then(|text| text.parse().ok())
        .unwrap_or(SEQUENCES);
    let config = Config {
        cases,
        max_shrink_iters: 40,
        failure_persistence: None,
        ..Config::default()
    };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, random);
    let sequences = (0..SCRIPTS.len(), prop::collection::vec(event(), 1..6));
    let ended = runner.run(&sequences, |(script, events)| {
        ends_whole(SCRIPTS[script], &events)
    });
    ended.unwrap_or_else(|error| panic!("{error}"));
}
