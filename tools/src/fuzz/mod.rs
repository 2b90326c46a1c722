//! The mutation loop over all subjects, in one process.
//!
//! Takes valid bytes as seeds, damages them and runs the reader on the result. Of an image it records which bytes the
//! reader looks at, and damages those; texts are damaged as texts. A panic, a run of many seconds or a growth of memory is
//! a failure, and so is a seed that its subject does not recognise, or damage that hardly ever gets behind the first
//! check; the printed run number repeats a failure. `cargo xtask fuzz` makes the seeds and calls this.
//!
//! It complements the coverage-guided target in `fuzz/`: no nightly compiler, and the speed of a plain loop.
mod arguments;
mod memory;
mod plan;
mod runs;
mod trial;
mod truncate;
mod watchdog;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arguments::Arguments;

use crate::seeds::{self, Seed};
use crate::subject::{Material, Subject};
use crate::subjects;

/// The images and texts in the folders.
struct Seeds {
    images: Vec<Seed>,
    texts: Vec<Seed>,
}

/// Runs the loop. Fails when a reader does.
pub fn main(words: impl Iterator<Item = String>) -> ExitCode {
    let arguments = match Arguments::parse(words) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("fuzz: {message}");
            return ExitCode::from(64);
        }
    };
    let load = |folders: &[PathBuf]| -> Vec<Seed> {
        let files = folders.iter().map(|folder| seeds::load(folder));
        files.flatten().collect()
    };
    let mut seeds = Seeds {
        images: seeds::made(),
        texts: load(&arguments.texts),
    };
    seeds.images.extend(load(&arguments.seeds));
    runs::quiet_panics();
    ExitCode::from(u8::from(!run(&arguments, &seeds)))
}

fn run(arguments: &Arguments, seeds: &Seeds) -> bool {
    let mut subjects = subjects::all(&arguments.seeds);
    subjects.retain(|subject| arguments.wants(subject));
    if subjects.is_empty() {
        eprintln!("fuzz: no subject has this name");
        return false;
    }
    if arguments.list {
        subjects.iter().for_each(|one| println!("{}", one.title()));
        return true;
    }
    if let Some(folder) = &arguments.write_seeds {
        return write_seeds(&subjects, folder);
    }
    let mut held = true;
    if arguments.truncate.is_none() || arguments.brief {
        for subject in &subjects {
            held &= trial::run(subject, seeds, arguments);
        }
    }
    if let Some(lengths) = arguments.truncate {
        held &= truncate::run(&subjects, seeds, lengths);
    }
    let count = seeds.images.len() + seeds.texts.len();
    eprintln!("fuzz: {} subjects, {count} seeds in files", subjects.len());
    held
}

/// A first corpus for libFuzzer.
fn write_seeds(subjects: &[Subject], folder: &Path) -> bool {
    std::fs::create_dir_all(folder).unwrap();
    for subject in subjects {
        let Material::Own { seeds, .. } = &subject.material else {
            continue;
        };
        for (number, bytes) in seeds().iter().enumerate() {
            let name = format!("{}-{}-{number}", subject.room, subject.name);
            std::fs::write(folder.join(name), bytes).unwrap();
        }
    }
    true
}
