//! The workload: typed in short, a named job of `measure`, or a job file.

use anyhow::Result;
use ioalign_core::workload::{Pattern, SizeShare, Workload};
use ioalign_measure::jobs::{LoadJob, values};

use crate::exit::UsageError;
use crate::measure::cells;

/// A job by its name, its file, or `[rand]read|[rand]write:SIZE:qdN`.
pub fn read(text: &str) -> Result<LoadJob> {
    if cells::is_job(text) || !text.contains(':') {
        return cells::job(text);
    }
    short(text)
        .map(LoadJob::of)
        .map_err(|what| UsageError(what).into())
}

fn short(text: &str) -> Result<Workload, String> {
    let form =
        || format!("`{text}` is no workload: [rand]read|[rand]write:SIZE:qdN, as randread:16k:qd8");
    let (op, size, depth) = match text.split(':').collect::<Vec<_>>().as_slice() {
        [op, size] => (*op, *size, "qd1"),
        [op, size, depth] => (*op, *size, *depth),
        _ => return Err(form()),
    };
    let (pattern, op) = match op.strip_prefix("rand") {
        Some(op) => (Pattern::Random, op),
        None => (Pattern::Sequential, op),
    };
    let read_ratio = values::op(op).map_err(|_| form())?;
    let depth = depth
        .strip_prefix("qd")
        .and_then(|digits| digits.parse().ok());
    let depth = depth.filter(|depth| (1..=65_536).contains(depth));
    Ok(Workload {
        name: text.to_owned(),
        sizes: vec![SizeShare::only(values::block(size)?)],
        read_ratio,
        pattern,
        queue_depth: depth.ok_or_else(|| format!("`{text}`: a queue depth is qd1 to qd65536"))?,
        ..Workload::default()
    })
}

/// What a job asks for and the model has not, said once.
pub fn not_simulated(step: &Workload, notes: &mut Vec<String>) {
    let what = "flushes are not simulated";
    let asked = step.fsync_every_writes.is_some() && step.writes();
    if asked && !notes.iter().any(|note| note == what) {
        notes.push(what.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_workloads() {
        let load = short("randwrite:16k:qd8").unwrap();
        assert_eq!((load.queue_depth, load.largest_bytes()), (8, 16384));
        assert!(load.writes() && load.pattern == Pattern::Random);
        assert_eq!(short("read:1M").unwrap().pattern, Pattern::Sequential);
        for bad in [
            "",
            "randread",
            "walk:4k:qd1",
            "randread:4x:qd1",
            "randread:4k:8",
            "randread:4k:qd0",
        ] {
            assert!(short(bad).is_err(), "{bad}");
        }
    }
}
