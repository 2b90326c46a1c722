//! `ioalign trace sql`: the main counters as SQL over the Parquet schema, for engines that have no `ioalign`.

use anyhow::Result;
use ioalign_core::GridClaim;

use super::look;
use crate::args::{SqlArgs, SqlDialect};
use crate::exit::{Exit, UsageError};

/// Operations that have a place.
const PLACED: &str = "op IN ('read', 'write', 'discard')";

/// Runs the verb.
pub fn run(arguments: &SqlArgs) -> Result<Exit> {
    let file = &arguments.file;
    if file
        .chars()
        .any(|c| c == '\'' || c == '`' || c.is_control())
    {
        return Err(UsageError(format!("`{file}` has a quote: SQL would end there")).into());
    }
    let words = Words::of(arguments.dialect, file);
    let assumed = [GridClaim::assumed_block()];
    let grids = match arguments.grid.is_empty() {
        true => &assumed[..],
        false => &arguments.grid,
    };
    let mut all = vec![words.operations(), words.sizes(), words.starts()];
    all.extend(grids.iter().map(|grid| words.grid(grid)));
    look::write(&all.join("\n"))?;
    Ok(Exit::Done)
}

/// What the dialects say differently.
struct Words {
    source: String,
    /// Division of integers.
    div: &'static str,
}

impl Words {
    fn of(dialect: SqlDialect, file: &str) -> Self {
        match dialect {
            SqlDialect::Duckdb => Self {
                source: format!("read_parquet('{file}')"),
                div: "//",
            },
            SqlDialect::Spark => Self {
                source: format!("parquet.`{file}`"),
                div: "DIV",
            },
        }
    }

    /// I/Os, bytes and latencies of each operation: `by_op`.
    fn operations(&self) -> String {
        let source = &self.source;
        format!(
            "-- by_op: ios, bytes, latency_us\n\
             SELECT device, op, COUNT(*) AS ios, CAST(SUM(length_bytes) AS BIGINT) AS bytes,\n  \
             COUNT(latency_ns) AS latency_ios, CAST(SUM(latency_ns) AS BIGINT) AS latency_sum_ns,\n  \
             MAX(latency_ns) AS latency_max_ns\n\
             FROM {source} GROUP BY device, op ORDER BY device, op;\n"
        )
    }

    /// `size_histogram`.
    fn sizes(&self) -> String {
        let source = &self.source;
        format!(
            "-- by_op: size_histogram\n\
             SELECT device, op, length_bytes AS bytes, COUNT(*) AS ios,\n  \
             COUNT(CASE WHEN offset_bytes % 4096 <> 0 THEN 1 END) AS off_4096_ios\n\
             FROM {source} WHERE {PLACED} GROUP BY device, op, length_bytes ORDER BY device, op, bytes;\n"
        )
    }

    /// `start_pow2_histogram` and `start_mod_4096`.
    fn starts(&self) -> String {
        let (source, div) = (&self.source, self.div);
        format!(
            "-- by_op: start_pow2_histogram (index power), start_mod_4096 (index sector)\n\
             SELECT device, op, power, sector, COUNT(*) AS ios FROM (\n  \
             SELECT device, op, CASE WHEN offset_bytes = 0 THEN 63 ELSE bit_count((offset_bytes & -offset_bytes) - 1) END AS power,\n  \
             (offset_bytes {div} 512) % 8 AS sector FROM {source} WHERE {PLACED}\n\
             ) AS starts GROUP BY device, op, power, sector ORDER BY device, op, power, sector;\n"
        )
    }

    /// The counters on one grid: `grids`.
    fn grid(&self, grid: &GridClaim) -> String {
        let (source, div) = (&self.source, self.div);
        let (size, phase) = (grid.size.get(), grid.phase.get());
        let ahead = i128::from(size) - i128::from(phase);
        format!(
            "-- grids: size_bytes {size}, phase_bytes {phase}\n\
             SELECT device, op, COUNT(*) AS pieces,\n  \
             COUNT(CASE WHEN head THEN 1 END) AS start_off_grid,\n  \
             COUNT(CASE WHEN length_bytes % {size} <> 0 THEN 1 END) AS length_not_multiple,\n  \
             COUNT(CASE WHEN minimum = 1 AND touched = 2 THEN 1 END) AS straddling,\n  \
             CAST(SUM(touched) AS BIGINT) AS cells_touched, CAST(SUM(minimum) AS BIGINT) AS cells_minimum\n\
             FROM (\n  \
             SELECT device, op, length_bytes, (offset_bytes + {ahead}) % {size} <> 0 AS head,\n  \
             CASE WHEN length_bytes = 0 THEN 0 ELSE\n    \
             (offset_bytes + length_bytes - 1 + {ahead}) {div} {size} - (offset_bytes + {ahead}) {div} {size} + 1 END AS touched,\n  \
             (length_bytes + {size} - 1) {div} {size} AS minimum\n  \
             FROM {source} WHERE {PLACED}\n\
             ) AS cells GROUP BY device, op ORDER BY device, op;\n"
        )
    }
}
