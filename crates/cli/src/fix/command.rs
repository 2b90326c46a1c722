//! The next command, with every option that matters, as a person pastes it.

use std::path::Path;

use ioalign_core::{Bytes, shell};
use ioalign_repair::container::ImageFormat;

use crate::args::{FixArgs, ReadErrorsArg, VerifyArg};

/// The action of the command.
#[derive(Clone, Copy, Debug)]
pub enum FixStep<'a> {
    /// Shows the plan.
    Show,
    /// Moves in place, if the plan is still the one of this name.
    Apply(&'a str),
    /// Writes a new image.
    Output(&'a Path, Option<ImageFormat>),
    /// Goes on with an interrupted job, by a journal that was put elsewhere.
    Resume(Option<&'a Path>),
    /// Goes back to the layout from before an interrupted job, in the same way.
    Rollback(Option<&'a Path>),
    /// Removes the journal of a move that is not on the disk.
    Forget(Option<&'a Path>),
}

/// `ioalign fix TARGET …` in one line.
pub fn line(arguments: &FixArgs, step: FixStep<'_>) -> String {
    let mut words = vec![
        "ioalign".to_owned(),
        "fix".to_owned(),
        shell::path(&arguments.target).into_owned(),
    ];
    match step {
        FixStep::Resume(_) => words.push("--resume".to_owned()),
        FixStep::Rollback(_) => words.push("--rollback".to_owned()),
        FixStep::Forget(_) => words.push("--forget".to_owned()),
        FixStep::Show | FixStep::Apply(_) | FixStep::Output(..) => {
            layout(arguments, step, &mut words);
        }
    }
    manner(arguments, step, &mut words);
    match step {
        FixStep::Apply(plan) => words.extend(["--apply".to_owned(), format!("--expect {plan}")]),
        FixStep::Output(new, format) => {
            words.push(format!("--output {}", shell::path(new)));
            words.extend(format.map(|format| format!("--format {}", format.name())));
        }
        FixStep::Show | FixStep::Resume(_) | FixStep::Rollback(_) | FixStep::Forget(_) => {}
    }
    words.join(" ")
}

/// The call that removes the journal of a move that is not on the disk.
pub fn forgetting(arguments: &FixArgs) -> String {
    line(arguments, FixStep::Forget(arguments.journal.as_deref()))
}

/// The same call on the same journal: on, back, or the journal removed.
pub fn again(arguments: &FixArgs) -> String {
    let (mode, journal) = (&arguments.mode, arguments.journal.as_deref());
    let step = match (mode.rollback, mode.forget) {
        (true, _) => FixStep::Rollback(journal),
        (_, true) => FixStep::Forget(journal),
        _ => FixStep::Resume(journal),
    };
    let adopted = if mode.adopt { " --adopt" } else { "" };
    format!("{}{adopted}", line(arguments, step))
}

/// The options that the plan depends on.
fn layout(arguments: &FixArgs, step: FixStep<'_>, words: &mut Vec<String>) {
    let change = &arguments.change;
    let sector = |size: ioalign_core::SectorSize| size.get().to_string();
    let mut option = |name: &str, value: Option<String>| {
        words.extend(value.map(|value| format!("{name} {}", shell::word(&value))));
    };
    option("--sector-size", arguments.sector_size.map(sector));
    option(
        "--convert-sector-size",
        change.convert_sector_size.map(sector),
    );
    option(
        "--enlarge-partition",
        change.enlarge_partition.map(|number| number.to_string()),
    );
    option("--partition", numbers(&arguments.partition));
    option("--align", arguments.align.map(size));
    for grid in &arguments.grid {
        option("--grid", Some(grid.as_argument()));
    }
    for set in &arguments.profile_grid {
        option("--profile-grid", Some(set.name.clone()));
    }
    let in_place = matches!(step, FixStep::Show | FixStep::Apply(_));
    let flags = [
        ("--universal", change.universal),
        ("--grow", change.grow),
        ("--shrink-last", change.shrink_last && in_place),
        ("--anywhere", change.anywhere),
        ("--accept-dirty", arguments.accept_dirty),
        ("--accept-boot", arguments.accept_boot),
        ("--accept-overlays", arguments.accept_overlays && in_place),
    ];
    let given = flags.iter().filter(|(_, given)| *given);
    words.extend(given.map(|(name, _)| (*name).to_owned()));
}

/// The calls that end an interrupted job, whose journal is named where it must be.
pub fn ways(arguments: &FixArgs, journal: Option<&Path>) -> String {
    let ways =
        [FixStep::Resume(journal), FixStep::Rollback(journal)].map(|step| line(arguments, step));
    format!("`{}` or `{}`", ways[0], ways[1])
}

/// How data are moved, and where the journal is.
fn manner(arguments: &FixArgs, step: FixStep<'_>, words: &mut Vec<String>) {
    let how = &arguments.how;
    let journal = match step {
        FixStep::Apply(_) => arguments.journal.as_deref(),
        FixStep::Resume(journal) | FixStep::Rollback(journal) | FixStep::Forget(journal) => journal,
        FixStep::Show | FixStep::Output(..) => None,
    };
    words.extend(journal.map(|path| format!("--journal {}", shell::path(path))));
    let folder = arguments.journal_dir.as_deref();
    let folder = folder.filter(|_| matches!(step, FixStep::Apply(_) | FixStep::Forget(_)));
    words.extend(folder.map(|path| format!("--journal-dir {}", shell::path(path))));
    if matches!(step, FixStep::Forget(_)) {
        return;
    }
    match how.verify {
        VerifyArg::Full => {}
        VerifyArg::Sampled => words.push("--verify sampled".to_owned()),
        VerifyArg::None => words.push("--verify none".to_owned()),
    }
    if matches!(how.read_errors, ReadErrorsArg::Map) {
        words.push("--read-errors map".to_owned());
    }
    let sizes = [("--chunk", how.chunk), ("--limit", how.limit)];
    let sizes = sizes
        .into_iter()
        .filter_map(|(name, one)| Some((name, one?)));
    words.extend(sizes.map(|(name, one)| format!("{name} {}", size(one))));
}

fn numbers(all: &[u32]) -> Option<String> {
    let words: Vec<_> = all.iter().map(u32::to_string).collect();
    (!words.is_empty()).then(|| words.join(","))
}

/// A size as it can be typed.
fn size(bytes: Bytes) -> String {
    let units = [("G", 30), ("M", 20), ("k", 10)];
    let whole = |(_, shift): &(&str, u32)| bytes.get().trailing_zeros() >= *shift;
    match units.into_iter().find(whole) {
        Some((unit, shift)) => format!("{}{unit}", bytes.get() >> shift),
        None => bytes.get().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Deferred, Verb};
    use clap::Parser;

    fn parsed(words: &[&str]) -> Deferred<FixArgs> {
        let words = [&["ioalign", "fix"], words].concat();
        match Cli::try_parse_from(words).unwrap().verb {
            Verb::Fix(arguments) => arguments,
            _ => panic!("not a fix"),
        }
    }

    #[test]
    fn every_option_that_matters_is_repeated() {
        let words = [
            "--sector-size=512",
            "--partition=1,3",
            "--align=64k",
            "--grid=192k@512:stripe:preference",
            "--profile-grid=4kn",
            "--grow",
            "--anywhere",
            "--accept-dirty",
            "--accept-boot",
            "--journal=a journal",
            "--verify=sampled",
            "--read-errors=map",
            "--chunk=4M",
            "--limit=1000",
            "--",
            "-a;touch X;.img",
        ];
        assert_eq!(
            line(&parsed(&words), FixStep::Apply("0123")),
            "ioalign fix './-a;touch X;.img' --sector-size 512 --partition 1,3 --align 64k \
             --grid 192k@512:stripe:preference --profile-grid 4kn --grow --anywhere --accept-dirty --accept-boot \
             --journal 'a journal' --verify sampled --read-errors map --chunk 4M --limit 1000 --apply \
             --expect 0123"
        );
        assert_eq!(
            line(
                &parsed(&words),
                FixStep::Resume(Some(Path::new("a journal")))
            ),
            "ioalign fix './-a;touch X;.img' --resume --journal 'a journal' --verify sampled \
             --read-errors map --chunk 4M --limit 1000"
        );
    }

    #[test]
    fn what_is_usual_is_not_repeated() {
        let arguments = parsed(&["disk.img", "--shrink-last"]);
        let new = Path::new("a b.qcow2");
        assert_eq!(
            line(&arguments, FixStep::Apply("01")),
            "ioalign fix disk.img --shrink-last --apply --expect 01"
        );
        assert_eq!(
            line(&arguments, FixStep::Output(new, None)),
            "ioalign fix disk.img --output 'a b.qcow2'"
        );
    }
}
