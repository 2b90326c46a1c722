//! A job file of fio as a job.

use super::draft::FioDraft;
use super::files::paths;
use super::implied::complete;
use super::keys::take_key;
use super::left_out::KeyLeftOut;
use super::rate;
use super::sections::{FioSection, sections};
use super::{ImportedJob, LoadJob};

/// Files end at a multiple of it.
const SECTOR: u64 = 4096;

/// Reads the common subset of fio's jobs; an error means that nothing of it can be run.
pub fn read(name: &str, text: &str) -> Result<ImportedJob, String> {
    let mut taken = ImportedJob {
        job: LoadJob {
            name: name.to_owned(),
            steps: Vec::new(),
            size_bytes: None,
        },
        ..ImportedJob::default()
    };
    let mut before = None;
    for (index, section) in sections(text)?.iter().enumerate() {
        let mut draft = draft(section, &mut taken);
        complete(&mut draft, index, before.as_deref(), section, &mut taken);
        add_section(draft, index, section, &mut taken)?;
        before = Some(section.name.clone());
    }
    Ok(taken)
}

fn draft(section: &FioSection, taken: &mut ImportedJob) -> FioDraft {
    let mut draft = FioDraft::new(&section.name);
    for (key, value) in &section.keys {
        // Words are read as fio does: the last one of a key holds.
        if let Err(left) = take_key(&mut draft, key, value) {
            taken.leave(&section.name, key, value, left);
        }
    }
    draft
}

fn add_section(
    mut draft: FioDraft,
    index: usize,
    section: &FioSection,
    taken: &mut ImportedJob,
) -> Result<(), String> {
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
    match rate::of_all(draft.rates, &draft.workload) {
        Ok(rate) => draft.workload.rate_iops = rate,
        Err(why) => taken.leave(&section.name, "rate_iops", "", KeyLeftOut::Refused(why)),
    }
    taken.job.steps.push(draft.workload);
    Ok(())
}

impl ImportedJob {
    /// Notes a key that was left behind.
    pub(super) fn leave(&mut self, section: &str, key: &str, value: &str, left: KeyLeftOut) {
        let equals = if value.is_empty() { "" } else { "=" };
        let (lines, why) = match left {
            KeyLeftOut::Named(why) => (&mut self.not_taken, why),
            KeyLeftOut::Refused(why) => (&mut self.refused, why),
        };
        let line = format!("{section}: {key}{equals}{value}: {why}");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
}
