//! Contents that are longer than their partition: nothing moves before that is mended, and how it is mended.

use std::path::Path;

use anyhow::Result;
use ioalign_core::{Bytes, Finding, LayerId, rules, shell};
use ioalign_repair::fix::{DiskSurvey, Enlargement};
use ioalign_report::Target;

use super::refuse::{self, NextStep, Refusal};
use crate::args::FixArgs;

/// What says that contents reach past the end of the space that holds them.
const PAST_THE_END: [&str; 5] = [
    rules::FILESYSTEM_PAST_END,
    rules::LVM_PV_TOO_SMALL,
    rules::MD_DATA_PAST_END,
    rules::LUKS_DATA_PAST_END,
    rules::BCACHE_DATA_PAST_END,
];

/// Whether a finding is that contents are longer than what holds them.
pub fn is_about_length(finding: &Finding) -> bool {
    PAST_THE_END.contains(&finding.rule)
}

/// The length that the contents of a partition need, where it is too short; `u64::MAX` where they do not say.
pub fn needed(target: &Target, partition: LayerId) -> Option<u64> {
    let is_there =
        |id: LayerId| id == partition || target.stack.above(partition).any(|above| above == id);
    let own = target
        .findings
        .iter()
        .filter(|one| is_about_length(one) && one.layer.is_some_and(is_there));
    own.map(|one| one.suggest.size.map_or(u64::MAX, Bytes::get))
        .max()
}

/// The partition that is to be as long as its contents; from then on these fit.
pub fn wanted(arguments: &FixArgs, survey: &mut DiskSurvey) -> Result<Option<Enlargement>> {
    let Some(number) = arguments.change.enlarge_partition else {
        return Ok(None);
    };
    let part = survey.parts.iter_mut().find(|part| part.number == number);
    let needs = part.and_then(|part| part.needs.take());
    if needs == Some(u64::MAX) {
        let what = format!(
            "{}: what is in partition {number} does not say how long it is: a partition as long cannot be made",
            arguments.target.display()
        );
        let next = format!("ioalign check {} -v", shell::path(&arguments.target));
        return Err(refuse::refusal(rules::FIX_NO_PLAN, what, &next));
    }
    // One that fits, or that is not there, is for the planner, who knows the table.
    Ok(Some(Enlargement {
        number,
        size: needs.unwrap_or(0),
    }))
}

/// Refuses contents that a move would tear.
pub fn all_fit(survey: &DiskSurvey, path: &Path) -> Result<()> {
    let Some((part, needs)) = survey
        .parts
        .iter()
        .find_map(|part| Some((part, part.needs?)))
    else {
        return Ok(());
    };
    let length = match needs {
        u64::MAX => "is longer than the partition".to_owned(),
        needs => format!("is {needs} bytes long, and the partition is shorter"),
    };
    let what = format!(
        "{}: {} in partition {} {length}: a move would leave its end behind; nothing was written",
        path.display(),
        part.what,
        part.number
    );
    let named = shell::path(path);
    let command = match needs {
        u64::MAX => format!("ioalign check {named} -v"),
        _ => format!("ioalign fix {named} --enlarge-partition {}", part.number),
    };
    let rule = rules::FIX_CONTENT_PAST_END;
    let refusal = Refusal {
        what,
        rule,
        next: vec![NextStep { command, when: "" }],
        is_usage: false,
    };
    Err(refusal.into())
}
