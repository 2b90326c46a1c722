//! Runs of one subject on damaged seeds.

use super::Seeds;
use super::arguments::Arguments;
use super::plan::Plans;
use super::runs::Runs;
use crate::damage::random_of_run;
use crate::subject::{Material, Subject};

/// Copies of a seed in memory that loop and reader hold.
const COPIES: u64 = 8;
/// With fewer runs it is left to chance how many get behind the first check.
const FEW: u64 = 200;

/// Whether the reader held.
pub fn run(subject: &Subject, seeds: &Seeds, arguments: &Arguments) -> bool {
    let title = subject.title();
    let plans = Plans::new(subject, seeds);
    let seed = arguments.seed;
    let runs = Runs {
        title: &title,
        first: arguments.first,
        count: match plans.chosen.is_empty() {
            true => 0,
            false => arguments.runs_of(subject),
        },
        step: 1,
        held_bytes: match subject.material {
            Material::Own { .. } => plans.longest() * COPIES,
            _ => 0,
        },
    };
    let one = |number| {
        let mut random = random_of_run(seed, number);
        let plan = random.pick(&plans.chosen);
        subject.run(&plan.damaged(subject, &mut random))
    };
    let counts = runs.run(one, |number, message| {
        let plan = random_of_run(seed, number).pick(&plans.chosen);
        let name = &plan.seed.name;
        println!("{title}: PANIC in run {number} on {name}: {message}");
        println!(
            "  repeat: cargo xtask fuzz --format {title} --seed {seed} --first {number} --runs 1"
        );
    });
    let few = |least: u64| counts.runs >= FEW && counts.mine * least < counts.runs;
    let complaint = counts
        .complaint()
        .or((plans.known == 0).then_some("no seed is recognised"))
        .or((plans.unknown > 0).then_some("a seed of its own is not recognised"))
        .or(subject
            .least
            .is_some_and(few)
            .then_some("too few get behind the first check"));
    counts.report(&title, &format!("seeds {}", plans.known), complaint)
}
