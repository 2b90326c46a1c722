//! Names of operations in a table: formats use opposite codes, so they are asked for and shown.

use super::super::fields::number;
use super::super::text;
use super::columns::{CsvColumns, ask};
use crate::error::Result;
use crate::record::Op;

impl CsvColumns {
    /// Codes invert between formats, so they are asked, not guessed; so are words, where none is known.
    pub(super) fn check_ops(&self, head: &[u8]) -> Result<()> {
        let csv = super::Csv {
            alone: String::new(),
            columns: self.clone(),
        };
        let data = text::first_lines(head).filter(|line| !self.is_heading(line));
        let ops = data.filter_map(|line| csv.fields(line).map(|fields| fields[1]));
        let ops: Vec<_> = ops.collect();
        let unknown: Vec<_> = ops.iter().filter(|op| self.op(op).is_none()).collect();
        if let Some(code) = unknown.iter().find(|op| number(op).is_some()) {
            return Err(ask(&format!(
                "Operations are numbers here ({}), and 0 is a read in some formats and a write in \
                 others: add read=CODE,write=CODE to --columns, read=0,write=1 or read=1,write=0",
                String::from_utf8_lossy(code)
            )));
        }
        match unknown.first().filter(|_| unknown.len() == ops.len()) {
            Some(word) => Err(ask(&format!(
                "Operations are called `{}` and the like here: add read=CODE,write=CODE to --columns",
                word.get(..20).unwrap_or(word).escape_ascii()
            ))),
            None => Ok(()),
        }
    }

    /// The meaning of codes, as given by the operator.
    pub(super) fn codes_in_words(&self) -> &'static str {
        let mut codes: Vec<_> = self.codes.iter().map(|(code, op)| (&**code, *op)).collect();
        codes.sort_unstable_by_key(|(code, _)| *code);
        match codes.as_slice() {
            [] => "names",
            [(b"0", Op::Read), (b"1", Op::Write)] => "0 read, 1 write, as given",
            [(b"0", Op::Write), (b"1", Op::Read)] => "0 write, 1 read, as given",
            _ => "codes, as given",
        }
    }
}
