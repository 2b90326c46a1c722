//! Whether the files of one summary have one clock. Nothing in most formats says so: what contradicts it is reported.

use ioalign_core::numbers::time;
use ioalign_core::profile::TraceFile;

const SECOND: i64 = 1_000_000_000;
/// Wall clocks are adjusted, by less than this.
const ADJUSTED: i64 = SECOND;
/// A pause between two files of one clock is shorter than this, or than this many times what is in them.
const PAUSE: i64 = 3600 * SECOND;
const TIMES: i64 = 10;

/// Why the files may not have one clock.
pub fn doubt(files: &[TraceFile]) -> Option<String> {
    let timed: Vec<_> = files.iter().filter(|file| !file.is_timeless()).collect();
    epochs(&timed)
        .or_else(|| gap(&timed))
        .or_else(|| units(&timed))
}

/// Both say what the wall clock showed at their time 0.
fn epochs(files: &[&TraceFile]) -> Option<String> {
    let mut known = files.iter().filter_map(|file| Some((file, file.epoch_ns?)));
    let (first, epoch) = known.next()?;
    let (other, apart) = known
        .map(|(file, other)| (file, other.saturating_sub(epoch).saturating_abs()))
        .find(|(_, apart)| *apart > ADJUSTED)?;
    Some(format!(
        "the clocks of {} and {} began {} apart",
        name(first),
        name(other),
        shown(apart)
    ))
}

/// Nothing happens between them, for long.
fn gap(files: &[&TraceFile]) -> Option<String> {
    let mut spans: Vec<_> = files
        .iter()
        .filter_map(|file| Some((file.span_ns?, file)))
        .collect();
    spans.sort_by_key(|(span, _)| *span);
    let lengths = spans.iter().map(|((from, to), _)| to.saturating_sub(*from));
    let all = lengths.fold(0_i64, i64::saturating_add);
    let longest = PAUSE.max(all.saturating_mul(TIMES));
    let mut last: Option<(i64, &TraceFile)> = None;
    for ((from, to), file) in spans {
        if let Some((end, before)) = last
            && from.saturating_sub(end) > longest
        {
            let gap = shown(from.saturating_sub(end));
            return Some(format!(
                "{} begins {gap} after the end of {}",
                name(file),
                name(before)
            ));
        }
        if last.is_none_or(|(end, _)| to > end) {
            last = Some((to, file));
        }
    }
    None
}

/// They overlap by chance, where one counts from the start of a trace and the other from that of the machine.
fn units(files: &[&TraceFile]) -> Option<String> {
    let (first, others) = files.split_first()?;
    let other = others
        .iter()
        .find(|file| file.time_unit != first.time_unit)?;
    Some(format!(
        "{} has times in {}, {} in {}",
        name(first),
        first.time_unit,
        name(other),
        other.time_unit
    ))
}

fn name(file: &TraceFile) -> String {
    file.path.clone()
}

fn shown(nanos: i64) -> String {
    #[allow(clippy::cast_precision_loss)] // for people
    let micros = nanos as f64 / 1000.0;
    time(micros)
}
