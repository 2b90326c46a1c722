//! A job file of fio as a job.

use super::draft::{Draft, Left};
use super::files::paths;
use super::implied::complete;
use super::keys::take;
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
            size_bytes: None,
        },
        ..Taken::default()
    };
    let mut before = None;
    for (index, section) in sections(text)?.iter().enumerate() {
        let mut draft = draft(section, &mut taken);
        complete(&mut draft, index, before.as_deref(), section, &mut taken);
        add(draft, index, section, &mut taken)?;
        before = Some(section.name.clone());
    }
    Ok(taken)
}

fn draft(section: &Section, taken: &mut Taken) -> Draft {
    let mut draft = Draft::new(&section.name);
    for (key, value) in &section.keys {
        // Words are read as fio does: the last one of a key holds.
        if let Err(left) = take(&mut draft, key, value) {
            taken.leave(&section.name, key, value, left);
        }
    }
    draft
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
    match rate::of_all(draft.rates, &draft.workload) {
        Ok(rate) => draft.workload.rate_iops = rate,
        Err(why) => taken.leave(&section.name, "rate_iops", "", Left::Refused(why)),
    }
    taken.job.steps.push(draft.workload);
    Ok(())
}

impl Taken {
    /// Notes a key that was left behind.
    pub(super) fn leave(&mut self, section: &str, key: &str, value: &str, left: Left) {
        let equals = if value.is_empty() { "" } else { "=" };
        let (lines, why) = match left {
            Left::Named(why) => (&mut self.not_taken, why),
            Left::Refused(why) => (&mut self.refused, why),
        };
        let line = format!("{section}: {key}{equals}{value}: {why}");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
}
