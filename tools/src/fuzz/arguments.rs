//! Command line.

use std::path::PathBuf;

use super::truncate::Lengths;
use crate::subject::{Material, Subject};

/// Runs of a subject in a brief loop: each kind of damage comes up, and the whole takes a minute of a processor without
/// optimisation.
const BRIEF_RUNS: u64 = 256;
/// Lengths of a brief loop: some for each boundary of sectors.
const BRIEF_LENGTHS: Lengths = Lengths {
    most: 64 << 10,
    step: 1021,
};

/// What to do.
pub struct Arguments {
    /// Executions per subject.
    pub runs: u64,
    /// Executions per format of text, where they are to be others.
    pub text_runs: Option<u64>,
    /// Number of the first one, to repeat a failure.
    pub first: u64,
    /// Start value of the random numbers.
    pub seed: u64,
    /// Names of subjects or rooms, each of which a subject needs: `gpt`, `tables/gpt`, `tables`.
    pub names: Vec<String>,
    /// Seeds are cut to these lengths: instead of mutations, but after those of a brief loop.
    pub truncate: Option<Lengths>,
    /// A minute for CI.
    pub brief: bool,
    /// Instead of runs: the names of the subjects.
    pub list: bool,
    /// Instead of runs: the seeds that subjects make are written here.
    pub write_seeds: Option<PathBuf>,
    /// Folders with images and captured hosts.
    pub seeds: Vec<PathBuf>,
    /// Folders with texts.
    pub texts: Vec<PathBuf>,
}

impl Arguments {
    /// `--runs N --text-runs N --first N --seed N --format NAME --truncate BYTES --brief --list --ROOM --write-seeds DIR --seeds DIR… --texts DIR…`
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut all = Self {
            runs: 100_000,
            text_runs: None,
            first: 0,
            seed: 1,
            names: Vec::new(),
            truncate: None,
            brief: false,
            list: false,
            write_seeds: None,
            seeds: Vec::new(),
            texts: Vec::new(),
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--brief" => {
                    all.brief = true;
                    all.runs = BRIEF_RUNS;
                    all.truncate = Some(BRIEF_LENGTHS);
                }
                "--list" => all.list = true,
                "--traces" | "--trees" | "--journals" | "--boot" | "--convert" | "--ovf"
                | "--containers" => {
                    all.names.push(word.trim_start_matches('-').to_owned());
                }
                _ => {
                    let value = words.next().ok_or(format!("{word} needs a value"))?;
                    all.set(&word, value)?;
                }
            }
        }
        Ok(all)
    }

    fn set(&mut self, word: &str, value: String) -> Result<(), String> {
        let number = || {
            let number = value.parse();
            number.map_err(|_| format!("{value} is not a number"))
        };
        match word {
            "--runs" => self.runs = number()?,
            "--text-runs" => self.text_runs = Some(number()?),
            "--first" => self.first = number()?,
            "--truncate" => {
                self.truncate = Some(Lengths {
                    most: number()?,
                    step: 1,
                })
            }
            "--seed" => self.seed = number()?,
            "--format" => self.names.push(value),
            "--write-seeds" => self.write_seeds = Some(PathBuf::from(value)),
            "--seeds" => self.seeds.push(PathBuf::from(value)),
            "--texts" => self.texts.push(PathBuf::from(value)),
            _ => return Err(format!("unknown option {word}")),
        }
        Ok(())
    }

    /// Whether a subject has all the names.
    pub fn wants(&self, subject: &Subject) -> bool {
        self.names.iter().all(|name| subject.is(name))
    }

    /// Executions of a subject.
    pub fn runs_of(&self, subject: &Subject) -> u64 {
        let runs = match (&subject.material, self.text_runs) {
            (Material::Texts, Some(runs)) => runs,
            _ => self.runs,
        };
        runs.div_ceil(subject.cost)
    }
}
