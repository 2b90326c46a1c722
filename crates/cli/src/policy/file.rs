//! Reads `ioalign.toml`. A misspelling is an error: a waiver that silently covers nothing, or a
//! rule that silently fails nothing, is worse than no policy.
//!
//! By the `toml` crate: its errors show line and column, which a hand-written reader would not.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use ioalign_core::{Severity, rules};
use ioalign_report::FailOn;
use serde::Deserialize;
use toml::Spanned;

use super::text::PolicyText;
use super::{Policy, Waive, lint};
use crate::exit::UsageError;

/// No policy of people is longer.
const LARGEST: u64 = 1 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    fail: Option<Fail>,
    #[serde(default)]
    lint: lint::PolicyTable,
    #[serde(default)]
    waive: Vec<Spanned<WaiveTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fail {
    #[serde(default)]
    rules: Vec<Spanned<String>>,
    severity: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WaiveTable {
    rule: Spanned<String>,
    #[serde(default = "everything")]
    target: String,
    reason: Spanned<String>,
    expires: Spanned<toml::Value>,
}

fn everything() -> String {
    "**".to_owned()
}

/// Reads a policy file; everything that is wrong with it is wrong use of the program.
pub fn read(path: &Path) -> Result<Policy> {
    let file = std::fs::File::open(path).with_context(|| cannot(path))?;
    take(file, path)
}

/// The same from a file that is open.
pub fn take(file: std::fs::File, path: &Path) -> Result<Policy> {
    let mut text = String::new();
    file.take(LARGEST)
        .read_to_string(&mut text)
        .with_context(|| cannot(path))?;
    let policy = parse(&text).map_err(|what| UsageError(format!("{}: {what}", path.display())))?;
    Ok(Policy {
        file: Some(path.display().to_string()),
        ..policy
    })
}

fn cannot(path: &Path) -> String {
    format!("{}: cannot read the policy", path.display())
}

fn parse(text: &str) -> Result<Policy, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let source = PolicyText(text);
    let waivers = file
        .waive
        .iter()
        .map(|table| waive(table.get_ref(), &source));
    Ok(Policy {
        file: None,
        waivers: waivers.collect::<Result<_, _>>()?,
        fail: file
            .fail
            .map_or_else(|| Ok(FailOn::default()), |fail| fails(&fail, &source))?,
        questions: file.lint.read(&source)?,
    })
}

fn fails(table: &Fail, source: &PolicyText<'_>) -> Result<FailOn, String> {
    let mut fail = FailOn::default();
    if let Some(word) = &table.severity {
        fail.severity = severity(word.get_ref()).map_err(|what| source.at(word, &what))?;
    }
    for rule in &table.rules {
        fail.rules.push(known(rule, source)?);
    }
    Ok(fail)
}

fn severity(word: &str) -> Result<Severity, String> {
    use Severity::{Broken, DataRisk, Misaligned, Note, Suboptimal};
    let all = [Note, Suboptimal, Misaligned, DataRisk, Broken];
    all.into_iter()
        .find(|one| one.name() == word)
        .ok_or_else(|| {
            let names = all.map(Severity::name).join(", ");
            format!("`{word}` is no severity that can fail: {names}")
        })
}

fn waive(table: &WaiveTable, source: &PolicyText<'_>) -> Result<Waive, String> {
    if table.reason.get_ref().trim().is_empty() {
        return Err(source.at(&table.reason, "a waiver needs a reason"));
    }
    let expires = match table.expires.get_ref() {
        toml::Value::String(text) => text.clone(),
        // A bare TOML date; a time of day would be of no use.
        other => other.to_string(),
    };
    Ok(Waive {
        rule: known(&table.rule, source)?,
        target: table.target.clone(),
        reason: table.reason.get_ref().trim().to_owned(),
        expires: expires
            .parse()
            .map_err(|what: String| source.at(&table.expires, &what))?,
    })
}

/// A rule that exists.
fn known(rule: &Spanned<String>, source: &PolicyText<'_>) -> Result<String, String> {
    let id = rule.get_ref();
    if rules::find(id).is_some() {
        return Ok(id.clone());
    }
    let near = rules::nearest(id);
    let hint = match near.as_slice() {
        [] => "`ioalign explain` lists them".to_owned(),
        near => format!("did you mean {}?", near.join(", ")),
    };
    Err(source.at(rule, &format!("`{id}` is no rule: {hint}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_policy() {
        let policy = parse(
            "[fail]\nseverity = \"misaligned\"\nrules = [\"size-not-multiple\"]\n\n\
             [[waive]]\nrule = \"start-misaligned\"\ntarget = \"old/*.img\"\n\
             reason = \"replaced in May\"\nexpires = 2030-05-31\n\
             [[waive]]\nrule = \"over-aligned\"\nreason = \"x\"\nexpires = \"2030-05-31\"\n",
        )
        .unwrap();
        assert_eq!(policy.fail.severity, Severity::Misaligned);
        assert_eq!(policy.fail.rules, ["size-not-multiple"]);
        assert_eq!(policy.waivers.len(), 2);
        assert_eq!(policy.waivers[0].expires, policy.waivers[1].expires);
        assert_eq!(policy.waivers[1].target, "**");
    }

    #[test]
    fn questions_are_read_as_arguments_are() {
        let policy = parse(
            "[lint]\ntarget-logical = 4096\nsize-multiple = \"1MiB\"\nupload = \"azure\"\nuefi = true\n",
        );
        let questions = policy.unwrap().questions;
        assert_eq!(questions.target_logical.map(|size| size.get()), Some(4096));
        assert_eq!(
            questions.lint.size_multiple.map(|size| size.get()),
            Some(1 << 20)
        );
        assert_eq!(
            questions.lint.upload.map(|upload| upload.name),
            Some("azure")
        );
        assert!(questions.lint.uefi);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let table = |more: &str| format!("[[waive]]\nrule = \"over-aligned\"\n{more}");
        for (text, wanted) in [
            ("[fial]\n".to_owned(), "fial"),
            (
                "[fail]\nrules = [\"start-misalinged\"]\n".to_owned(),
                "line 2: `start-misalinged` is no rule: did you mean start-misaligned",
            ),
            (
                "[fail]\nseverity = \"bad\"\n".to_owned(),
                "line 2: `bad` is no severity",
            ),
            (table("reason = \"x\"\n"), "expires"),
            (table("expires = 2030-01-01\n"), "reason"),
            (
                table("reason = \" \"\nexpires = 2030-01-01\n"),
                "line 3: a waiver needs a reason",
            ),
            (
                table("reason = \"x\"\nexpires = \"soon\"\n"),
                "line 4: `soon` is no day",
            ),
            (
                table("reason = \"x\"\nexpires = 2030-01-01T00:00:00Z\n"),
                "is no day",
            ),
            ("waive = 1\n".to_owned(), "line 1"),
            (
                "[lint]\nupload = \"aws\"\n".to_owned(),
                "line 2: `aws` is no known service",
            ),
            (
                "[lint]\nsize-multiple = 0\n".to_owned(),
                "line 2: nothing is a multiple",
            ),
            (
                "[lint]\ntarget-logical = 520\n".to_owned(),
                "line 2: a sector is",
            ),
            ("[lint]\nefi = true\n".to_owned(), "unknown field `efi`"),
        ] {
            let error = parse(&text).unwrap_err();
            assert!(error.contains(wanted), "{wanted}: {error}");
        }
    }
}
