//! One target: find out what it is, read it, judge it.

use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use ioalign_core::write_unit::write_units;
use ioalign_core::{Finding, Severity};
use ioalign_core::{judge::judge as judge_stack, rules};
use ioalign_inspect::assemble::{self, HostOptions, Inspection};
use ioalign_inspect::captures::load;
use ioalign_inspect::source::{FileSource, MemorySource, Source};
use ioalign_inspect::{Error, ErrorKind, archive};
use ioalign_report::{ErrorInfo, SourceKind, Target};

use super::{CheckJob, captures, next};

/// Judges a device, image file, ordinary file or database directory.
pub fn judge(path: &Path, job: &CheckJob) -> Target {
    let kind = std::fs::metadata(path).map(|data| data.file_type());
    let on_host = match &kind {
        Ok(kind) => kind.is_block_device() || kind.is_dir() || job.extents,
        Err(_) => false,
    };
    if on_host || job.sysroot.is_some() {
        return host(job, std::slice::from_ref(&path.to_owned()));
    }
    let name = path.display().to_string();
    // Only a file: opening a FIFO would wait for its writer.
    if kind.is_ok_and(|kind| !kind.is_file()) {
        let what = "It is neither a file, a folder nor a block device";
        let error = Error::new(ErrorKind::Unsupported, what).in_file(path);
        return failed(name, SourceKind::Image, &error, Instant::now());
    }
    if job.chain {
        let mut target = read(name, SourceKind::Image, job, || {
            assemble::chained(&[path], &job.inspect)
        });
        next::commands(&mut target, job, Some(path));
        return target;
    }
    let begun = Instant::now();
    let source: Arc<dyn Source> = match FileSource::open(path) {
        Ok(source) => Arc::new(source),
        Err(error) => return failed(name, SourceKind::Image, &error, begun),
    };
    opened(path, &source, job)
}

/// Judges an image, or a support bundle in a tarball.
pub fn opened(path: &Path, source: &Arc<dyn Source>, job: &CheckJob) -> Target {
    if is_packed(source)
        && let Some(target) = bundle(path, job)
    {
        return target;
    }
    let name = path.display().to_string();
    let mut target = read(name, SourceKind::Image, job, || {
        assemble::image_from(source, &job.inspect)
    });
    next::commands(&mut target, job, Some(path));
    target
}

/// Judges a folder or tarball that was captured elsewhere; `None`: it is none.
pub fn captured(path: &Path, job: &CheckJob) -> Option<Target> {
    let is_capture = if path.is_file() {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(path).ok()?);
        is_packed(&source)
    } else {
        assemble::is_bundle(path)
    };
    is_capture.then(|| bundle(path, job))?
}

/// Whether it begins like a tarball. The page that is read stays with the source, for the image's readers.
fn is_packed(source: &Arc<dyn Source>) -> bool {
    let mut head = [0; archive::HEAD];
    let len = usize::try_from(source.len()).map_or(archive::HEAD, |len| len.min(archive::HEAD));
    let head = head.get_mut(..len).unwrap_or_default();
    source.read_at(0, head).is_ok() && archive::may_be(head)
}

/// Judges a support bundle, a tarball or a folder.
pub fn bundle(path: &Path, job: &CheckJob) -> Option<Target> {
    let begun = Instant::now();
    let inspection = assemble::bundle(path, &job.inspect).transpose()?;
    let name = path.display().to_string();
    Some(done(name, SourceKind::Capture, job, inspection, begun))
}

/// Where bytes without a file are said to lie: no folder, so that no name in them leads to a file.
const GIVEN: &str = "/given";

/// Judges bytes that came without a file: an image, a bundle or a text. Nothing else is read.
pub fn given(name: &str, bytes: &[u8]) -> Target {
    let job = CheckJob::default();
    let path = Path::new(GIVEN).join(name.replace('/', "_"));
    let source: Arc<dyn Source> = Arc::new(MemorySource::named(bytes, &path));
    let head = bytes.get(..bytes.len().min(load::HEAD)).unwrap_or(bytes);
    let is_text =
        captures::is_text(head) && load::stays_text(bytes.get(..load::LOOK).unwrap_or(bytes));
    let name = name.to_owned();
    if is_text {
        return read(name, SourceKind::Capture, &job, || {
            let text = load::read(bytes, &path)?;
            assemble::texts(&[(path.clone(), text)], None, &job.inspect)
        });
    }
    if is_packed(&source) {
        let begun = Instant::now();
        if let Some(inspection) = assemble::bundle_from(&source, &job.inspect).transpose() {
            return done(name, SourceKind::Capture, &job, inspection, begun);
        }
    }
    let mut target = read(name, SourceKind::Image, &job, || {
        assemble::image_from(&source, &job.inspect)
    });
    next::commands(&mut target, &job, path.file_name().map(Path::new));
    target
}

/// Judges an image that lies in an OVA, and is put right with all of it.
pub fn packed(source: &Arc<dyn Source>, package: &Path, job: &CheckJob) -> Target {
    let name = source.path().display().to_string();
    let mut target = read(name, SourceKind::Image, job, || {
        assemble::image_from(source, &job.inspect)
    });
    next::packaged(&mut target, job, package);
    target
}

/// An OVA in which nothing can be read.
pub fn damaged(path: &Path, error: &Error) -> Target {
    let name = path.display().to_string();
    failed(name, SourceKind::Image, error, Instant::now())
}

/// A folder that cannot be listed.
pub fn closed(folder: &Path, error: &std::io::Error) -> Target {
    let cause = std::io::Error::new(error.kind(), error.to_string());
    let error = Error::io("Cannot list the folder", cause).in_file(folder);
    let name = folder.display().to_string();
    failed(name, SourceKind::Image, &error, Instant::now())
}

/// Judges several images as the disks of one machine.
pub fn together(job: &CheckJob, paths: &[PathBuf]) -> Target {
    let name = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect::<Vec<_>>()
        .join(" + ");
    let paths: Vec<_> = paths.iter().map(PathBuf::as_path).collect();
    read(name, SourceKind::Image, job, || match job.chain {
        true => assemble::chained(&paths, &job.inspect),
        false => assemble::images(&paths, &job.inspect),
    })
}

/// Judges what texts say about one host.
pub fn texts(job: &CheckJob, paths: &[PathBuf]) -> Target {
    let name = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect::<Vec<_>>()
        .join(" + ");
    let named = job.text_format.as_deref();
    read(name, SourceKind::Capture, job, || {
        captures::inspect(paths, named, job)
    })
}

/// Judges this machine, or the captured one; only the named devices where some are named.
pub fn host(job: &CheckJob, only: &[PathBuf]) -> Target {
    let source = if job.sysroot.is_some() {
        SourceKind::Capture
    } else {
        SourceKind::Host
    };
    let name = match (only, &job.sysroot) {
        ([], None) => "this host".to_owned(),
        ([], Some(root)) => root.display().to_string(),
        (paths, _) => paths
            .iter()
            .map(|p| p.display().to_string())
            .collect::<Vec<_>>()
            .join(" "),
    };
    let options = HostOptions {
        sysroot: job.sysroot.clone(),
        only: only.to_vec(),
        extents: job.extents,
    };
    let mut target = read(name, source, job, || assemble::host(&options, &job.inspect));
    if source == SourceKind::Host {
        next::commands(&mut target, job, None);
    }
    target
}

fn read(
    name: String,
    source: SourceKind,
    job: &CheckJob,
    inspect: impl FnOnce() -> Result<Inspection, Error>,
) -> Target {
    let begun = Instant::now();
    done(name, source, job, inspect(), begun)
}

fn done(
    name: String,
    source: SourceKind,
    job: &CheckJob,
    inspection: Result<Inspection, Error>,
    begun: Instant,
) -> Target {
    match inspection {
        Ok(inspection) => judged(name, source, job, inspection, begun),
        Err(error) => failed(name, source, &error, begun),
    }
}

fn judged(
    name: String,
    source: SourceKind,
    job: &CheckJob,
    inspection: Inspection,
    begun: Instant,
) -> Target {
    let judgement = judge_stack(&inspection.stack, &job.judge);
    let mut findings = judgement.findings;
    findings.extend(inspection.unread.iter().map(|(path, why)| {
        let why = format!("{}: {why}", path.display());
        Finding::new(rules::NOT_READABLE, Severity::Note, why)
    }));
    next::pages(&mut findings);
    let write_units = match &job.write_unit {
        Some(request) => write_units(&inspection.stack, request.measured.as_ref()),
        None => Vec::new(),
    };
    let verdict = ioalign_core::severity::verdict(findings.iter().map(|finding| finding.severity));
    Target {
        name,
        source,
        verdict,
        stack: inspection.stack,
        phases: judgement.phases,
        missed: judgement.missed,
        findings,
        direct_io: None,
        atomic: None,
        write_units,
        error: inspection.malformed.as_ref().map(error_info),
        elapsed_us: elapsed(begun),
    }
}

fn failed(name: String, source: SourceKind, error: &Error, begun: Instant) -> Target {
    let verdict = Severity::Unknown;
    Target {
        name,
        source,
        verdict,
        error: Some(error_info(error)),
        elapsed_us: elapsed(begun),
        ..Target::default()
    }
}

fn error_info(error: &Error) -> ErrorInfo {
    ErrorInfo {
        kind: kind_name(error.kind()).to_owned(),
        message: error.full(),
        path: error.path().map(|path| path.display().to_string()),
        offset: error.offset(),
        field: error.field_name().map(str::to_owned),
    }
}

const fn kind_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Malformed => "malformed",
        ErrorKind::Unsupported => "unsupported",
        ErrorKind::TooLarge => "too-large",
        ErrorKind::Loop => "loop",
        ErrorKind::Refused => "refused",
        ErrorKind::NotFound => "not-found",
        ErrorKind::Permission => "permission",
        _ => "io",
    }
}

fn elapsed(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX)
}
