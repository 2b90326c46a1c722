//! `ioalign trace littles-law`: a calculator for the numbers of a chart.

use anyhow::Result;
use ioalign_core::profile::littles_law::{LawNumbers, TOLERANCE};
use ioalign_core::units::ratio;
use ioalign_report::profile::law;
use serde::Serialize;

use super::look;
use crate::args::LittlesLawArgs;
use crate::exit::{Exit, UsageError};

/// Runs the verb.
pub fn run(arguments: &LittlesLawArgs) -> Result<Exit> {
    let typed = LawNumbers {
        outstanding: arguments.outstanding,
        iops: arguments.iops,
        latency_us: arguments.latency.map(|nanos| ratio(nanos, 1000)),
        size_bytes: arguments.size,
        throughput_bytes_per_s: arguments.throughput,
    };
    let answer = law::LawAnswer::of(typed, arguments.sampler);
    if !answer.says_anything() {
        let what = "too few numbers: any two of --outstanding, --iops and --latency, or of --iops, \
                    --size and --throughput, give the rest";
        return Err(UsageError(what.to_owned()).into());
    }
    if arguments.look.json {
        look::json(&LawDocument {
            schema: "ioalign.littles-law/1",
            answer: &answer,
        })?;
    } else {
        look::write(&law::render(&answer, &look::options(&arguments.look)))?;
    }
    Ok(if answer.consistent(TOLERANCE) {
        Exit::Done
    } else {
        Exit::Code(1)
    })
}

#[derive(Serialize)]
struct LawDocument<'a> {
    schema: &'static str,
    #[serde(flatten)]
    answer: &'a law::LawAnswer,
}
