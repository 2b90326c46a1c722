//! Jobs in TOML: what all steps share in `[all]`, what differs in each `[[step]]`.

use ioalign_core::workload::{SizeShare, Workload};
use serde::Deserialize;

use super::{LoadJob, values};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JobFile {
    name: String,
    #[serde(default)]
    all: Keys,
    #[serde(default)]
    step: Vec<Keys>,
}

/// The keys of a workload; a key of a step overrides that of all steps.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Keys {
    name: Option<String>,
    sizes: Option<String>,
    op: Option<String>,
    pattern: Option<String>,
    offset: Option<String>,
    align: Option<String>,
    depth: Option<u32>,
    batch: Option<u32>,
    workers: Option<u32>,
    fsync_every_writes: Option<u32>,
    atomic: Option<bool>,
    rate_iops: Option<f64>,
    ramp: Option<String>,
    run: Option<String>,
    compressible: Option<String>,
    duplicate: Option<String>,
    buffer_pattern: Option<String>,
    refill: Option<bool>,
}

/// Reads a job; the error says which key is wrong, or where the TOML is.
pub fn parse(text: &str) -> Result<LoadJob, String> {
    let file: JobFile = toml::from_str(text).map_err(|error| error.to_string())?;
    let steps = match file.step.as_slice() {
        [] => vec![Keys::default()],
        steps => steps.to_vec(),
    };
    let steps = (1..)
        .zip(steps)
        .map(|(number, step)| {
            let keys = step.over(&file.all);
            keys.workload(&file.name, number)
                .map_err(|what| format!("step {number}: {what}"))
        })
        .collect::<Result<_, _>>()?;
    Ok(LoadJob {
        name: file.name,
        steps,
        size_bytes: None,
    })
}

impl Keys {
    fn over(self, all: &Self) -> Self {
        let all = all.clone();
        Self {
            name: self.name.or(all.name),
            sizes: self.sizes.or(all.sizes),
            op: self.op.or(all.op),
            pattern: self.pattern.or(all.pattern),
            offset: self.offset.or(all.offset),
            align: self.align.or(all.align),
            depth: self.depth.or(all.depth),
            batch: self.batch.or(all.batch),
            workers: self.workers.or(all.workers),
            fsync_every_writes: self.fsync_every_writes.or(all.fsync_every_writes),
            atomic: self.atomic.or(all.atomic),
            rate_iops: self.rate_iops.or(all.rate_iops),
            ramp: self.ramp.or(all.ramp),
            run: self.run.or(all.run),
            compressible: self.compressible.or(all.compressible),
            duplicate: self.duplicate.or(all.duplicate),
            buffer_pattern: self.buffer_pattern.or(all.buffer_pattern),
            refill: self.refill.or(all.refill),
        }
    }

    fn workload(&self, job: &str, number: usize) -> Result<Workload, String> {
        let usual = Workload::default();
        let mut out = Workload {
            name: self
                .name
                .clone()
                .unwrap_or_else(|| format!("{job}-{number}")),
            sizes: read("sizes", self.sizes.as_ref(), values::mix)?
                .unwrap_or_else(|| vec![SizeShare::only(4096)]),
            read_ratio: read("op", self.op.as_ref(), values::op)?.unwrap_or(usual.read_ratio),
            pattern: read("pattern", self.pattern.as_ref(), values::pattern)?.unwrap_or_default(),
            offset_bytes: read("offset", self.offset.as_ref(), values::size)?.unwrap_or(0),
            align_bytes: read("align", self.align.as_ref(), values::block)?,
            queue_depth: self.depth.unwrap_or(usual.queue_depth),
            batch: self.batch,
            workers: self.workers.unwrap_or(usual.workers),
            fsync_every_writes: self.fsync_every_writes,
            atomic: self.atomic.unwrap_or(usual.atomic),
            rate_iops: self.rate_iops,
            ramp_ms: read("ramp", self.ramp.as_ref(), values::millis)?.unwrap_or(usual.ramp_ms),
            run_ms: read("run", self.run.as_ref(), values::millis)?.unwrap_or(usual.run_ms),
            data: usual.data,
        };
        self.data(&mut out)?;
        match fault(&out) {
            Some(what) => Err(what.to_owned()),
            None => Ok(out),
        }
    }

    fn data(&self, out: &mut Workload) -> Result<(), String> {
        let data = &mut out.data;
        let share = |key, text: Option<&String>| read(key, text, values::share);
        data.compressible_ratio = share("compressible", self.compressible.as_ref())?.unwrap_or(0.0);
        data.duplicate_ratio = share("duplicate", self.duplicate.as_ref())?.unwrap_or(0.0);
        data.pattern_hex = read("buffer_pattern", self.buffer_pattern.as_ref(), values::hex)?;
        data.refill = self.refill.unwrap_or(data.refill);
        Ok(())
    }
}

fn read<T>(
    key: &str,
    text: Option<&String>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, String> {
    text.map(|text| parse(text).map_err(|what| format!("{key}: {what}")))
        .transpose()
}

/// Requests that no engine can send.
fn fault(workload: &Workload) -> Option<&'static str> {
    const MOST: u32 = 65_536;
    let within = |count: u32| (1..=MOST).contains(&count);
    let rate = workload.rate_iops;
    if !within(workload.queue_depth) || !within(workload.workers) {
        Some("depth and workers are from 1 to 65536")
    } else if workload.batch == Some(0) {
        Some("batch is above 0")
    } else if rate.is_some_and(|rate| !rate.is_finite() || rate <= 0.0) {
        Some("rate_iops is above 0")
    } else if workload.fsync_every_writes == Some(0) {
        Some("fsync_every_writes is above 0")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioalign_core::workload::Pattern;

    const JOB: &str = r#"
        name = "oltp"
        [all]
        depth = 8
        run = "30s"
        compressible = "50%"
        [[step]]
        name = "pages"
        sizes = "16k"
        op = "read-70"
        [[step]]
        sizes = "512:3,4k:1"
        op = "write"
        pattern = "sequential"
        depth = 1
        batch = 1
        fsync_every_writes = 1
    "#;

    #[test]
    fn what_all_share_and_what_differs() {
        let job = parse(JOB).unwrap();
        let [pages, log] = job.steps.as_slice() else {
            panic!("{job:?}")
        };
        assert_eq!((pages.name.as_str(), pages.queue_depth), ("pages", 8));
        assert_eq!((log.name.as_str(), log.queue_depth), ("oltp-2", 1));
        assert_eq!((pages.batch, log.batch), (None, Some(1)));
        assert_eq!((pages.run_ms, log.run_ms), (30_000, 30_000));
        assert_eq!(log.pattern, Pattern::Sequential);
        assert_eq!(log.sizes.len(), 2);
        assert!((log.data.compressible_ratio - 0.5).abs() < 1e-9);
        assert!(job.writes());
    }

    #[test]
    fn errors_name_step_and_key() {
        let wrong = |text: &str| parse(&format!("name = \"x\"\n{text}")).unwrap_err();
        assert!(wrong("[[step]]\n[[step]]\nsizes = \"4x\"").starts_with("step 2: sizes:"));
        assert!(wrong("[[step]]\ndepth = 0").contains("depth"));
        assert!(wrong("[[step]]\nbatch = 0").contains("batch"));
        assert!(wrong("[all]\nblocksize = \"4k\"").contains("unknown field `blocksize`"));
        assert!(parse("").unwrap_err().contains("name"));
    }
}
