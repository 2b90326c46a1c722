//! The arguments of `cargo xtask test`.

use anyhow::{Result, bail};

use super::groups::TestGroup;

/// The steps of a whole run, in the order in which they fail fastest.
pub const STEPS: [&str; 12] = [
    "packages", "format", "clippy", "shell", "bpf", "fixtures", "test", "doc", "book", "publish",
    "fuzz", "deny",
];
/// Parts of the step `test`, by what the tests need.
const PARTS: [&str; 3] = ["unit", "oracle", "vm"];
/// The steps of the inner loop.
const QUICK: [&str; 3] = ["format", "clippy", "quick"];

/// What was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The inner loop in place of a whole run.
    pub quick: bool,
    /// One step, or a part of the tests.
    only: Option<String>,
    /// The crate whose tests run; all without it.
    pub package: Option<String>,
    /// The tests with this in their name.
    pub name: Option<String>,
}

impl Choice {
    pub fn parse(args: &[String]) -> Result<Self> {
        let mut choice = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--quick" => choice.quick = true,
                "--only" => choice.only = Some(step(args.next())?),
                "-p" | "--package" if args.len() > 0 => choice.package = args.next().cloned(),
                name if !name.starts_with('-') && choice.name.is_none() => {
                    choice.name = Some(name.to_owned());
                }
                other => bail!(
                    "{other} is not understood; cargo xtask test [--quick | --only STEP] [-p CRATE] [NAME]; steps are {}",
                    list_steps()
                ),
            }
        }
        if choice.quick && choice.only.is_some() {
            bail!("--quick has steps of its own: leave out --only");
        }
        // A name or a crate is one of tests.
        let narrowed = choice.name.is_some() || choice.package.is_some();
        if narrowed && choice.only.is_none() && !choice.quick {
            choice.only = Some("test".to_owned());
        }
        Ok(choice)
    }

    /// The steps to run, in order.
    pub fn steps(&self) -> Vec<&'static str> {
        match self.only.as_deref() {
            Some(only) => all_steps().filter(|step| *step == only).collect(),
            None if self.quick => QUICK.to_vec(),
            None => STEPS.to_vec(),
        }
    }

    /// Whether everything runs.
    pub const fn is_whole(&self) -> bool {
        !self.quick && self.only.is_none()
    }

    /// The profile of cargo that everything is built in: a developer's, or that of whole runs.
    pub const fn profile(&self) -> &'static str {
        if self.quick { "dev" } else { "ci" }
    }
}

fn step(named: Option<&String>) -> Result<String> {
    match named.filter(|named| all_steps().any(|step| step == named.as_str())) {
        Some(step) => Ok(step.clone()),
        None => bail!("--only takes one of {}", list_steps()),
    }
}

fn all_steps() -> impl Iterator<Item = &'static str> {
    STEPS.into_iter().chain(PARTS)
}

fn list_steps() -> String {
    all_steps().collect::<Vec<_>>().join(", ")
}

/// The tests that a step runs, if it runs tests.
pub fn group_of(step: &str) -> Option<TestGroup> {
    match step {
        "test" => Some(TestGroup::All),
        "unit" => Some(TestGroup::Unit),
        "oracle" => Some(TestGroup::Oracle),
        "vm" => Some(TestGroup::Vm),
        "quick" => Some(TestGroup::Quick),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(args: &str) -> Result<Choice> {
        let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
        Choice::parse(&args)
    }

    #[test]
    fn arguments_choose_steps() {
        assert_eq!(parsed("").unwrap().steps(), STEPS);
        assert_eq!(parsed("--quick -p ioalign-core").unwrap().steps(), QUICK);
        assert_eq!(parsed("--only deny").unwrap().steps(), ["deny"]);
        assert_eq!(parsed("--only vm").unwrap().steps(), ["vm"]);
        assert_eq!(parsed("fix::kills").unwrap().steps(), ["test"]);
        assert_eq!(parsed("-p ioalign-core").unwrap().steps(), ["test"]);
        for wrong in [
            "--only",
            "--only x",
            "a b",
            "--fast",
            "-p",
            "--quick --only doc",
        ] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
