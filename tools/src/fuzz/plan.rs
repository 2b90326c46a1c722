//! The seeds of a subject, and where it looks in them.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ioalign_inspect::Source;
use ioalign_inspect::source::MemorySource;
use ioalign_testkit::Random;

use super::Seeds;
use crate::damage::{self, Mutant};
use crate::seeds::Seed;
use crate::subject::{Answer, Material, Subject};

/// Seeds of files used per subject; more would only thin the runs out.
const MOST_SEEDS: usize = 16;

/// A seed, and where the reader looks in it.
pub struct TrialPlan<'a> {
    pub seed: Cow<'a, Seed>,
    reads: Vec<(u64, u64)>,
}

/// The plans of a subject.
pub struct Plans<'a> {
    pub chosen: Vec<TrialPlan<'a>>,
    /// How many of them the reader recognises.
    pub known: usize,
    /// Seeds of its own that it does not recognise.
    pub unknown: usize,
}

impl<'a> Plans<'a> {
    /// The seeds that the reader knows, spread over all of them; any seeds when it knows none.
    pub fn new(subject: &Subject, seeds: &'a Seeds) -> Self {
        let (mut known, mut others) = (Vec::new(), Vec::new());
        for seed in of_subject(subject, seeds) {
            let source = Arc::new(Mutant::recording(&seed));
            let shared: Arc<dyn Source> = source.clone();
            let answer = catch_unwind(AssertUnwindSafe(|| subject.run(&shared)));
            let reads = source.reads();
            let plan = TrialPlan { seed, reads };
            match answer {
                Ok(Answer::NotMine) => others.push(plan),
                _ => known.push(plan),
            }
        }
        if let Material::Own { .. } = subject.material {
            return Self {
                known: known.len(),
                unknown: others.len(),
                chosen: known,
            };
        }
        let count = known.len().min(MOST_SEEDS);
        let chosen = if known.is_empty() { others } else { known };
        let step = chosen.len().div_ceil(MOST_SEEDS).max(1);
        Self {
            chosen: chosen.into_iter().step_by(step).collect(),
            known: count,
            unknown: 0,
        }
    }

    /// The length of the longest seed.
    pub fn longest(&self) -> u64 {
        let lengths = self.chosen.iter().map(|plan| plan.seed.len);
        lengths.max().unwrap_or(0)
    }
}

/// The seeds that a subject may know.
pub fn of_subject<'a>(subject: &Subject, seeds: &'a Seeds) -> Vec<Cow<'a, Seed>> {
    let files = match &subject.material {
        Material::Images => &seeds.images,
        Material::Texts => &seeds.texts,
        Material::Own { seeds, .. } => {
            let name = |number| format!("{}-{number}", subject.title());
            let numbered = (1..).zip(seeds());
            let made = numbered.map(|(number, bytes)| Seed::from_bytes(name(number), &bytes));
            return made.map(Cow::Owned).collect();
        }
    };
    files.iter().map(Cow::Borrowed).collect()
}

impl TrialPlan<'_> {
    /// The seed with damage.
    pub fn damaged(&self, subject: &Subject, random: &mut Random) -> Arc<dyn Source> {
        let in_memory = |damage: &dyn Fn(&mut Vec<u8>, &mut Random), random: &mut Random| {
            let mut bytes = self.seed.bytes();
            damage(&mut bytes, random);
            Arc::new(MemorySource::new(bytes))
        };
        match &subject.material {
            Material::Images => Arc::new(damage::image(&self.seed, &self.reads, random)),
            Material::Texts => in_memory(&damage::text, random),
            Material::Own { damage, .. } => in_memory(damage, random),
        }
    }
}
