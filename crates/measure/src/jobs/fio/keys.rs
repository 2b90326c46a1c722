//! The effects of the keys that are taken.

use ioalign_core::workload::Pattern;

use super::draft::{FioDraft, SentBy};
use super::left_out::KeyLeftOut;
use super::table::{self, Handling};
use super::units::{flag, millis, percent, size};
use super::{files, pattern, rate};

const NUMBER: KeyLeftOut = KeyLeftOut::Refused("it is no number that is known");
const SHARE: KeyLeftOut =
    KeyLeftOut::Refused("a share of the file has no place here: give it in bytes");
/// Limit for a thread; no device has more in flight.
const MOST: u32 = 65_536;

/// The treatment of a key and its value.
pub fn take_key(draft: &mut FioDraft, key: &str, value: &str) -> Result<(), KeyLeftOut> {
    let Some(known) = table::find(key) else {
        return Err(KeyLeftOut::Refused("no key of fio that is known here"));
    };
    if value.contains('$') && known.handling != Handling::AsHere {
        return Err(KeyLeftOut::Refused(
            "variables are not expanded: write the value",
        ));
    }
    match known.handling {
        Handling::AsHere => Ok(()),
        Handling::Named if known.is_idle(value) => Ok(()),
        Handling::Named => Err(KeyLeftOut::Named(known.why)),
        Handling::Refused if known.is_idle(value) => Ok(()),
        Handling::Refused => Err(KeyLeftOut::Refused(known.why)),
        Handling::Taken => io(draft, known.name(), value),
    }
}

/// The I/O, and how much at once.
fn io(draft: &mut FioDraft, key: &str, value: &str) -> Result<(), KeyLeftOut> {
    let work = &mut draft.workload;
    match key {
        "rw" => return direction(draft, value),
        "bs" => return draft.sizes.read_single(value),
        "bsrange" => return draft.sizes.read_range(value),
        "bssplit" => return draft.sizes.read_split(value),
        "ba" => work.align_bytes = Some(size(value).filter(|n| *n > 0).ok_or(NUMBER)?),
        "iodepth" => work.queue_depth = some(value, "no I/O would be in flight")?,
        // 0 is the whole queue.
        "iodepth_batch" => {
            work.batch = Some(match count(value)? {
                0 => u32::MAX,
                batch => batch,
            });
        }
        "iodepth_batch_complete_max" => draft.taken_at_once = Some(count(value)?.max(1)),
        "iodepth_batch_complete_min" => {
            if count(value)? != 1 {
                return Err(KeyLeftOut::Named("a worker waits for one completion"));
            }
        }
        "numjobs" => work.workers = some(value, "no worker would run")?,
        "rwmixread" => draft.read_percent = percent(value).ok_or(NUMBER)?,
        "rwmixwrite" => draft.read_percent = 1.0 - percent(value).ok_or(NUMBER)?,
        "fdatasync" => work.fsync_every_writes = Some(count(value)?).filter(|n| *n > 0),
        "fsync" => {
            let every = Some(count(value)?).filter(|n| *n > 0);
            work.fsync_every_writes = every.or(work.fsync_every_writes);
            if every.is_some() {
                return Err(KeyLeftOut::Named("fdatasync takes its place"));
            }
        }
        "atomic" => work.atomic = flag(value),
        "rate_iops" => draft.rates = rate::read(value).ok_or(NUMBER)?,
        "random_distribution" => return distribution(draft, value),
        _ => return place(draft, key, value),
    }
    Ok(())
}

/// The target and the time.
fn place(draft: &mut FioDraft, key: &str, value: &str) -> Result<(), KeyLeftOut> {
    let work = &mut draft.workload;
    match key {
        "filename" => draft.files = files::names(value),
        "directory" => match files::names(value).as_slice() {
            [only] => draft.folder = Some(only.clone()),
            _ => return Err(KeyLeftOut::Refused("one folder")),
        },
        "nrfiles" => draft.file_count = Some(value.to_owned()),
        "size" if value == "100%" => draft.settings.size_bytes = None,
        "size" => draft.settings.size_bytes = Some(size(value).ok_or(SHARE)?),
        "filesize" => draft.file_bytes = Some(size(value).ok_or(KeyLeftOut::Refused("one size"))?),
        "offset" if value == "0%" => work.offset_bytes = 0,
        "offset" => work.offset_bytes = size(value).ok_or(SHARE)?,
        "offset_increment" => draft.offset_increment = Some(value.to_owned()),
        "ramp_time" => work.ramp_ms = millis(value).ok_or(NUMBER)?,
        "runtime" => {
            let ms = millis(value).ok_or(NUMBER)?;
            draft.runs = ms > 0;
            if draft.runs {
                work.run_ms = ms;
            }
        }
        "time_based" => draft.time_based = flag(value),
        "stonewall" => draft.stonewall = flag(value),
        "wait_for" => draft.waits_for = Some(value.to_owned()),
        "norandommap" => draft.norandommap = flag(value),
        "randrepeat" if !flag(value) => {
            return Err(KeyLeftOut::Named(
                "the places are those of --seed in every run",
            ));
        }
        "random_generator" if value == "lfsr" => {
            return Err(KeyLeftOut::Named(
                "places may be drawn again before all were",
            ));
        }
        _ => return how(draft, key, value),
    }
    Ok(())
}

/// How it is sent, and what is written.
fn how(draft: &mut FioDraft, key: &str, value: &str) -> Result<(), KeyLeftOut> {
    let (data, settings) = (&mut draft.workload.data, &mut draft.settings);
    match key {
        "ioengine" => return engine(draft, value),
        "direct" => settings.buffered = !flag(value),
        "buffered" => settings.buffered = flag(value),
        "invalidate" => draft.invalidates = flag(value),
        "hipri" => settings.iopoll = flag(value),
        "sqthread_poll" => settings.sqpoll = flag(value),
        "nonvectored" if !flag(value) => {
            return Err(KeyLeftOut::Named(
                "an I/O has one buffer, without a list of them",
            ));
        }
        "randseed" => settings.seed = Some(size(value).ok_or(NUMBER)?),
        "refill_buffers" => data.refill = flag(value),
        "scramble_buffers" => draft.scrambles = flag(value),
        "buffer_compress_percentage" => data.compressible_ratio = percent(value).ok_or(NUMBER)?,
        "buffer_compress_chunk" if size(value) != Some(4096) => {
            return Err(KeyLeftOut::Named("of each 4 KiB a share compresses"));
        }
        "dedupe_percentage" => data.duplicate_ratio = percent(value).ok_or(NUMBER)?,
        "buffer_pattern" => {
            data.pattern_hex = Some(pattern::read(value).map_err(KeyLeftOut::Named)?)
        }
        _ => {}
    }
    Ok(())
}

fn count(value: &str) -> Result<u32, KeyLeftOut> {
    let known = size(value).and_then(|n| u32::try_from(n).ok());
    known.ok_or(NUMBER)
}

fn some(value: &str, none: &'static str) -> Result<u32, KeyLeftOut> {
    match count(value)? {
        0 => Err(KeyLeftOut::Refused(none)),
        n if n > MOST => Err(NUMBER),
        n => Ok(n),
    }
}

fn direction(draft: &mut FioDraft, value: &str) -> Result<(), KeyLeftOut> {
    let (word, rest) = value.split_once(':').unwrap_or((value, ""));
    let (pattern, read) = match word {
        "read" => (Pattern::Sequential, Some(1.0)),
        "write" => (Pattern::Sequential, Some(0.0)),
        "rw" | "readwrite" => (Pattern::Sequential, None),
        "randread" => (Pattern::Random, Some(1.0)),
        "randwrite" => (Pattern::Random, Some(0.0)),
        "randrw" => (Pattern::Random, None),
        _ => return Err(KeyLeftOut::Refused("only reads and writes are sent")),
    };
    draft.mixed = read.is_none();
    draft.workload.read_ratio = read.unwrap_or(draft.read_percent);
    draft.workload.pattern = pattern;
    match rest {
        "" => Ok(()),
        _ => Err(KeyLeftOut::Refused(
            "the part behind the colon: places follow each other without gaps",
        )),
    }
}

fn distribution(draft: &mut FioDraft, value: &str) -> Result<(), KeyLeftOut> {
    if value == "random" {
        draft.zipf = None;
        return Ok(());
    }
    let theta = value.strip_prefix("zipf:");
    let theta = theta.and_then(|theta| theta.parse().ok());
    let theta = theta.filter(|theta| (0.0..=5.0).contains(theta));
    draft.zipf = Some(theta.ok_or(KeyLeftOut::Refused("only random and zipf:THETA"))?);
    Ok(())
}

/// Engines that send the same requests: the documentation has the reasons.
fn engine(draft: &mut FioDraft, value: &str) -> Result<(), KeyLeftOut> {
    draft.engine = match value {
        "io_uring" => SentBy::Uring,
        "libaio" => SentBy::Aio,
        "posixaio" => SentBy::PosixAio,
        "psync" | "sync" | "pvsync" | "pvsync2" => SentBy::Sync,
        _ => {
            draft.engine = SentBy::Uring;
            return Err(KeyLeftOut::Refused("this engine sends I/O of another kind"));
        }
    };
    match value {
        "io_uring" | "psync" => Ok(()),
        "libaio" => Err(KeyLeftOut::Named("io_uring takes its place")),
        _ => Err(KeyLeftOut::Named("pread and pwrite take its place")),
    }
}
