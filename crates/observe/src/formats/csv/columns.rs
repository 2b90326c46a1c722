//! Which column is what, and in which units.

use super::super::{FormatFacts, Hints};
use super::op;
use crate::error::{ObserveError, ObserveErrorKind, Result};
use crate::record::Op;

/// The kinds of columns.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ColumnRole {
    Time,
    Op,
    Offset,
    Len,
    Latency,
    Device,
    Process,
    /// Beside a column of names.
    Pid,
}

impl ColumnRole {
    pub const COUNT: usize = 8;
    pub(super) const ALL: [(Self, &'static str); Self::COUNT] = [
        (Self::Time, "time"),
        (Self::Op, "op"),
        (Self::Offset, "offset"),
        (Self::Len, "len"),
        (Self::Latency, "latency"),
        (Self::Device, "device"),
        (Self::Process, "process"),
        (Self::Pid, "pid"),
    ];
}

/// Columns past this are not looked for.
pub const MOST_COLUMNS: usize = 256;

/// The columns of one table.
#[derive(Clone, Debug)]
pub struct CsvColumns {
    /// By column, up to the last that has a role.
    pub roles: Vec<Option<ColumnRole>>,
    pub separator: u8,
    /// Nanoseconds.
    pub time_unit: u64,
    /// Nanoseconds.
    pub latency_unit: u64,
    /// Bytes.
    pub offset_unit: u32,
    /// Bytes.
    pub len_unit: u32,
    /// Codes of operations.
    pub codes: Vec<(Box<[u8]>, Op)>,
    /// The heading, which is no row wherever it stands: joined files have several.
    pub heading: Option<Box<[u8]>>,
}

pub(super) fn ask(what: &str) -> ObserveError {
    ObserveError::new(ObserveErrorKind::Ask, what)
}

impl CsvColumns {
    /// None yet; bytes and no unit of time.
    pub const fn new(separator: u8) -> Self {
        Self {
            roles: Vec::new(),
            separator,
            time_unit: 0,
            latency_unit: 0,
            offset_unit: 0,
            len_unit: 0,
            codes: Vec::new(),
            heading: None,
        }
    }

    /// Gives a column its role.
    pub fn set(&mut self, index: usize, role: ColumnRole) {
        if self.roles.len() <= index {
            self.roles.resize(index + 1, None);
        }
        if let Some(slot) = self.roles.get_mut(index) {
            *slot = Some(role);
        }
    }

    /// Whether a column has this role.
    pub fn has(&self, role: ColumnRole) -> bool {
        self.roles.contains(&Some(role))
    }

    /// Nanoseconds or bytes; 0 where the name did not tell.
    pub fn set_unit(&mut self, role: ColumnRole, unit: u64) {
        let bytes = u32::try_from(unit).unwrap_or(0);
        match role {
            ColumnRole::Time => self.time_unit = unit,
            ColumnRole::Latency => self.latency_unit = unit,
            ColumnRole::Offset => self.offset_unit = bytes,
            ColumnRole::Len => self.len_unit = bytes,
            _ => {}
        }
    }

    pub(super) fn is_complete(&self) -> std::result::Result<(), String> {
        for (role, name) in &ColumnRole::ALL[..4] {
            if !self.has(*role) {
                return Err(format!("--columns: {name}=COLUMN is missing"));
            }
        }
        Ok(())
    }

    /// Units: those of the operator, those of the names, and for offsets and lengths bytes.
    pub(super) fn take_units(&mut self, hints: &Hints) -> Result<()> {
        self.time_unit = hints.time_unit.unwrap_or(self.time_unit);
        if self.time_unit == 0 {
            let what = "The unit of the time column is not said: --time-unit s, ms, us or ns";
            return Err(ask(what));
        }
        self.latency_unit = hints.latency_unit.unwrap_or(self.latency_unit);
        if self.latency_unit == 0 {
            self.latency_unit = self.time_unit;
        }
        if hints.latency_unit.is_some() && !self.has(ColumnRole::Latency) {
            let what = "--latency-unit: the table has no latency column; --columns latency=COLUMN says which it is";
            return Err(ask(what));
        }
        if let Some(unit) = hints.offset_unit {
            // Columns whose names tell their unit keep it.
            if self.offset_unit == 0 || self.offset_unit == self.len_unit {
                (self.offset_unit, self.len_unit) = (unit, unit);
            }
            self.offset_unit = unit;
        }
        self.len_unit = hints.length_unit.unwrap_or(self.len_unit);
        if self.offset_unit == 0 {
            let what = "The unit of the offset column is not said: --offset-unit 1 (bytes), 512 \
                        or 4096";
            return Err(ask(what));
        }
        if self.len_unit == 0 {
            self.len_unit = self.offset_unit;
        }
        Ok(())
    }

    /// The operation of a word or code.
    #[inline]
    pub fn op(&self, word: &[u8]) -> Option<Op> {
        let code = self.codes.iter().find(|(code, _)| **code == *word);
        code.map(|(_, op)| *op).or_else(|| op(word))
    }

    /// Whether the line is the heading.
    #[inline]
    pub fn is_heading(&self, line: &[u8]) -> bool {
        self.heading
            .as_deref()
            .is_some_and(|heading| heading == line)
    }

    /// As found or given.
    pub fn facts(&self) -> FormatFacts {
        let time = |unit| match unit {
            1 => "ns",
            1_000 => "us",
            1_000_000 => "ms",
            1_000_000_000 => "seconds",
            _ => "as given",
        };
        let bytes = |unit| match unit {
            1 => "bytes",
            512 => "512-byte sectors",
            1024 => "KiB",
            4096 => "4096-byte blocks",
            _ => "blocks, as given",
        };
        FormatFacts {
            time: time(self.time_unit),
            offset: bytes(self.offset_unit),
            len: bytes(self.len_unit),
            op: self.codes_in_words(),
            latency: if self.has(ColumnRole::Latency) {
                time(self.latency_unit)
            } else {
                "none"
            },
        }
    }
}
