//! Defaults of fio, and the effects of pairs of keys.

use ioalign_core::workload::Pattern;

use super::ImportedJob;
use super::draft::{FioDraft, SentBy};
use super::left_out::KeyLeftOut;
use super::sections::FioSection;
use super::units::size;

/// The number of files in a folder here.
const FILES: &str = "64";

/// Completes a draft, once all of its keys are known.
pub fn complete(
    draft: &mut FioDraft,
    index: usize,
    before: Option<&str>,
    section: &FioSection,
    taken: &mut ImportedJob,
) {
    let mut say =
        |key: &str, value: &str, left: KeyLeftOut| taken.leave(&section.name, key, value, left);
    order(draft, index, before, &mut say);
    kind(draft, &mut say);
    queue(draft, &mut say);
    time(draft, &mut say);
    target(draft, &mut say);
    content(draft, &mut say);
}

type Say<'a> = &'a mut dyn FnMut(&str, &str, KeyLeftOut);

fn order(draft: &FioDraft, index: usize, before: Option<&str>, say: Say<'_>) {
    let waits = draft.waits_for.as_deref();
    if let Some(other) = waits.filter(|other| before != Some(*other)) {
        let why =
            KeyLeftOut::Refused("sections run one after the other, as they stand in the file");
        say("wait_for", other, why);
    } else if index > 0 && !draft.stonewall && waits.is_none() {
        let why = "not set: fio runs this section together with those before it, here they run one after the other";
        say("stonewall", "", KeyLeftOut::Refused(why));
    }
}

/// Reads or writes, of which sizes, where.
fn kind(draft: &mut FioDraft, say: Say<'_>) {
    if draft.mixed {
        draft.workload.read_ratio = draft.read_percent;
    }
    match draft.sizes.of(draft.workload.read_ratio) {
        Ok(sizes) => draft.workload.sizes = sizes,
        Err(left) => say("bs", "", left),
    }
    if draft.walks() {
        starts(draft, say);
    } else if let Some(theta) = draft.zipf {
        draft.workload.pattern = Pattern::Zipf { theta };
    } else if !draft.norandommap {
        say(
            "norandommap",
            "0",
            KeyLeftOut::Named("places may be drawn again before all were"),
        );
    }
}

/// The starts of the workers of a walk.
fn starts(draft: &FioDraft, say: Say<'_>) {
    const OWN: KeyLeftOut =
        KeyLeftOut::Named("each worker begins at a place of its own, and goes round");
    let workers = u64::from(draft.workload.workers);
    let value = draft.offset_increment.as_deref();
    let parts = value.is_some_and(|value| match value.strip_suffix('%') {
        Some(percent) => percent.parse().ok() == Some((100 / workers).max(1)),
        None => size(value).is_some_and(|step| step > 0),
    });
    if workers > 1 && !parts {
        say("offset_increment", value.unwrap_or("0"), OWN);
    }
}

fn queue(draft: &mut FioDraft, say: Say<'_>) {
    const ONE: KeyLeftOut = KeyLeftOut::Named("one at a time, as fio does with this engine");
    let deep = draft.workload.queue_depth > 1;
    match draft.engine {
        SentBy::Uring => {}
        // Without O_DIRECT the call that sends an I/O returns when it is done.
        SentBy::Aio if draft.settings.buffered => {
            if deep {
                say(
                    "iodepth",
                    "",
                    KeyLeftOut::Named("one at a time, as libaio does without direct=1"),
                );
            }
            draft.settings.sync = true;
        }
        SentBy::Aio => {}
        SentBy::PosixAio => {
            if deep {
                let why = "posixaio sends the I/Os of one file one after the other, and those of several files by threads";
                say("iodepth", "", KeyLeftOut::Refused(why));
            }
            draft.settings.sync = true;
        }
        SentBy::Sync => {
            if deep {
                say("iodepth", "", ONE);
            }
            draft.settings.sync = true;
        }
    }
    if draft.settings.sync {
        draft.workload.queue_depth = 1;
    }
    batch(draft, say);
}

/// As many are taken at once as are sent in one call, one if nothing else is said.
fn batch(draft: &mut FioDraft, say: Say<'_>) {
    let work = &mut draft.workload;
    let sent = work.batch.unwrap_or(1).min(work.queue_depth);
    work.batch = Some(sent).filter(|batch| *batch != work.usual_batch());
    let most = draft.taken_at_once.unwrap_or(1).min(work.queue_depth);
    if most != sent && !draft.settings.sync {
        let why = KeyLeftOut::Named("as many are taken at once as are sent in one call");
        say("iodepth_batch_complete_max", &most.to_string(), why);
    }
}

fn time(draft: &FioDraft, say: Say<'_>) {
    if !draft.runs {
        let why = "not set: it runs for 10 seconds, not to the end of the file";
        say("runtime", "", KeyLeftOut::Named(why));
    } else if !draft.time_based {
        let why = "it runs for the whole runtime, also past the end of the file";
        say("time_based", "0", KeyLeftOut::Named(why));
    }
}

fn target(draft: &mut FioDraft, say: Say<'_>) {
    if let Some(bytes) = draft.file_bytes {
        let known = *draft.settings.size_bytes.get_or_insert(bytes);
        if known != bytes {
            say(
                "filesize",
                &bytes.to_string(),
                KeyLeftOut::Named("size says how much is used"),
            );
        }
    }
    let is_folder = draft.folder.is_some() && draft.files.is_empty();
    match draft.file_count.as_deref() {
        Some(FILES) if is_folder => {}
        count if is_folder => say(
            "nrfiles",
            count.unwrap_or("1"),
            KeyLeftOut::Named("a folder has 64 files here"),
        ),
        None | Some("1") => {}
        Some(count) => say(
            "nrfiles",
            count,
            KeyLeftOut::Named("files are those of filename"),
        ),
    }
    draft.settings.cold = draft.settings.buffered && draft.invalidates;
}

fn content(draft: &FioDraft, say: Say<'_>) {
    let data = &draft.workload.data;
    if draft.workload.writes() && draft.scrambles && !data.refill {
        let why = "what is written again is as it was; refill_buffers makes it new";
        say("scramble_buffers", "1", KeyLeftOut::Named(why));
    }
}
