//! A job file of fio as a job.

use super::files::paths;
use super::keys::{Draft, take};
use super::rate;
use super::sections::{Section, sections};
use super::{Job, Taken};

/// Files end at a multiple of it.
const SECTOR: u64 = 4096;

/// Reads the common subset of fio's jobs; an error means that nothing of it can be run.
pub fn read(name: &str, text: &str) -> Result<Taken, String> {
    let mut taken = Taken {
        job: Job {
            name: name.to_owned(),
            steps: Vec::new(),
        },
        ..Taken::default()
    };
    for (index, section) in sections(text)?.iter().enumerate() {
        let mut draft = draft(section, &mut taken);
        batch(&mut draft, &section.name, &mut taken);
        said(&draft, index, section, &mut taken);
        add(draft, index, section, &mut taken)?;
    }
    Ok(taken)
}

fn draft(section: &Section, taken: &mut Taken) -> Draft {
    let mut draft = Draft::new(&section.name);
    for (key, value) in &section.keys {
        // Words are read as fio does: the last one of a key holds.
        if let Err(why) = take(&mut draft, key, value) {
            taken.leave(&section.name, key, value, why);
        }
    }
    if draft.mixed {
        draft.workload.read_ratio = draft.read_percent;
    }
    draft
}

/// As many are taken at once as are sent in one call, one if nothing else is said.
fn batch(draft: &mut Draft, section: &str, taken: &mut Taken) {
    let work = &mut draft.workload;
    let sent = work.batch.unwrap_or(1).min(work.queue_depth);
    work.batch = Some(sent).filter(|batch| *batch != work.usual_batch());
    let most = draft.taken_at_once.unwrap_or(1).min(work.queue_depth);
    if most != sent && !draft.settings.sync {
        let why = format!("as many are taken at once as are sent: {sent}");
        let most = most.to_string();
        taken.leave(section, "iodepth_batch_complete_max", &most, &why);
    }
}

/// What fio does without being told so, and this engine does not.
fn said(draft: &Draft, index: usize, section: &Section, taken: &mut Taken) {
    let name = &section.name;
    if index > 0 && !draft.stonewall {
        taken.leave(name, "stonewall", "0", "sections run one after the other");
    }
    if !draft.runs {
        taken.leave(
            name,
            "runtime",
            "",
            "not set: it runs for 10 seconds, not to the end of the file",
        );
    } else if !draft.time_based {
        taken.leave(
            name,
            "time_based",
            "0",
            "it runs for the whole runtime, also past the end of the file",
        );
    }
    if draft.settings.sync && draft.workload.queue_depth > 1 {
        taken.leave(
            name,
            "iodepth",
            "",
            "one at a time, as fio does with this engine",
        );
    }
}

fn add(mut draft: Draft, index: usize, section: &Section, taken: &mut Taken) -> Result<(), String> {
    let files = paths(draft.folder.as_deref(), &draft.files);
    // fio's size is that of all files together, ours that of each target.
    if files.len() > 1 {
        let share = |all: u64| all / files.len() as u64 / SECTOR * SECTOR;
        draft.settings.size_bytes = draft.settings.size_bytes.map(share);
    }
    if index == 0 {
        (taken.files, taken.settings) = (files, draft.settings.clone());
    } else if files != taken.files {
        return Err(format!(
            "[{}] names another file than the section before it",
            section.name
        ));
    } else if draft.settings != taken.settings {
        return Err(format!(
            "[{}] has another size, engine or seed than the section before it, or is not direct as that is",
            section.name
        ));
    }
    if draft.settings.sync {
        draft.workload.queue_depth = 1;
    }
    match rate::of_all(draft.rates, &draft.workload) {
        Ok(rate) => draft.workload.rate_iops = rate,
        Err(why) => taken.leave(&section.name, "rate_iops", "", why),
    }
    taken.job.steps.push(draft.workload);
    Ok(())
}
