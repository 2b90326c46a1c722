//! SARIF 2.1.0 (OASIS), for code scanning of images that a build makes.
//!
//! One rule a rule id that was found, one result a finding, none when there is nothing to say. A
//! target that cannot be read is no result but a notification of the invocation, as the standard
//! wants it.

mod fingerprint;
mod invocation;
mod place;
mod result;
mod rule;
mod text;

use serde::Serialize;

use crate::json;
use crate::model::Report;
use crate::options::RenderOptions;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The whole log, indented, with a line feed at the end.
pub fn render(report: &Report, _options: &RenderOptions) -> String {
    let log = SarifLog {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [SarifRun::of(report)],
    };
    json::pretty(&log)
}

#[derive(Serialize)]
struct SarifLog<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [SarifRun<'a>; 1],
}

#[derive(Serialize)]
struct SarifRun<'a> {
    tool: Tool<'a>,
    invocations: [invocation::Invocation; 1],
    results: Vec<result::SarifResult<'a>>,
}

impl<'a> SarifRun<'a> {
    fn of(report: &'a Report) -> Self {
        let rules = rule::all(report);
        Self {
            results: result::all(report, &rules),
            tool: Tool {
                driver: Driver::of(report, rules),
            },
            invocations: [invocation::of(report)],
        }
    }
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    information_uri: &'static str,
    rules: Vec<rule::SarifRule>,
}

impl<'a> Driver<'a> {
    fn of(report: &'a Report, rules: Vec<rule::SarifRule>) -> Self {
        Self {
            name: "ioalign",
            version: report.tool.split_once(' ').map(|(_, version)| version),
            information_uri: "https://github.com/ioalign/ioalign",
            rules,
        }
    }
}
