//! `output IMAGE NEW-IMAGE [--sampled]`: writes a new image of an old one without moving anything, for measurements
//! against `qemu-img convert`. `ioalign fix --output` is what people use.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use ioalign_repair::container::{self, ImageFormat};
use ioalign_repair::mover::{Done, MoverOptions, MoverProgress, Verify};
use ioalign_repair::{Identity, Job, Result};

pub fn main() {
    let args: Vec<String> = std::env::args().skip(2).collect();
    let texts: Vec<&str> = args.iter().map(String::as_str).collect();
    let started = Instant::now();
    let done = match *texts.as_slice() {
        [old, new] => output(old, new, Verify::Full),
        [old, new, "--sampled"] => output(old, new, Verify::Sampled),
        _ => panic!("output IMAGE NEW-IMAGE [--sampled]"),
    };
    match done {
        Ok(done) => eprintln!("{done:?} in {:?}", started.elapsed()),
        Err(error) => {
            eprintln!("output: {error}");
            std::process::exit(1);
        }
    }
}

fn output(old: &str, new: &str, verify: Verify) -> Result<Done> {
    let format = ImageFormat::from_extension(Path::new(new)).unwrap();
    let mut from = container::open(Path::new(old), false)?;
    let (bytes, logical) = (from.size_bytes(), from.logical_bytes());
    let job = Job {
        moves: Vec::new(),
        patches: Vec::new(),
        keep: Vec::new(),
        identity: Identity::take(from.as_mut(), &[]),
    };
    let mut to = container::create(Path::new(new), format, bytes, logical)?;
    let mut watch = |_: &MoverProgress| ControlFlow::Continue(());
    let options = MoverOptions {
        verify,
        ..MoverOptions::default()
    };
    container::write_new_with(from.as_mut(), &job, to.as_mut(), &options, &mut watch)
}
