//! `ioalign advise`: a stack, a profile and a measurement in, what to do out.

use anyhow::{Result, anyhow};
use ioalign_core::advice::{self, Advice, Decision, Evidence};
use ioalign_report::json::defects;

use crate::args::AdviseArgs;
use crate::check;
use crate::exit::Exit;
use crate::trace;
use crate::{document, look, measure};

/// Runs the verb.
pub fn run(arguments: &AdviseArgs) -> Result<Exit> {
    let text = document::text(&arguments.stack)?;
    let targets =
        defects::read(&text).map_err(|why| anyhow!("{}: {why}", arguments.stack.display()))?;
    let profile = arguments.profile.as_deref().map(trace::profile);
    let profile = profile.transpose()?;
    let cost = arguments
        .cost
        .as_deref()
        .map(measure::document)
        .transpose()?;
    let evidence = Evidence {
        targets: &targets,
        profile: profile.as_ref(),
        cost: cost.as_ref(),
    };
    let advice = advice::advise(&evidence, &check::tool());
    if arguments.look.json {
        look::json(&advice)?;
    } else {
        let options = look::options(&arguments.look);
        look::write(&ioalign_report::advice::render(&advice, &options))?;
    }
    Ok(exit(&advice))
}

fn exit(advice: &Advice) -> Exit {
    match advice.decision {
        Decision::Leave => Exit::Done,
        Decision::NextOutage | Decision::FixNow => Exit::Code(1),
    }
}
