//! Whether a job can be done at all without hurting anything: pure arithmetic, before a byte is read.

use std::ops::Range;

use super::{Job, Move, PatchPhase, SavedBytes, overlap};
use crate::{Error, ErrorKind, Result};

/// The most that all patches may be together: they are held in memory and in the journal.
const PATCH_BYTES: u64 = 64 << 20;

/// The most that may be kept beside them: superblocks and free space.
const SAVED_BYTES: u64 = 128 << 20;

/// Refuses what would overwrite something, lies outside the disk, or is no whole block.
pub fn check(job: &Job, size: u64, logical: u64) -> Result<()> {
    if job.identity.size_bytes != size || job.identity.logical_bytes != logical {
        return Err(refused(format!(
            "planned for a disk of {} bytes in blocks of {}, this one has {size} in blocks of {logical}",
            job.identity.size_bytes, job.identity.logical_bytes
        )));
    }
    let named = NamedRanges::of(job);
    blocks(&named, size, logical)?;
    blocks(&NamedRanges::saved(job), size, logical)?;
    moves(job)?;
    patches(job)?;
    saved(job)?;
    kept(job, &named)
}

fn refused(what: String) -> Error {
    Error::new(ErrorKind::Refused, what)
}

/// Everything that a job reads or writes, with a name for messages.
struct NamedRanges(Vec<(String, Range<u64>)>);

impl NamedRanges {
    fn of(job: &Job) -> Self {
        let mut all = Vec::new();
        for (index, one) in job.moves.iter().enumerate() {
            all.push((format!("the source of move {index}"), one.source()));
            all.push((
                format!("the destination of move {index}"),
                one.destination(),
            ));
        }
        for (index, patch) in job.patches.iter().enumerate() {
            all.push((format!("patch {index}"), patch.place()));
        }
        Self(all)
    }

    /// What the mover writes on by itself.
    fn saved(job: &Job) -> Self {
        let places = job.identity.saved.places();
        Self(places.map(|place| ("what is kept".into(), place)).collect())
    }
}

fn blocks(named: &NamedRanges, size: u64, logical: u64) -> Result<()> {
    for (name, place) in &named.0 {
        if place.is_empty() {
            return Err(refused(format!("{name} is empty")));
        }
        if place.end > size {
            let end = place.end;
            return Err(refused(format!(
                "{name} ends at byte {end}, behind the disk of {size}"
            )));
        }
        if !place.start.is_multiple_of(logical) || !place.end.is_multiple_of(logical) {
            return Err(refused(format!(
                "{name}, {} to {}, is not made of whole blocks of {logical} bytes",
                place.start, place.end
            )));
        }
    }
    Ok(())
}

fn moves(job: &Job) -> Result<()> {
    for (index, one) in job.moves.iter().enumerate() {
        if one.from == one.to {
            return Err(refused(format!("move {index} goes nowhere")));
        }
        for (later, other) in job.moves.iter().enumerate().skip(index + 1) {
            let pairs = [
                ("sources", one.source(), other.source()),
                ("destinations", one.destination(), other.destination()),
                (
                    "destination and a source still to be read",
                    one.destination(),
                    other.source(),
                ),
            ];
            for (what, a, b) in pairs {
                if overlap(&a, &b) {
                    return Err(refused(format!(
                        "moves {index} and {later} overlap: {what}"
                    )));
                }
            }
        }
    }
    Ok(())
}

fn patches(job: &Job) -> Result<()> {
    let mut total = 0u64;
    for (index, patch) in job.patches.iter().enumerate() {
        let place = patch.place();
        total = total.saturating_add(place.end - place.start);
        let inside = |m: &Move| {
            let to = m.destination();
            to.start <= place.start && place.end <= to.end
        };
        let right = match patch.phase {
            PatchPhase::Contents => job.moves.iter().any(inside),
            PatchPhase::Table => !job.moves.iter().any(|m| overlap(&m.destination(), &place)),
            PatchPhase::Covered => !job.moves.iter().any(|m| overlap(&m.source(), &place)),
        };
        if !right {
            return Err(refused(format!(
                "patch {index} is not where one of its phase can be"
            )));
        }
        let length = match patch.phase {
            PatchPhase::Covered => 0,
            _ => patch.before.len(),
        };
        if patch.after.len() != length {
            return Err(refused(format!(
                "patch {index} has {} bytes after, not {length}",
                patch.after.len()
            )));
        }
        let mut others = job.patches.iter().skip(index + 1);
        if others.any(|other| overlap(&place, &other.place())) {
            return Err(refused(format!("patch {index} overlaps a later one")));
        }
    }
    if total > PATCH_BYTES {
        return Err(refused(format!(
            "patches of {total} bytes are more than {PATCH_BYTES}"
        )));
    }
    Ok(())
}

/// Superblocks are in sources, and free space is where data go and come from nowhere.
fn saved(job: &Job) -> Result<()> {
    let saved = &job.identity.saved;
    let within = |whole: Range<u64>, place: &Range<u64>| {
        whole.start <= place.start && place.end <= whole.end
    };
    for place in saved.superblocks.iter().map(SavedBytes::place) {
        let mut sources = job.moves.iter().map(Move::source);
        if !sources.any(|source| within(source, &place)) {
            return Err(refused(format!(
                "what is kept of byte {} on is in nothing that moves",
                place.start
            )));
        }
    }
    let gap = saved.gap.iter().map(SavedBytes::place);
    for place in gap.chain(saved.zeros.iter().cloned()) {
        let to = |one: &Move| within(one.destination(), &place);
        let from = |one: &Move| overlap(&one.source(), &place);
        if !job.moves.iter().any(to) || job.moves.iter().any(from) {
            return Err(refused(format!(
                "byte {} is no free space that data go over",
                place.start
            )));
        }
    }
    let all = [&saved.tables, &saved.superblocks, &saved.gap];
    let bytes = all.into_iter().flatten().map(|one| one.bytes.len() as u64);
    if bytes.sum::<u64>() > SAVED_BYTES {
        return Err(refused(
            "there is too much to be kept for the way back".into(),
        ));
    }
    Ok(())
}

fn kept(job: &Job, named: &NamedRanges) -> Result<()> {
    for keep in &job.keep {
        if let Some((name, _)) = named.0.iter().find(|(_, place)| overlap(place, keep)) {
            return Err(refused(format!(
                "{name} is on bytes {} to {}, which stay",
                keep.start, keep.end
            )));
        }
    }
    Ok(())
}
