//! `check --atomic`: whether pages are written whole, and the proof.

use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use ioalign_core::atomic_write::{
    AtomicFileLimits, AtomicProof, AtomicQuestion, AtomicSubject, AtomicVerdict, certify,
};
use ioalign_core::severity::verdict;
use ioalign_core::{Bytes, Finding, Kind, Layer, Severity, Stack, rules, shell};
use ioalign_device::{atomic_file_limits, prove_atomic_writes, scratch_file_limits};
use ioalign_inspect::assemble;
use ioalign_inspect::filesystems::database;
use ioalign_inspect::images::policy::folder_of;
use ioalign_report::{SourceKind, Target};

use super::{CheckJob, target};

/// Entries of a folder that are looked at for a file.
const MOST_ENTRIES: usize = 1024;

/// What the operator asks.
#[derive(Copy, Clone, Debug)]
pub struct AtomicRequest {
    /// The page; `None`: that of the database.
    pub page: Option<Bytes>,
    /// Try it.
    pub prove: bool,
}

/// Judges the targets; none: this machine, or the captured one.
pub fn judge(targets: &[PathBuf], job: &CheckJob, request: &AtomicRequest) -> Vec<Target> {
    if targets.is_empty() || job.sysroot.is_some() {
        let mut all = target::host(job, targets);
        certified(&mut all, request, AtomicQuestion::default(), None);
        return vec![all];
    }
    targets.iter().map(|path| one(path, job, request)).collect()
}

fn one(path: &Path, job: &CheckJob, request: &AtomicRequest) -> Target {
    if let Some(mut captured) = target::captured(path, job) {
        certified(&mut captured, request, AtomicQuestion::default(), None);
        return captured;
    }
    let Ok(data) = std::fs::metadata(path) else {
        return target::judge(path, job);
    };
    let is_block = data.file_type().is_block_device();
    if !is_block && !data.is_file() && !data.is_dir() {
        return target::judge(path, job);
    }
    let mut found = if is_block {
        target::judge(path, job)
    } else {
        of_path(path, job)
    };
    let file = if data.is_dir() {
        file_in(path)
    } else {
        Some(path.to_owned())
    };
    // A device's own limits are those of its queue; what lies on it is another's.
    let file = file.filter(|_| !is_block || holds_nothing(&found.stack));
    // A folder without a file has its answer from the scratch file of the proof.
    let scratch = || {
        let is_wanted = request.prove && data.is_dir();
        is_wanted.then(|| scratch_file_limits(path)).flatten()
    };
    let limits = file.as_deref().map(atomic_file_limits);
    let question = AtomicQuestion {
        file: limits.or_else(scratch),
        path: (!request.prove).then(|| shell::path(path).into_owned()),
        ..AtomicQuestion::default()
    };
    let folder = match data.is_dir() {
        true => path,
        false => folder_of(path),
    };
    certified(&mut found, request, question, (!is_block).then_some(folder));
    found
}

/// What a file or folder of this machine lies on, with the database that it is.
fn of_path(path: &Path, job: &CheckJob) -> Target {
    let mut job = job.clone();
    if job.inspect.database.is_none() {
        job.inspect.database = database::find(path).ok().flatten();
    }
    let mount = assemble::mount_of(path).ok().flatten();
    let device = mount.as_ref().and_then(|mount| mount.device.as_deref());
    let mut found = match device {
        Some(device) => {
            let node = Path::new("/dev").join(device.replace('!', "/"));
            target::host(&job, &[node])
        }
        // tmpfs, overlay, network: the file system is all that is known.
        None => Target {
            verdict: Severity::Ok,
            source: SourceKind::Host,
            stack: alone(mount.map_or_else(|| "unknown".to_owned(), |mount| mount.kind)),
            ..Target::default()
        },
    };
    found.name = path.display().to_string();
    found
}

fn alone(kind: String) -> Stack {
    let mut stack = Stack::new();
    stack.push(Layer::new(Kind::Filesystem, kind));
    stack
}

fn holds_nothing(stack: &Stack) -> bool {
    let mut kinds = stack.layers().map(|(_, layer)| layer.kind);
    !kinds.any(|kind| matches!(kind, Kind::Filesystem | Kind::Database))
}

/// A regular file in the folder, for which its file system answers.
fn file_in(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.take(MOST_ENTRIES);
    let mut files = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        entry.file_type().ok()?.is_file().then(|| entry.path())
    });
    files.next()
}

/// Adds the certificate, its proof and its findings.
fn certified(
    target: &mut Target,
    request: &AtomicRequest,
    question: AtomicQuestion,
    folder: Option<&Path>,
) {
    if target.error.is_some() && target.stack.is_empty() {
        return;
    }
    let question = AtomicQuestion {
        page: request.page,
        ..question
    };
    let mut certificate = certify(&target.stack, &question);
    let mut findings: Vec<_> = certificate
        .subjects
        .iter()
        .filter_map(|one| finding(one, &target.stack))
        .collect();
    if certificate.subjects.is_empty() {
        findings.push(Finding::new(
            rules::ATOMIC_WRITE_UNKNOWN,
            Severity::Unknown,
            nothing(request),
        ));
    }
    if request.prove
        && let Some(page) = certificate.unit_bytes
    {
        let proof = prove(folder, page, question.file);
        certificate.proved = proof.holds();
        findings.extend(differing(&proof));
        certificate.proof = Some(proof);
    }
    for one in &mut findings {
        one.steps.push(format!("$ ioalign explain {}", one.rule));
    }
    target.findings.extend(findings);
    target.verdict = verdict(target.findings.iter().map(|one| one.severity));
    target.atomic = Some(certificate);
}

const fn nothing(request: &AtomicRequest) -> &'static str {
    match request.page {
        Some(_) => "no file system, database or empty device was found that pages could lie in",
        None => "no database was found that names a page: say --atomic SIZE, or --database NAME",
    }
}

fn finding(subject: &AtomicSubject, stack: &Stack) -> Option<Finding> {
    let (rule, severity) = match subject.predicted {
        AtomicVerdict::Guaranteed => return None,
        AtomicVerdict::Unknown => (rules::ATOMIC_WRITE_UNKNOWN, Severity::Unknown),
        AtomicVerdict::NotGuaranteed => (rules::ATOMIC_WRITE_REFUSED, Severity::Suboptimal),
    };
    let of = |label: &str| {
        stack
            .layers()
            .map(|(id, _)| id)
            .find(|id| stack.label(*id) == label)
    };
    let page = Bytes::new(subject.unit_bytes);
    let weakest = subject.weakest.as_deref().unwrap_or(&subject.layer);
    let torn = format!("{page} pages of {} may be torn", subject.layer);
    let torn = match severity {
        Severity::Unknown => format!("it is not known whether {torn}"),
        _ => torn,
    };
    let why = format!("{torn}; {weakest}: {}", subject.why);
    let mut found = Finding::new(rule, severity, why);
    found.layer = of(&subject.layer);
    found.guilty = subject.weakest.as_deref().and_then(of);
    found.unit = Some(page);
    found.steps.clone_from(&subject.r#do);
    Some(found)
}

fn prove(folder: Option<&Path>, page: u64, file: Option<AtomicFileLimits>) -> AtomicProof {
    let Some(folder) = folder else {
        return AtomicProof::impossible(
            "a scratch file needs a folder: name a file or folder in the file system, not its device",
        );
    };
    prove_atomic_writes(folder, page, file)
        .unwrap_or_else(|error| AtomicProof::impossible(error.to_string()))
}

fn differing(proof: &AtomicProof) -> Option<Finding> {
    let why = format!(
        "{} of {} atomic writes ended otherwise than predicted: {}",
        proof.differing,
        proof.tries,
        proof.differences.join("; ")
    );
    (proof.holds() == Some(false))
        .then(|| Finding::new(rules::ATOMIC_WRITE_DIFFERS, Severity::Broken, why))
}
