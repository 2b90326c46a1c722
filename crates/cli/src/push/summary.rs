//! What a push says at its end.

use anyhow::Result;
use serde::Serialize;

use crate::args::PushArgs;
use crate::look;

/// The document.
#[derive(Debug, Serialize)]
pub(super) struct PushSummary {
    schema: &'static str,
    /// Pushes that the server has now, of this call and of earlier ones.
    pub(super) acknowledged: usize,
    /// How many of these it had already.
    pub(super) duplicates: usize,
    /// Pushes that it will never take.
    pub(super) refused: usize,
    /// Pushes that gave way in a full spool.
    dropped: usize,
    /// Pushes that wait.
    pub(super) waiting: usize,
}

impl PushSummary {
    pub(super) const fn new(dropped: usize) -> Self {
        Self {
            schema: "ioalign.push/1",
            acknowledged: 0,
            duplicates: 0,
            refused: 0,
            dropped,
            waiting: 0,
        }
    }
}

/// Prints it.
pub(super) fn print(summary: &PushSummary, arguments: &PushArgs) -> Result<()> {
    if arguments.json {
        return look::json(summary);
    }
    if arguments.quiet {
        return Ok(());
    }
    let mut text = match summary.acknowledged {
        0 => "nothing was acknowledged".to_owned(),
        1 => "acknowledged".to_owned(),
        many => format!("acknowledged: {many} pushes"),
    };
    for (count, what) in [
        (summary.duplicates, "already there"),
        (summary.refused, "refused"),
        (summary.waiting, "waiting in the spool"),
    ] {
        if count > 0 {
            text += &format!(", {count} {what}");
        }
    }
    look::write(&format!("{text}\n"))
}
