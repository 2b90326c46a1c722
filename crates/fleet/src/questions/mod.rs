//! What a fleet owner asks: each question is one function, one page and one call of the API.
//!
//! The answers are bounded: the first [`MOST_ROWS`] rows, and a limit that the caller may lower. What is waived does not
//! count, and every answer that leaves something out for that says how much.

pub mod changes;
pub mod claims;
pub mod compare;
pub mod cost;
pub mod export;
pub mod history;
pub mod overview;
pub mod search;
pub mod shares;

pub use changes::{ChangedRule, FleetChange, FleetChanges, changes};
pub use claims::{LyingClaim, lies};
pub use compare::{ChangedFact, ReportComparison, compare};
pub use cost::{BusyHost, FixGain, busy, gains};
pub use export::{ExportFormat, ExportedTable, export};
pub use history::{HostFinding, HostHistory, HostReport, history};
pub use overview::{FleetOverview, WorstHost, overview, worst};
pub use search::{FoundHost, search};
pub use shares::{AgeShare, ModelShare, RuleShare, by_age, by_model, by_rule};

use crate::error::FleetResult;
use crate::store::{RowReader, SqlRow};

/// Rows of an answer.
pub const MOST_ROWS: u32 = 1000;

/// The caller's limit, bounded.
fn limit(rows: u32) -> i64 {
    i64::from(rows.clamp(1, MOST_ROWS))
}

/// Reads each row.
fn rows<T>(
    rows: Vec<SqlRow>,
    read: impl Fn(&mut RowReader) -> FleetResult<T>,
) -> FleetResult<Vec<T>> {
    rows.into_iter()
        .map(|row| read(&mut RowReader::new(row)))
        .collect()
}
