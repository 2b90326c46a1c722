//! Rows of `pvs`, `vgs` and `lvs` in any form of report, under the names of its fields.

use std::collections::BTreeMap;

use serde_json::Value;

use super::size;
use crate::captures::reading::columns::TableColumns;
use crate::captures::reading::json;
use crate::captures::{Number, Text};

/// Fields of a row, by the names that `-o` and JSON use: `pv_name`, `pe_start`.
pub(super) type Row = BTreeMap<String, String>;

/// A field of a row as text; empty where it is missing.
pub(super) fn field<'a>(row: &'a Row, name: &str) -> &'a str {
    row.get(name).map_or("", String::as_str)
}

/// A field that is a size.
pub(super) fn number(row: &Row, name: &str, unit: Option<char>) -> Option<Number> {
    size::size(row.get(name)?, unit)
}

/// Which of the three reports.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum LvmReport {
    Pv,
    Vg,
    Lv,
}

/// One report with the unit that its command line asked for.
pub(super) struct Rows {
    pub rows: Vec<Row>,
    pub unit: Option<char>,
}

/// Headings of several words, the longest first (lvm2 `lib/report/columns.h`).
const LONG: &[&str] = &[
    "LV Tags",
    "VG Tags",
    "PV Tags",
    "LV UUID",
    "VG UUID",
    "PV UUID",
    "BA Start",
    "BA Size",
    "1st PE",
    "PE Ranges",
    "LE Ranges",
    "Meta Devs",
    "Metadata Devs",
    "Seg Tags",
];

/// Headings and the field that each shows.
const FIELDS: &[(&str, &str)] = &[
    ("PV", "pv_name"),
    ("VG", "vg_name"),
    ("LV", "lv_name"),
    ("Fmt", "pv_fmt"),
    ("1st PE", "pe_start"),
    ("PSize", "pv_size"),
    ("DevSize", "dev_size"),
    ("PV UUID", "pv_uuid"),
    ("PE", "pv_pe_count"),
    ("VG UUID", "vg_uuid"),
    ("Ext", "vg_extent_size"),
    ("Attr", "attr"),
    ("LSize", "lv_size"),
    ("Type", "segtype"),
    ("#Str", "stripes"),
    ("Stripe", "stripe_size"),
    ("Chunk", "chunk_size"),
    ("Region", "region_size"),
    ("PE Ranges", "seg_pe_ranges"),
    ("Devices", "devices"),
    ("Pool", "pool_lv"),
    ("Origin", "origin"),
    ("Start", "seg_start"),
    ("SSize", "seg_size"),
];

impl LvmReport {
    /// What a line of headings belongs to.
    fn of(columns: &TableColumns) -> Option<Self> {
        let has = |name| columns.has(name);
        let any = |names: &[&str]| names.iter().any(|name| columns.has(name));
        if has("PV") && any(&["PSize", "1st PE", "PFree", "DevSize", "Fmt"]) {
            Some(Self::Pv)
        } else if has("LV") && has("VG") && any(&["LSize", "Type", "PE Ranges", "#Str", "Devices"])
        {
            Some(Self::Lv)
        } else if has("VG") && any(&["VSize", "#PV", "Ext", "VFree"]) {
            Some(Self::Vg)
        } else {
            None
        }
    }

    /// Its command.
    const fn command(self) -> &'static str {
        match self {
            Self::Pv => "pvs",
            Self::Vg => "vgs",
            Self::Lv => "lvs",
        }
    }

    /// Keys of JSON reports that hold its rows.
    const fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Pv => &["pv", "pvseg"],
            Self::Vg => &["vg"],
            Self::Lv => &["lv", "seg"],
        }
    }

    /// The field that a row must have.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pv => "pv_name",
            Self::Vg => "vg_name",
            Self::Lv => "lv_name",
        }
    }
}

/// Whether `text` holds such a report.
pub(super) fn sniff(text: &Text, report: LvmReport) -> bool {
    let prefix = format!("LVM2_{}=", report.name().to_ascii_uppercase());
    let key = format!("\"{}\"", report.name());
    text.any(|line| heading(line).is_some_and(|(kind, _)| kind == report))
        || text.any(|line| line.contains(&prefix))
        || (text.any(|line| line.contains("\"report\"")) && text.any(|line| line.contains(&key)))
}

fn heading(line: &str) -> Option<(LvmReport, TableColumns)> {
    let first = line.split_whitespace().next()?;
    let known = first.starts_with('#') || FIELDS.iter().any(|(head, _)| head.starts_with(first));
    if !known {
        return None;
    }
    let columns = TableColumns::new(line, LONG);
    LvmReport::of(&columns).map(|report| (report, columns))
}

/// All reports of a kind, in order.
pub(super) fn all(text: &Text, report: LvmReport) -> Vec<Rows> {
    let mut found = tables(text, report);
    for document in json::documents(text) {
        let unit = None;
        for part in json::list(&document, "report") {
            let rows: Vec<Row> = report
                .keys()
                .iter()
                .flat_map(|key| json::list(part, key))
                .map(object)
                .collect();
            found.push(Rows { rows, unit });
        }
    }
    let unit = text.lines().find_map(|line| unit_of(line, report));
    for rows in &mut found {
        rows.unit = rows.unit.or(unit);
    }
    found
}

fn tables(text: &Text, report: LvmReport) -> Vec<Rows> {
    let mut found: Vec<Rows> = Vec::new();
    let mut open: Option<TableColumns> = None;
    let mut unit = None;
    for line in text.lines() {
        unit = unit_of(line, report).or(unit);
        if let Some((kind, columns)) = heading(line) {
            open = (kind == report).then_some(columns);
            if open.is_some() {
                let rows = Vec::new();
                found.push(Rows {
                    rows,
                    unit: unit.take(),
                });
            }
            continue;
        }
        if line.trim().is_empty() || line.contains("==>") {
            open = None;
        }
        let row = match &open {
            Some(columns) => fields(&columns.row(line)),
            None => prefixed(line, report),
        };
        if open.is_some() && row.contains_key(report.name()) && !is_row(&row, report) {
            // A warning of LVM stands between rows; anything else is the output of another command.
            continue;
        }
        if row.contains_key(report.name()) {
            if found.is_empty() {
                let rows = Vec::new();
                found.push(Rows {
                    rows,
                    unit: unit.take(),
                });
            }
            found.extend_last(row);
        }
    }
    found
}

/// Whether the cells can be those of a row: LVM prints warnings between rows, and terminals the next prompt.
fn is_row(row: &Row, report: LvmReport) -> bool {
    let attributes = |text: &String| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
            && (text.contains('-') || text.len() <= 3)
    };
    let name = row.get(report.name()).map_or("", String::as_str);
    let named = match report {
        LvmReport::Pv => {
            name.starts_with(['/', '['])
                || name.starts_with("unknown")
                || row.contains_key("vg_name")
        }
        _ => !name.contains(['@', '#', '$', ':']),
    };
    named && row.get("attr").is_none_or(attributes)
}

/// Adding to the last report.
trait ExtendLast {
    fn extend_last(&mut self, row: Row);
}

impl ExtendLast for Vec<Rows> {
    fn extend_last(&mut self, row: Row) {
        if let Some(last) = self.last_mut() {
            last.rows.push(row);
        }
    }
}

/// `--units b` on the command line of the report.
fn unit_of(line: &str, report: LvmReport) -> Option<char> {
    let command = report.command();
    let runs = |word: &str| word.rsplit('/').next() == Some(command);
    if !line.split_whitespace().any(runs) {
        return None;
    }
    let rest = line.split_once("--units")?.1;
    rest.trim_start_matches(['=', ' ', '\'', '"'])
        .chars()
        .next()
}

fn fields(cells: &BTreeMap<&str, String>) -> Row {
    let mut row = Row::new();
    for (heading, cell) in cells {
        if let Some((_, field)) = FIELDS.iter().find(|(head, _)| head == heading) {
            row.insert((*field).to_owned(), cell.clone());
        }
    }
    row
}

/// `LVM2_PV_NAME='/dev/sda' LVM2_PE_START='1.00m'` of `--nameprefixes`.
fn prefixed(line: &str, report: LvmReport) -> Row {
    let mut row = Row::new();
    for part in line.split("LVM2_").skip(1) {
        let Some((key, value)) = part.split_once('=') else {
            continue;
        };
        let value = value.trim().trim_matches(['\'', '"']);
        row.insert(known(&key.to_ascii_lowercase()), value.to_owned());
    }
    row.retain(|_, value| !value.is_empty());
    if row.contains_key(report.name()) {
        row
    } else {
        Row::new()
    }
}

fn object(value: &Value) -> Row {
    let mut row = Row::new();
    for (key, value) in value.as_object().into_iter().flatten() {
        let text = match value {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            // `--reportformat json_std` writes lists as such.
            Value::Array(list) => {
                let words: Vec<_> = list.iter().filter_map(Value::as_str).collect();
                words.join(" ")
            }
            _ => continue,
        };
        if !text.is_empty() {
            row.insert(known(key), text);
        }
    }
    row
}

/// The three kinds of attributes under one name.
fn known(key: &str) -> String {
    match key {
        "pv_attr" | "vg_attr" | "lv_attr" => "attr",
        "stripesize" => "stripe_size",
        "chunksize" => "chunk_size",
        other => other,
    }
    .to_owned()
}
