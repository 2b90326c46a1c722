//! Command line.

use std::path::PathBuf;

/// What to do.
pub struct Arguments {
    /// Executions per format.
    pub runs: u64,
    /// Executions per format of text, where they are to be others.
    pub text_runs: Option<u64>,
    /// Number of the first one, to repeat a failure.
    pub first: u64,
    /// Start value of the random numbers.
    pub seed: u64,
    /// One format only: `gpt` or `tables/gpt`.
    pub format: Option<String>,
    /// Instead of mutations: every length of a seed up to this many bytes.
    pub truncate: Option<u64>,
    /// Folders with images.
    pub seeds: Vec<PathBuf>,
    /// Folders with texts.
    pub texts: Vec<PathBuf>,
}

impl Arguments {
    /// `--runs N --text-runs N --first N --seed N --format NAME --truncate BYTES --seeds DIR… --texts DIR…`
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut all = Self {
            runs: 100_000,
            text_runs: None,
            first: 0,
            seed: 1,
            format: None,
            truncate: None,
            seeds: Vec::new(),
            texts: Vec::new(),
        };
        while let Some(word) = words.next() {
            let value = words.next().ok_or(format!("{word} needs a value"))?;
            let number = || {
                value
                    .parse()
                    .map_err(|_| format!("{value} is not a number"))
            };
            match word.as_str() {
                "--runs" => all.runs = number()?,
                "--text-runs" => all.text_runs = Some(number()?),
                "--first" => all.first = number()?,
                "--truncate" => all.truncate = Some(number()?),
                "--seed" => all.seed = number()?,
                "--format" => all.format = Some(value),
                "--seeds" => all.seeds.push(PathBuf::from(value)),
                "--texts" => all.texts.push(PathBuf::from(value)),
                _ => return Err(format!("unknown option {word}")),
            }
        }
        Ok(all)
    }
}
