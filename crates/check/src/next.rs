//! The next command of a finding: `ioalign fix` where it can help, and the page of the rule.

use std::path::{Path, PathBuf};

use ioalign_core::{Finding, Kind, LayerId, Severity, Stack, TableKind, rules, shell};
use ioalign_report::Target;

use super::{CheckJob, image_name};

/// Adds the commands to every finding that is more than a note, before that of its [page](pages). `path`: the image that the target is; `None` for
/// this host, where disks have names of their own.
pub fn commands(target: &mut Target, job: &CheckJob, path: Option<&Path>) {
    each(target, |stack, one| fixing(stack, one, job, path));
}

/// The same for a disk in an OVA: all of that goes to a new folder.
pub fn packaged(target: &mut Target, job: &CheckJob, package: &Path) {
    let command = format!(
        "{} --output {}",
        call(package, job),
        shell::path(&image_name::aligned_folder(package))
    );
    each(target, |_, one| is_start(one).then(|| command.clone()));
}

fn each(target: &mut Target, command: impl Fn(&Stack, &Finding) -> Option<String>) {
    let Target {
        stack, findings, ..
    } = target;
    for one in findings
        .iter_mut()
        .filter(|one| one.severity > Severity::Note)
    {
        if let Some(command) = command(stack, one) {
            let before_the_page = one.steps.len().saturating_sub(1);
            one.steps.insert(before_the_page, format!("$ {command}"));
        }
    }
}

/// Names the page of each rule.
pub fn pages(findings: &mut [Finding]) {
    for one in findings
        .iter_mut()
        .filter(|one| one.severity > Severity::Note)
    {
        one.steps.push(format!("$ ioalign explain {}", one.rule));
    }
}

fn fixing(stack: &Stack, finding: &Finding, job: &CheckJob, path: Option<&Path>) -> Option<String> {
    if finding.suggest.size.is_some() && is_length(finding) {
        return enlarging(stack, finding, path);
    }
    if !is_start(finding) {
        return None;
    }
    let guilty = finding.guilty?;
    let layer = stack.layer(guilty);
    let is_container = layer.kind == Kind::Disk && !layer.below.is_empty();
    match (is_container, path) {
        (true, Some(path)) => {
            let new = image_name::on_the_grid(path);
            Some(format!(
                "{} --output {}",
                call(path, job),
                shell::path(&new)
            ))
        }
        (true, None) => None,
        (false, _) => {
            let disk = disk_of(stack, guilty)?;
            let path = path.map(Path::to_owned);
            let path = path.or_else(|| device(stack, disk))?;
            Some(call(&path, job))
        }
    }
}

/// Whether `fix` can put it right.
fn is_start(finding: &Finding) -> bool {
    matches!(
        finding.rule,
        rules::START_MISALIGNED | rules::START_SUBOPTIMAL
    )
}

/// Whether it is that contents are longer than their partition.
fn is_length(finding: &Finding) -> bool {
    matches!(
        finding.rule,
        rules::FILESYSTEM_PAST_END
            | rules::LVM_PV_TOO_SMALL
            | rules::MD_DATA_PAST_END
            | rules::LUKS_DATA_PAST_END
    )
}

/// The call that makes a partition as long as its contents.
fn enlarging(stack: &Stack, finding: &Finding, path: Option<&Path>) -> Option<String> {
    let layer = finding.layer?;
    let disk = disk_of(stack, layer)?;
    let partition = match stack.layer(layer).kind {
        Kind::Partition => layer,
        _ => stack.layer(layer).below.first()?.below,
    };
    // `p1`, `sda1`, `nvme0n1p1`.
    let name = &stack.layer(partition).name;
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let number = name
        .get(name.len() - digits..)
        .filter(|number| !number.is_empty())?;
    let path = path.map(Path::to_owned).or_else(|| device(stack, disk))?;
    Some(format!(
        "ioalign fix {} --enlarge-partition {number}",
        shell::path(&path)
    ))
}

/// The disk whose table places a layer: its partition, or what lies on one alone.
fn disk_of(stack: &Stack, guilty: LayerId) -> Option<LayerId> {
    let below = |id: LayerId| match stack.layer(id).below.as_slice() {
        [only] => Some(only.below),
        _ => None,
    };
    let partition = match stack.layer(guilty).kind {
        Kind::Partition => guilty,
        Kind::Filesystem | Kind::Swap | Kind::LvmPv | Kind::Crypt => below(guilty)?,
        _ => return None,
    };
    let disk = below(partition)?;
    let table = stack.layer(disk).table;
    let is_moved = stack.layer(partition).kind == Kind::Partition
        && stack.layer(disk).kind == Kind::Disk
        && matches!(table, Some(TableKind::Dos | TableKind::Gpt));
    is_moved.then_some(disk)
}

/// The device of a disk of this host.
fn device(stack: &Stack, disk: LayerId) -> Option<PathBuf> {
    let path = Path::new("/dev").join(&stack.layer(disk).name);
    path.exists().then_some(path)
}

fn call(path: &Path, job: &CheckJob) -> String {
    let mut words = format!("ioalign fix {}", shell::path(path));
    if let Some(sector) = job.inspect.sector {
        words.push_str(&format!(" --sector-size {}", sector.get()));
    }
    for grid in &job.inspect.grids {
        words.push_str(&format!(" --grid {}", shell::word(&grid.as_argument())));
    }
    words
}
