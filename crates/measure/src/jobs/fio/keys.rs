//! What each key of fio is here.

use ioalign_core::workload::{Data, Pattern, SizeShare, Workload};

use super::rate::{self, Rates};
use super::units::{flag, millis, percent, size};
use super::{Settings, Taken, files, pattern};

/// What a section says, before it is a workload.
pub struct Draft {
    pub workload: Workload,
    pub settings: Settings,
    pub folder: Option<String>,
    pub files: Vec<String>,
    pub rates: Rates,
    pub read_percent: f64,
    pub mixed: bool,
    pub time_based: bool,
    pub runs: bool,
    pub stonewall: bool,
    /// The most completions that are taken at once.
    pub taken_at_once: Option<u32>,
}

impl Draft {
    pub fn new(name: &str) -> Self {
        Self {
            workload: Workload {
                name: name.to_owned(),
                ramp_ms: 0,
                data: Data {
                    refill: false,
                    ..Data::default()
                },
                ..Workload::default()
            },
            settings: Settings {
                buffered: true,
                ..Settings::default()
            },
            folder: None,
            files: Vec::new(),
            rates: (None, None),
            read_percent: 0.5,
            mixed: false,
            time_based: false,
            runs: false,
            stonewall: false,
            taken_at_once: None,
        }
    }
}

/// Keys that change nothing of what is sent, or ask for what is done here anyway.
const MOOT: &[&str] = &[
    "group_reporting",
    "thread",
    "description",
    "norandommap",
    "randrepeat",
    "allrandrepeat",
    "fallocate",
    "registerfiles",
    "fixedbufs",
    "nonvectored",
    "random_generator",
    "invalidate",
    "disk_util",
    "clat_percentiles",
    "lat_percentiles",
    "slat_percentiles",
    "percentile_list",
    "unified_rw_reporting",
    "exitall",
    "create_on_open",
    "overwrite",
    "gtod_reduce",
    "scramble_buffers",
    "name",
    "kb_base",
    "end_fsync",
    "buffer_compress_chunk",
    "file_service_type",
];

/// What a folder has here.
const FILES: &str = "64";

/// Takes one key; an error says why it was not taken.
pub fn take(draft: &mut Draft, key: &str, value: &str) -> Result<(), &'static str> {
    const NUMBER: &str = "it is no number that is known";
    let work = &mut draft.workload;
    let count = || {
        size(value)
            .and_then(|n| u32::try_from(n).ok())
            .ok_or(NUMBER)
    };
    match key {
        "rw" | "readwrite" => return direction(draft, value),
        "bs" | "blocksize" => work.sizes = vec![SizeShare::only(one_size(value)?)],
        "bssplit" => work.sizes = split(value)?,
        "blockalign" | "ba" => work.align_bytes = Some(size(value).ok_or(NUMBER)?),
        "iodepth" => work.queue_depth = count()?.max(1),
        // 0 is the whole queue.
        "iodepth_batch" | "iodepth_batch_submit" => {
            work.batch = Some(match count()? {
                0 => u32::MAX,
                batch => batch,
            });
        }
        "iodepth_batch_complete_max" => draft.taken_at_once = Some(count()?.max(1)),
        "iodepth_batch_complete" | "iodepth_batch_complete_min" => {
            if count()? != 1 {
                return Err("a worker waits for one completion");
            }
        }
        "numjobs" => work.workers = count()?.max(1),
        "offset" => {
            work.offset_bytes = size(value).ok_or("a share of the file has no place here")?
        }
        "rwmixread" => draft.read_percent = percent(value).ok_or(NUMBER)?,
        "rwmixwrite" => draft.read_percent = 1.0 - percent(value).ok_or(NUMBER)?,
        "fsync" | "fdatasync" => work.fsync_every_writes = Some(count()?).filter(|n| *n > 0),
        "rate_iops" => draft.rates = rate::read(value).ok_or(NUMBER)?,
        "ramp_time" => work.ramp_ms = millis(value).ok_or(NUMBER)?,
        "runtime" | "timeout" => {
            work.run_ms = millis(value).ok_or(NUMBER)?;
            draft.runs = true;
        }
        "time_based" => draft.time_based = flag(value),
        "stonewall" | "wait_for_previous" => draft.stonewall = flag(value),
        "random_distribution" => return distribution(work, value),
        "filename" => draft.files = files::names(value),
        "directory" => draft.folder = Some(folder(value)?),
        _ => return more(draft, key, value),
    }
    Ok(())
}

fn more(draft: &mut Draft, key: &str, value: &str) -> Result<(), &'static str> {
    const NUMBER: &str = "it is no number that is known";
    let (data, settings) = (&mut draft.workload.data, &mut draft.settings);
    match key {
        "size" | "filesize" => {
            settings.size_bytes = Some(size(value).ok_or("a share of the file has no place here")?)
        }
        "direct" => settings.buffered = !flag(value),
        "buffered" => settings.buffered = flag(value),
        "hipri" => settings.iopoll = flag(value),
        "sqthread_poll" => settings.sqpoll = flag(value),
        "randseed" => settings.seed = Some(size(value).ok_or(NUMBER)?),
        "ioengine" => return engine(settings, value),
        "buffer_compress_percentage" => data.compressible_ratio = percent(value).ok_or(NUMBER)?,
        "dedupe_percentage" => data.duplicate_ratio = percent(value).ok_or(NUMBER)?,
        "refill_buffers" => data.refill = flag(value),
        "buffer_pattern" => data.pattern_hex = Some(pattern::read(value)?),
        "nrfiles" if value == FILES => {}
        "nrfiles" => return Err("a folder has 64 files here"),
        "offset_increment" => return Err("each worker begins at a place of its own"),
        "zero_buffers" => return Err(pattern::ZEROS),
        _ if MOOT.contains(&key) => {}
        _ => return Err("not known here"),
    }
    Ok(())
}

fn folder(value: &str) -> Result<String, &'static str> {
    match files::names(value).as_slice() {
        [only] => Ok(only.clone()),
        _ => Err("one folder"),
    }
}

fn direction(draft: &mut Draft, value: &str) -> Result<(), &'static str> {
    let (word, rest) = value.split_once(':').unwrap_or((value, ""));
    let (pattern, read) = match word {
        "read" => (Pattern::Sequential, Some(1.0)),
        "write" => (Pattern::Sequential, Some(0.0)),
        "rw" | "readwrite" => (Pattern::Sequential, None),
        "randread" => (Pattern::Random, Some(1.0)),
        "randwrite" => (Pattern::Random, Some(0.0)),
        "randrw" => (Pattern::Random, None),
        _ => return Err("only reads and writes are sent"),
    };
    draft.mixed = read.is_none();
    draft.workload.read_ratio = read.unwrap_or(draft.read_percent);
    draft.workload.pattern = pattern;
    match rest {
        "" => Ok(()),
        _ => Err("the part behind the colon: places follow each other without gaps"),
    }
}

fn one_size(value: &str) -> Result<u64, &'static str> {
    let sizes: Vec<_> = value.split(',').map(size).collect();
    match sizes.as_slice() {
        [Some(first), rest @ ..] if rest.iter().all(|one| *one == Some(*first)) && *first > 0 => {
            Ok(*first)
        }
        _ => Err("one size for reads and writes, or bssplit"),
    }
}

/// `4k/50:8k/30:64k/`: what has no share gets what is left.
fn split(value: &str) -> Result<Vec<SizeShare>, &'static str> {
    const WRONG: &str = "as 4k/50:8k/50, one list for reads and writes";
    let parts = value.split(':').map(|part| {
        let (bytes, share) = part.split_once('/').unwrap_or((part, ""));
        let share = match share.trim() {
            "" => None,
            text => Some(text.parse::<u32>().map_err(|_| WRONG)?),
        };
        Ok((size(bytes).filter(|bytes| *bytes > 0).ok_or(WRONG)?, share))
    });
    let parts = parts.collect::<Result<Vec<_>, &'static str>>()?;
    let named: u32 = parts.iter().filter_map(|part| part.1).sum();
    let open = parts.iter().filter(|part| part.1.is_none()).count();
    let left = 100_u32.saturating_sub(named) / u32::try_from(open.max(1)).map_err(|_| WRONG)?;
    let shares = parts.into_iter().map(|(bytes, share)| SizeShare {
        bytes,
        weight: share.unwrap_or(left),
    });
    let shares: Vec<_> = shares.filter(|share| share.weight > 0).collect();
    if shares.is_empty() {
        Err(WRONG)
    } else {
        Ok(shares)
    }
}

fn distribution(work: &mut Workload, value: &str) -> Result<(), &'static str> {
    if value == "random" {
        return Ok(());
    }
    let theta = value
        .strip_prefix("zipf:")
        .and_then(|theta| theta.parse().ok());
    let theta = theta.filter(|theta| (0.0..=5.0).contains(theta));
    work.pattern = Pattern::Zipf {
        theta: theta.ok_or("only random and zipf:THETA")?,
    };
    Ok(())
}

fn engine(settings: &mut Settings, value: &str) -> Result<(), &'static str> {
    settings.sync = matches!(value, "sync" | "psync" | "pvsync" | "pvsync2" | "vsync");
    match value {
        "io_uring" | "psync" => Ok(()),
        "libaio" | "posixaio" => Err("io_uring takes its place"),
        _ if settings.sync => Err("pread and pwrite take its place"),
        _ => Err("io_uring takes its place"),
    }
}

impl Taken {
    /// Notes a key that was left behind.
    pub(super) fn leave(&mut self, section: &str, key: &str, value: &str, why: &str) {
        let equals = if value.is_empty() { "" } else { "=" };
        let line = format!("{section}: {key}{equals}{value}: {why}");
        if !self.not_taken.contains(&line) {
            self.not_taken.push(line);
        }
    }
}
