//! The plain calls of `check`, read without building the whole command line.
//!
//! Building the definition of all verbs, options and texts takes as long as judging an image. Most
//! calls are `check FILE` with a switch or two: those are read here. Everything else, and everything
//! that could be wrong, is left to the definition; a test holds the two against each other.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use super::{CheckArgs, OutputArgs, ROWS};

/// The arguments of a plain `check`; nothing where anything else is among the words.
///
/// `words` are those after the name of the program.
pub fn read(mut words: impl Iterator<Item = OsString>) -> Option<CheckArgs> {
    if words.next()? != "check" {
        return None;
    }
    let mut check = defaults();
    for word in words {
        match word.as_bytes() {
            [] => return None,
            [b'-', ..] => *switch(&mut check, word.to_str()?)? = true,
            _ => check.targets.push(word.into()),
        }
    }
    Some(check)
}

/// The switch of this name, if it was not given before: twice is an error, which is not ours to word.
fn switch<'a>(check: &'a mut CheckArgs, name: &str) -> Option<&'a mut bool> {
    let flag = match name {
        "--json" => &mut check.output.json,
        "--quiet" | "-q" => &mut check.output.quiet,
        "--no-color" => &mut check.output.no_color,
        "--ascii" => &mut check.output.ascii,
        "--no-policy" => &mut check.no_policy,
        "--allow-backing" => &mut check.allow_backing,
        _ => return None,
    };
    (!*flag).then_some(flag)
}

/// What the definition gives where nothing is said.
fn defaults() -> CheckArgs {
    CheckArgs {
        targets: Vec::new(),
        sysroot: None,
        grid: Vec::new(),
        profile_grid: Vec::new(),
        sector_size: None,
        target_logical: None,
        upload: None,
        size_multiple: None,
        uefi: false,
        together: false,
        allow_backing: false,
        extents: false,
        database: None,
        text_format: None,
        exit_mode: None,
        policy: None,
        no_policy: false,
        rows: ROWS,
        jobs: None,
        output: OutputArgs {
            format: "text".to_owned(),
            json: false,
            output: None,
            quiet: false,
            verbose: 0,
            no_color: false,
            ascii: false,
        },
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::{Cli, Verb};
    use super::*;

    fn words(line: &str) -> impl Iterator<Item = OsString> {
        line.split(' ').map(OsString::from)
    }

    /// What the definition makes of it; `None` for an error or another verb.
    fn defined(line: &str) -> Option<String> {
        let all = std::iter::once(OsString::from("ioalign")).chain(words(line));
        match Cli::try_parse_from(all).ok()?.verb {
            Verb::Check(check) => Some(format!("{check:?}")),
            _ => None,
        }
    }

    fn plain(line: &str) -> Option<String> {
        read(words(line)).map(|check| format!("{check:?}"))
    }

    #[test]
    fn plain_calls_are_read_as_the_definition_reads_them() {
        let switches = "--json --quiet --no-color --ascii --no-policy --allow-backing";
        let switches: Vec<_> = switches.split(' ').collect();
        for chosen in 0..1_u32 << switches.len() {
            let some = switches.iter().enumerate();
            let some = some.filter(|(i, _)| chosen >> i & 1 == 1);
            let some: String = some.map(|(_, switch)| format!(" {switch}")).collect();
            for line in [format!("check{some}"), format!("check a.img{some} b/c")] {
                assert!(plain(&line).is_some(), "{line}");
                assert_eq!(plain(&line), defined(&line), "{line}");
            }
        }
        for line in ["check -q help", "check help", "check a a"] {
            assert_eq!(plain(line), defined(line), "{line}");
            assert!(plain(line).is_some(), "{line}");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_definition() {
        for line in [
            "",
            "--version",
            "help",
            "explain",
            "check --help",
            "check -h",
            "check -v a",
            "check -",
            "check -- -a",
            "check --json --json a",
            "check -q -q a",
            "check -qv a",
            "check --jso a",
            "check --json=true a",
            "check --format json a",
            "check --rows 3 a",
            "check  a",
        ] {
            assert_eq!(plain(line), None, "{line}");
        }
    }
}
