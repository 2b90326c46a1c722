//! The contents of the status line and the long output.

use std::collections::BTreeSet;

use ioalign_core::{Finding, Kind, LayerId, Severity};

use crate::devices;
use crate::model::{Report, SourceKind, Target};
use crate::order;
use crate::starts::{blamed, faulty};
use crate::words::ended::ended;
use crate::words::kinds;

/// Columns that a name may take in the status line.
const NAME: usize = 48;

/// The text between the status and the performance data.
pub fn summary(report: &Report) -> String {
    let fails = |finding: &&Finding| report.fail.fails(finding);
    let failing: Vec<(&Target, &Finding)> = order::targets(&report.targets)
        .into_iter()
        .flat_map(|target| {
            let found = order::findings(target).into_iter().filter(fails);
            found.map(move |finding| (target, finding))
        })
        .collect();
    match failing.first() {
        None if report.targets.is_empty() => "nothing was found to check".to_owned(),
        Some((target, finding)) => defect(report, target, finding, failing.len()),
        None => unread(report)
            .or_else(|| unknown(report))
            .unwrap_or_else(|| fine(report)),
    }
}

/// `1 of 3 partitions misaligned: sda2 start 63s is 3584 B past a 4096 B boundary`
fn defect(report: &Report, target: &Target, finding: &Finding, found: usize) -> String {
    let said = with_target(report, target, &arithmetic(target, finding));
    let more = match found {
        0 | 1 => String::new(),
        found => format!(" (and {} more)", found - 1),
    };
    match counted(report, target, finding) {
        Some(count) => format!("{count}: {said}{more}"),
        None => format!("{}: {said}{more}", finding.severity.name()),
    }
}

/// `1 of 3 partitions misaligned`; `None` where the finding is not about one layer of several.
fn counted(report: &Report, target: &Target, finding: &Finding) -> Option<String> {
    let kind = target.stack.layer(blamed(finding)?).kind;
    let number = distinct(report, kind, |target| faulty(target, &[finding.severity])).len();
    let total = distinct(report, kind, all_layers).len();
    let plural = if total == 1 { "" } else { "s" };
    Some(format!(
        "{number} of {total} {}{plural} {}",
        kinds::layer(kind),
        finding.severity.name()
    ))
}

fn all_layers(target: &Target) -> BTreeSet<LayerId> {
    target.stack.layers().map(|(id, _)| id).collect()
}

/// The layers of a kind that carry data, `among` those of each target: each device once, because a disk and its
/// partition may both be targets.
fn distinct(
    report: &Report,
    kind: Kind,
    among: impl Fn(&Target) -> BTreeSet<LayerId>,
) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for target in &report.targets {
        for id in among(target) {
            let layer = target.stack.layer(id);
            if layer.kind == kind && layer.role.carries_data() {
                // A device of this host is the same in every target.
                let (place, name) = match target.source {
                    SourceKind::Host => (String::new(), devices::device(&target.stack, id)),
                    _ => (target.name.clone(), id.0.to_string()),
                };
                found.insert((place, name));
            }
        }
    }
    found
}

fn with_target(report: &Report, target: &Target, said: &str) -> String {
    if report.targets.len() > 1 {
        format!("{}: {said}", short(&target.name))
    } else {
        said.to_owned()
    }
}

fn short(name: &str) -> String {
    super::escape::plain(name, NAME)
}

/// The numbers of a start where it has one offset, the finding's own sentence elsewhere.
fn arithmetic(target: &Target, finding: &Finding) -> String {
    start(target, finding).unwrap_or_else(|| finding.why.clone())
}

fn start(target: &Target, finding: &Finding) -> Option<String> {
    let (id, unit, offset) = (blamed(finding)?, finding.unit?, finding.offset?);
    let one_phase = target.phases_on(id, finding.grid?)?.phases.len() == 1;
    if !one_phase || !finding.rule.starts_with("start-") {
        return None;
    }
    let layer = target.stack.layer(id);
    let start = match layer.start_sectors {
        Some(sectors) => format!("{}s", sectors.count()),
        None => format!("{} B", layer.below.first()?.map.start()?.get()),
    };
    Some(format!(
        "{} start {start} is {} B past a {} B boundary",
        short(&layer.name),
        offset.get(),
        unit.get()
    ))
}

fn unread(report: &Report) -> Option<String> {
    let mut failed = report.targets.iter().filter(|t| t.error.is_some());
    let first = failed.next()?;
    let message = first.error.as_ref().map_or("", |error| &error.message);
    let more = match failed.count() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Some(format!(
        "{} cannot be read: {message}{more}",
        short(&first.name)
    ))
}

fn unknown(report: &Report) -> Option<String> {
    report.targets.iter().find_map(|target| {
        let mut findings = target.findings.iter();
        let open = findings.find(|f| f.counts() && f.severity == Severity::Unknown)?;
        Some(with_target(report, target, &open.why))
    })
}

/// `3 partitions aligned`, with what was waived or noted.
fn fine(report: &Report) -> String {
    let all = || report.targets.iter().flat_map(|target| &target.findings);
    let waived = all().filter(|finding| !finding.counts()).count();
    let notes = all().filter(|finding| finding.counts()).count();
    // A waived partition is no reason to warn, and it is not aligned all the same.
    let off = distinct(report, Kind::Partition, |target| {
        let worse = |finding: &&Finding| finding.severity >= Severity::Suboptimal;
        let findings = target.findings.iter().filter(worse);
        findings
            .flat_map(|one| [one.layer, one.guilty])
            .flatten()
            .collect()
    });
    let partitions = distinct(report, Kind::Partition, all_layers);
    let aligned = partitions.difference(&off).count();
    let mut text = match (aligned, report.targets.len()) {
        (n, _) if !off.is_empty() => format!("{n} of {} partitions aligned", partitions.len()),
        (0, 1) => "nothing misaligned".to_owned(),
        (0, targets) => format!("nothing misaligned in {targets} targets"),
        (1, _) => "1 partition aligned".to_owned(),
        (n, _) => format!("{n} partitions aligned"),
    };
    for (number, what) in [(notes, "note"), (waived, "waived finding")] {
        if number > 0 {
            let plural = if number == 1 { "" } else { "s" };
            text.push_str(&format!(", {number} {what}{plural}"));
        }
    }
    text
}

/// A line a finding of a target, worst first.
pub fn lines(target: &Target) -> Vec<String> {
    let name = short(&target.name);
    let error = target
        .error
        .as_ref()
        .map(|error| format!("{name}: unreadable: {}", ended(&error.message)));
    let findings = order::findings(target).into_iter().map(|finding| {
        let waived = if finding.counts() { "" } else { " (waived)" };
        let why = ended(&finding.why);
        let (severity, rule) = (finding.severity.name(), finding.rule);
        format!("{name}: {severity} {rule}{waived}: {why}")
    });
    error.into_iter().chain(findings).collect()
}
