//! Seeds cut short. An image goes through the whole assembly: container, tables, volumes, file systems; one seed for each
//! format: of those that its reader knows the one with most bytes to cut. Of everything else all seeds go through their
//! reader.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ioalign_inspect::Source;
use ioalign_inspect::assemble::{AssembleOptions, image_from};

use super::runs::Runs;
use super::{Seeds, plan};
use crate::damage::Mutant;
use crate::seeds::Seed;
use crate::subject::{Answer, Material, Subject};

/// Longer seeds that a subject makes are not cut: each run costs as much as the whole.
const LONGEST_OWN: u64 = 16 << 10;
/// Of texts and the like lengths come closer together.
const CLOSER: u64 = 16;

/// Which lengths.
#[derive(Clone, Copy)]
pub struct Lengths {
    /// None is longer.
    pub most: u64,
    /// From one to the next.
    pub step: u64,
}

/// Cuts seeds of each of the `subjects`; whether all held.
pub fn run(subjects: &[Subject], seeds: &Seeds, lengths: Lengths) -> bool {
    let closer = Lengths {
        step: lengths.step.div_ceil(CLOSER),
        ..lengths
    };
    let mut done: Vec<String> = Vec::new();
    let mut held = true;
    for subject in subjects {
        let mut known = plan::of_subject(subject, seeds);
        known.retain(|seed| knows(subject, seed));
        if !matches!(subject.material, Material::Images) {
            known.retain(|seed| seed.len <= LONGEST_OWN);
            for seed in known {
                held &= all_prefixes(subject, &seed, closer);
            }
            continue;
        }
        let Some(seed) = known
            .iter()
            .min_by_key(|seed| lengths.most.saturating_sub(seed.len))
        else {
            println!("{:<24} FAILED: no seed is recognised", subject.title());
            held = false;
            continue;
        };
        // Raw claims whatever no other container does.
        if !done.contains(&seed.name) {
            held &= all_prefixes(subject, seed, lengths);
            done.push(seed.name.clone());
        }
    }
    held
}

fn knows(subject: &Subject, seed: &Seed) -> bool {
    let source: Arc<dyn Source> = Arc::new(Mutant::damaged(seed, seed.len, Vec::new()));
    let answer = catch_unwind(AssertUnwindSafe(|| subject.run(&source)));
    !matches!(answer, Ok(Answer::NotMine))
}

/// All lengths of one seed.
fn all_prefixes(subject: &Subject, seed: &Seed, lengths: Lengths) -> bool {
    let title = subject.title();
    let runs = Runs {
        title: &title,
        first: 0,
        count: seed.len.min(lengths.most) / lengths.step + 1,
        step: lengths.step,
        held_bytes: 0,
    };
    let one = |len| {
        let source: Arc<dyn Source> = Arc::new(Mutant::damaged(seed, len, Vec::new()));
        match subject.material {
            Material::Images => {
                Answer::mine(image_from(&source, &AssembleOptions::default()).is_ok())
            }
            _ => subject.run(&source),
        }
    };
    let counts = runs.run(one, |len, message| {
        println!(
            "{title}: PANIC on {} cut to {len} bytes: {message}",
            seed.name
        );
    });
    let what = format!("{} cut short", seed.name);
    counts.report(&title, &what, counts.complaint())
}
