//! `ioalign advise`: a stack, a profile and a measurement in, what to do out.

use std::path::Path;

use anyhow::{Error, Result, anyhow};
use ioalign_core::advice::{self, Advice, AdviceInput, Decision, Stranger};
use ioalign_report::json::{defects, read};
use ioalign_report::words::clean;

use crate::args::AdviseArgs;
use crate::check;
use crate::exit::Exit;
use crate::trace;
use crate::{document, look, measure, simulate};

/// Names that a refusal lists.
const NAMED: usize = 4;

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
    let mut evidence = AdviceInput {
        targets: &targets,
        profile: profile.as_ref(),
        cost: cost.as_ref(),
        assume_same: arguments.assume_same,
    };
    if let [first, ..] = advice::strangers(&evidence).as_slice() {
        return Err(refusal(first, arguments));
    }
    let simulated = arguments
        .array
        .as_deref()
        .map(|array| simulate::stand_in(array, &targets))
        .transpose()?;
    if simulated.is_some() {
        // Who names an array says that it stands for the stack.
        (evidence.cost, evidence.assume_same) = (simulated.as_ref(), true);
    }
    let advice = Advice {
        machine: read::machine(&text),
        ..advice::advise(&evidence, &check::tool())
    };
    if arguments.look.json {
        look::json(&advice)?;
    } else {
        let options = look::options(&arguments.look);
        look::write(&ioalign_report::advice::render(&advice, &options))?;
    }
    Ok(exit(&advice))
}

/// A document that is of no device of the stack.
fn refusal(stranger: &Stranger, arguments: &AdviseArgs) -> Error {
    let document = match stranger.document {
        "profile" => &arguments.profile,
        _ => &arguments.cost,
    };
    let path = document.as_deref().map(Path::display);
    let path = path.map_or_else(String::new, |path| path.to_string());
    let list = |names: &[String]| {
        let some: Vec<_> = names.iter().take(NAMED).map(|name| clean(name)).collect();
        let more = if names.len() > NAMED {
            " and others"
        } else {
            ""
        };
        format!("{}{more}", some.join(", "))
    };
    anyhow!(
        "{path}: the {} is of {}, and the stack in {} is of {}: nothing shows that they are the same device. \
         --assume-same takes it for the same, and says so in the advice",
        stranger.document,
        list(&stranger.devices),
        arguments.stack.display(),
        list(&stranger.stack),
    )
}

fn exit(advice: &Advice) -> Exit {
    match advice.decision {
        Decision::Leave => Exit::Done,
        Decision::NextOutage | Decision::FixNow => Exit::Code(1),
    }
}
