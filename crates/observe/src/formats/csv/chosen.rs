//! The columns that the operator names, or else those of the heading.

use super::super::fields::scaled;
use super::super::{Hints, text};
use super::columns::{ColumnRole, CsvColumns, MOST_COLUMNS, ask};
use super::heading;
use crate::error::Result;
use crate::record::Op;

/// By the operator's word, or by the heading.
pub fn choose(head: &[u8], hints: &Hints) -> Result<CsvColumns> {
    let found = heading::columns_of_heading(head);
    let mut columns = match &hints.columns {
        Some(spec) => of_spec(spec, found, head)?,
        None => found.ok_or_else(|| {
            ask(
                "This table has no heading that says what its columns are: say --columns \
                 time=0,op=1,offset=2,len=3 (counted from 0), with --time-unit us --offset-unit 512",
            )
        })?,
    };
    columns.take_units(hints)?;
    columns.check_ops(head)?;
    Ok(columns)
}

/// `time=0,op=type,offset=3,len=4,read=R,write=W`; codes alone go with the columns of the heading.
fn of_spec(spec: &str, found: Option<CsvColumns>, head: &[u8]) -> Result<CsvColumns> {
    let first = text::first_lines(head)
        .find(|line| !line.starts_with(b"#"))
        .unwrap_or_default();
    let separator = heading::separator(first);
    let names = heading::names(first, separator);
    let mut columns = CsvColumns::new(separator);
    for part in spec.split(',').filter(|part| !part.trim().is_empty()) {
        let (role, place) = part
            .split_once('=')
            .ok_or_else(|| ask("--columns: NAME=COLUMN, as in time=0,op=1,offset=2,len=3"))?;
        let (role, place) = (role.trim(), place.trim());
        match role {
            "read" => columns.codes.push((place.as_bytes().into(), Op::Read)),
            "write" => columns.codes.push((place.as_bytes().into(), Op::Write)),
            _ => columns.put(role, place, &names)?,
        }
    }
    if let Some(found) = found.filter(|_| columns.roles.is_empty()) {
        let codes = columns.codes;
        return Ok(CsvColumns { codes, ..found });
    }
    columns.is_complete().map_err(|what| ask(&what))?;
    // The first line is a heading where its offset is no number.
    let offset = columns
        .roles
        .iter()
        .position(|role| *role == Some(ColumnRole::Offset));
    let named = offset.and_then(|index| names.get(index));
    if named.is_some_and(|name| scaled(name.as_bytes(), 1).is_none()) {
        columns.heading = Some(first.into());
    }
    Ok(columns)
}

impl CsvColumns {
    fn put(&mut self, role: &str, place: &str, names: &[String]) -> Result<()> {
        let known = ColumnRole::ALL.iter().find(|(_, name)| *name == role);
        let Some((role, _)) = known else {
            let what = format!(
                "--columns: `{role}` is none of time, op, offset, len, latency, device, process, \
                 pid, read, write"
            );
            return Err(ask(&what));
        };
        let named = || names.iter().position(|name| name == place);
        let index = place
            .parse()
            .ok()
            .or_else(named)
            .filter(|index| *index < MOST_COLUMNS);
        let Some(index) = index else {
            return Err(ask(&format!("--columns: there is no column `{place}`")));
        };
        self.set(index, *role);
        // The name of a column may tell its unit.
        if let Some(name) = names.get(index)
            && let Some((_, unit)) = heading::meaning(name)
        {
            self.set_unit(*role, unit);
        }
        Ok(())
    }
}
