//! What changed between two reports of a host: layers, grids and findings, by their names in the documents.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::error::{FleetError, FleetResult};
use crate::store::{FleetStore, RowReader, document};

/// Differences that are listed.
const MOST: usize = 1000;
/// What a scan measures of itself, or says of no layer.
const LEFT_OUT: [&str; 2] = ["phases", "id"];

/// Two reports beside each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReportComparison {
    /// The earlier one.
    pub before: i64,
    /// The later one.
    pub after: i64,
    /// What differs, in order; at most 1000.
    pub changes: Vec<ChangedFact>,
    /// More differ than are listed.
    pub is_cut: bool,
}

/// One value that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangedFact {
    /// `layer`, `grid` or `finding`.
    pub what: &'static str,
    /// The layer or grid; of a finding its rule and its layer.
    pub name: String,
    /// The value: `start_sectors`, `facts.firmware`; empty: all of it came or went.
    pub fact: String,
    /// What it was; `null`: it was not there.
    pub before: Option<String>,
    /// What it is; `null`: it is gone.
    pub after: Option<String>,
}

/// What changed between two reports of the same host? `None`: one of them is not there, or they are of two hosts.
///
/// # Errors
/// When the store does not answer.
pub fn compare(
    store: &mut FleetStore,
    before: i64,
    after: i64,
) -> FleetResult<Option<ReportComparison>> {
    let (Some(old), Some(new)) = (stored(store, before)?, stored(store, after)?) else {
        return Ok(None);
    };
    if old.0 != new.0 {
        return Ok(None);
    }
    let mut changes = Vec::new();
    for (what, list) in [
        ("layer", "layers"),
        ("grid", "grids"),
        ("finding", "findings"),
    ] {
        let parts = |document: &Value| parts(document, list);
        differences(what, &parts(&old.1), &parts(&new.1), &mut changes);
    }
    let is_cut = changes.len() > MOST;
    changes.truncate(MOST);
    Ok(Some(ReportComparison {
        before,
        after,
        changes,
        is_cut,
    }))
}

/// The document of a report, as it was pushed and judged; `None`: there is no such report.
///
/// # Errors
/// When the store does not answer.
pub fn report_document(store: &mut FleetStore, report: i64) -> FleetResult<Option<Vec<u8>>> {
    Ok(packed(store, report)?.map(|(_, bytes)| bytes))
}

fn packed(store: &mut FleetStore, report: i64) -> FleetResult<Option<(i64, Vec<u8>)>> {
    let sql =
        "SELECT host_id, document FROM report JOIN judgement ON judgement.id = report.judgement_id
        WHERE report.id = $1";
    let rows = store.database()?.query(sql, &[report.into()])?;
    let Some(row) = rows.into_iter().next() else {
        return Ok(None);
    };
    let mut row = RowReader::new(row);
    Ok(Some((row.integer()?, document::unpack(&row.bytes()?)?)))
}

fn stored(store: &mut FleetStore, report: i64) -> FleetResult<Option<(i64, Value)>> {
    let read = |(host, bytes): (i64, Vec<u8>)| {
        let value = serde_json::from_slice(&bytes);
        let damaged =
            |error| FleetError::Foreign(format!("a document of the store is damaged: {error}"));
        value.map(|value| (host, value)).map_err(damaged)
    };
    packed(store, report)?.map(read).transpose()
}

/// Each part by its name, as flat facts.
fn parts(document: &Value, list: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let all = document
        .pointer("/targets/0")
        .and_then(|target| target.get(list));
    let all = all.and_then(Value::as_array).into_iter().flatten();
    let mut found = BTreeMap::new();
    for part in all {
        let text = |key: &str| part.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = match text("id") {
            "" => format!("{} {}", text("rule"), text("layer"))
                .trim_end()
                .to_owned(),
            id => id.to_owned(),
        };
        let mut facts = BTreeMap::new();
        for (key, value) in part.as_object().into_iter().flatten() {
            if !LEFT_OUT.contains(&key.as_str()) {
                flat(key, value, &mut facts);
            }
        }
        found.insert(name, facts);
    }
    found
}

/// Values by their path; the parser has bounded the depth.
fn flat(path: &str, value: &Value, facts: &mut BTreeMap<String, String>) {
    match value {
        Value::Null => {}
        Value::Object(map) => {
            for (key, value) in map {
                flat(&format!("{path}.{key}"), value, facts);
            }
        }
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                flat(&format!("{path}.{index}"), value, facts);
            }
        }
        Value::String(text) => {
            facts.insert(path.to_owned(), text.clone());
        }
        other => {
            facts.insert(path.to_owned(), other.to_string());
        }
    }
}

fn differences(
    what: &'static str,
    old: &BTreeMap<String, BTreeMap<String, String>>,
    new: &BTreeMap<String, BTreeMap<String, String>>,
    changes: &mut Vec<ChangedFact>,
) {
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let fact = |fact: &str, before: Option<&String>, after: Option<&String>| ChangedFact {
            what,
            name: name.clone(),
            fact: fact.to_owned(),
            before: before.cloned(),
            after: after.cloned(),
        };
        match (old.get(name), new.get(name)) {
            (Some(before), Some(after)) => {
                let mut keys: Vec<&String> = before.keys().chain(after.keys()).collect();
                keys.sort();
                keys.dedup();
                let pairs = keys
                    .into_iter()
                    .map(|key| (key, before.get(key), after.get(key)));
                let changed = pairs.filter(|(_, before, after)| before != after);
                changes.extend(changed.map(|(key, before, after)| fact(key, before, after)));
            }
            (before, after) => {
                let whole = |facts: &BTreeMap<String, String>| summary(what, facts);
                let (before, after) = (before.map(whole), after.map(whole));
                changes.push(fact("", before.as_ref(), after.as_ref()));
            }
        }
        if changes.len() > MOST {
            return;
        }
    }
}

/// One line of a part that came or went.
fn summary(what: &str, facts: &BTreeMap<String, String>) -> String {
    let keys: &[&str] = match what {
        "layer" => &["kind", "size_bytes", "below.0.start_bytes"],
        "grid" => &["size_bytes", "source"],
        _ => &["severity", "why"],
    };
    let values = keys.iter().filter_map(|key| facts.get(*key));
    values.cloned().collect::<Vec<_>>().join(" · ")
}
