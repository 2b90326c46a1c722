//! `ioalign explain RULE`: the page of a rule, as text or JSON.

use std::io::Write;

use anyhow::Result;
use ioalign_core::rules::{self, Rule, show};
use serde::Serialize;

use crate::args::ExplainArgs;
use crate::exit::{Exit, UsageError};

/// Names the verb and the version of its output.
const SCHEMA: &str = "ioalign.explain/1";

/// Pages are set for every terminal; people read narrow text faster.
const WIDTH: usize = 80;

/// Runs the verb.
pub fn run(arguments: &ExplainArgs) -> Result<Exit> {
    let wanted = pages(&arguments.rules)?;
    let text = if arguments.json {
        json(&wanted)?
    } else if arguments.rules.is_empty() {
        show::list()
    } else {
        let pages: Vec<_> = wanted.iter().map(|rule| show::text(rule, WIDTH)).collect();
        pages.join("\n")
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

/// The pages asked for; all when none is named.
fn pages(ids: &[String]) -> Result<Vec<&'static Rule>> {
    if ids.is_empty() {
        return Ok(rules::all().collect());
    }
    let found = ids
        .iter()
        .map(|id| rules::find(id).ok_or_else(|| unknown(id)));
    Ok(found.collect::<Result<_, _>>()?)
}

fn unknown(id: &str) -> UsageError {
    let near = rules::nearest(id);
    UsageError(match near.as_slice() {
        [] => format!("`{id}` is no rule; `ioalign explain` lists them"),
        near => format!("`{id}` is no rule; the nearest: {}", near.join(", ")),
    })
}

#[derive(Serialize)]
struct RuleList {
    schema: &'static str,
    rules: Vec<RuleJson>,
}

#[derive(Serialize)]
struct RuleJson {
    id: &'static str,
    severity: &'static str,
    title: &'static str,
    means: &'static str,
    costs: &'static str,
    source: &'static str,
    fix: &'static str,
    ignore: &'static str,
}

fn json(wanted: &[&Rule]) -> Result<String> {
    let rules = wanted.iter().map(|rule| RuleJson {
        id: rule.id,
        severity: rule.severity.name(),
        title: rule.title,
        means: rule.means,
        costs: rule.costs,
        source: rule.source,
        fix: rule.fix,
        ignore: rule.ignore,
    });
    let document = RuleList {
        schema: SCHEMA,
        rules: rules.collect(),
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}
