//! What the server is asked that is not on the board.

use serde::Serialize;

/// Answers of the program that serves. They are called in threads of their own, for as long as they need.
pub trait HostAnswers: Send + Sync + 'static {
    /// Judges bytes as `check` judges a file: its document. `name` is only shown.
    ///
    /// # Errors
    /// Why they cannot be judged at all.
    fn check(&self, name: &str, bytes: &[u8]) -> Result<String, String>;

    /// The reports that may be read, newest first; `None`: no folder of reports is served.
    fn reports(&self) -> Option<ServedReports>;

    /// The document of a report. A name that is not in the list has none.
    fn report(&self, name: &str) -> Option<String>;

    /// A report for people.
    fn report_view(&self, name: &str) -> Option<ReportView>;
}

/// The reports of a folder.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ServedReports {
    /// Newest first.
    pub reports: Vec<ServedReport>,
    /// Files that are no documents of ioalign, too large, or too many.
    pub left_out: usize,
}

/// A report in the list.
#[derive(Clone, Debug, Serialize)]
pub struct ServedReport {
    /// The name of its file, without the folder.
    pub name: String,
    /// Its schema: `ioalign.comparison/1`.
    #[serde(rename = "document")]
    pub schema: String,
    /// Its size.
    pub bytes: u64,
    /// When it was written, in milliseconds since 1970 UTC.
    pub modified_ms: u64,
}

/// A report for people.
#[derive(Clone, Debug)]
pub enum ReportView {
    /// A page without scripts.
    Page(String),
    /// Text in columns.
    Text(String),
}
