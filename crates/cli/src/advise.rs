//! `ioalign advise`: a stack, a profile and a measurement in, what to do out.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use ioalign_core::advice::{self, Advice, Decision, Evidence};
use ioalign_core::comparison::{self, Comparison};
use ioalign_report::json::defects;

use crate::args::AdviseArgs;
use crate::check;
use crate::exit::Exit;
use crate::trace::{self, look};

/// A check of ten thousand images; profiles and comparisons are smaller.
const LARGEST: u64 = 1 << 30;

/// Runs the verb.
pub fn run(arguments: &AdviseArgs) -> Result<Exit> {
    let text = text(&arguments.stack)?;
    let targets =
        defects::read(&text).map_err(|why| anyhow!("{}: {why}", arguments.stack.display()))?;
    let profile = arguments.profile.as_deref().map(trace::profile);
    let profile = profile.transpose()?;
    let cost = arguments.cost.as_deref().map(comparison).transpose()?;
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

fn comparison(path: &Path) -> Result<Comparison> {
    let found: Comparison = serde_json::from_str(&text(path)?)
        .with_context(|| format!("{}: it is no comparison", path.display()))?;
    if found.schema != comparison::SCHEMA {
        bail!(
            "{}: its schema is `{}`, not {}",
            path.display(),
            found.schema,
            comparison::SCHEMA
        );
    }
    Ok(found)
}

fn text(path: &Path) -> Result<String> {
    let name = || path.display().to_string();
    if std::fs::metadata(path).with_context(name)?.len() > LARGEST {
        bail!("{}: larger than a gibibyte", name());
    }
    std::fs::read_to_string(path).with_context(name)
}
