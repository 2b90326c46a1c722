//! In-process mutation loop over every reader of untrusted bytes.
//!
//! Takes valid images as seeds, records which bytes each reader looks at, damages those bytes
//! (bits, fields, truncation) and runs the reader on the result. A panic, a run of many seconds
//! or a growth of memory is a failure; the printed run number repeats it. `cargo xtask fuzz`
//! makes the seeds and calls this. Texts are damaged as texts: numbers, units, lines.
//!
//! It complements the coverage-guided targets in `fuzz/`: no nightly compiler, a release build,
//! and the speed of a plain loop.
mod arguments;
mod made;
mod memory;
mod mutant;
mod mutate;
mod mutate_text;
mod nvlist;
mod random;
mod seed;
mod target;
mod text;
mod trial;
mod truncate;
mod watchdog;

use std::process::ExitCode;

use arguments::Arguments;
use seed::Seed;
use target::FuzzTarget;

pub fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(2)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("fuzz_loop: {message}");
            return ExitCode::from(64);
        }
    };
    let mut seeds = made::seeds();
    for folder in &arguments.seeds {
        seeds.extend(seed::load(folder));
    }
    let texts: Vec<Seed> = arguments
        .texts
        .iter()
        .flat_map(|folder| seed::load(folder))
        .collect();
    trial::quiet_panics();
    if run(&arguments, &seeds, &texts) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn run(arguments: &Arguments, images: &[Seed], texts: &[Seed]) -> bool {
    let mut good = true;
    let targets = target::all();
    let wanted = |target: &&FuzzTarget| match &arguments.format {
        Some(format) => target.is(format),
        None => true,
    };
    if let Some(most) = arguments.truncate {
        return truncate::run(targets.iter().filter(wanted), images, texts, most);
    }
    let mut count = 0;
    for target in targets.iter().filter(wanted) {
        let seeds = if target.is_text() { texts } else { images };
        let outcome = trial::run(target, seeds, arguments);
        println!("{}", outcome.line(target));
        good &= outcome.good();
        count += 1;
    }
    if count == 0 && arguments.format.is_some() {
        eprintln!("fuzz_loop: no such format");
        return false;
    }
    let seeds = images.len() + texts.len();
    eprintln!("fuzz_loop: {count} formats, {seeds} seeds");
    good
}
