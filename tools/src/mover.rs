//! The mover by itself, for measurements and for trials on scratch disks:
//!
//! ```text
//! mover apply DISK JOURNAL FROM TO BYTES [--sampled] [--limit BYTES]
//! mover resume|rollback DISK JOURNAL [--sampled] [--map]
//! ```
//!
//! It writes no table: `ioalign fix` is what people use.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use ioalign_repair::mover::{self, Done, FileDisk, MoverOptions, ReadErrors, Verify};
use ioalign_repair::{Identity, Job, Move, Result};

pub fn main() {
    let args: Vec<String> = std::env::args().skip(2).collect();
    let texts: Vec<&str> = args.iter().map(String::as_str).collect();
    let (plain, options) = options(&texts);
    let started = Instant::now();
    let done = match *plain.as_slice() {
        ["apply", disk, journal, from, to, bytes] => {
            let [from, to, bytes] = [from, to, bytes].map(|text| text.parse().unwrap());
            apply(disk, journal, Move { from, to, bytes }, &options)
        }
        [verb @ ("resume" | "rollback"), disk, journal] => end(verb, disk, journal, &options),
        _ => panic!("mover apply DISK JOURNAL FROM TO BYTES, mover resume|rollback DISK JOURNAL"),
    };
    match done {
        Ok(done) => eprintln!("{done:?} in {:?}", started.elapsed()),
        Err(error) => {
            eprintln!("mover: {error}");
            std::process::exit(1);
        }
    }
}

fn options<'a>(args: &[&'a str]) -> (Vec<&'a str>, MoverOptions) {
    let mut options = MoverOptions::default();
    let mut plain = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut number = || args.next().unwrap().parse().unwrap();
        match *arg {
            "--sampled" => options.verify = Verify::Sampled,
            "--map" => options.read_errors = ReadErrors::Map,
            "--limit" => options.limit = Some(number()),
            "--chunk" => options.chunk = number(),
            "--piece" => options.piece = number(),
            other => plain.push(other),
        }
    }
    (plain, options)
}

fn apply(disk: &str, journal: &str, one: Move, options: &MoverOptions) -> Result<Done> {
    let mut disk = FileDisk::open(Path::new(disk))?;
    let moves = vec![one];
    let job = Job {
        identity: Identity::take(&mut disk, &moves),
        moves,
        patches: Vec::new(),
        keep: Vec::new(),
    };
    let mut watch = |_: &mover::MoverProgress| ControlFlow::Continue(());
    mover::apply(
        &mut disk,
        Path::new(journal),
        &job,
        &mover::MoveOrigin::default(),
        options,
        &mut watch,
    )
}

fn end(verb: &str, disk: &str, journal: &str, options: &MoverOptions) -> Result<Done> {
    let mut disk = FileDisk::open(Path::new(disk))?;
    let mut watch = |_: &mover::MoverProgress| ControlFlow::Continue(());
    match verb {
        "resume" => mover::resume(&mut disk, Path::new(journal), options, &mut watch),
        _ => mover::rollback(&mut disk, Path::new(journal), options, &mut watch),
    }
}
