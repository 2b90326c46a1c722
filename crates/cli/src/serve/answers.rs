//! What the pages ask for: `check` of bytes, and the reports of a folder.

use std::path::PathBuf;

use ioalign_report::{RenderOptions, json};
use ioalign_serve::{HostAnswers, ReportView, ServedReports};

use super::folder::ReportFolder;
use crate::check;

/// The answers of this program.
pub struct ProgramAnswers {
    folder: Option<ReportFolder>,
}

impl ProgramAnswers {
    /// With the folder of reports, where there is one.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self {
            folder: folder.map(ReportFolder::new),
        }
    }
}

impl HostAnswers for ProgramAnswers {
    fn check(&self, name: &str, bytes: &[u8]) -> Result<String, String> {
        let report = check::given(name, bytes);
        Ok(json::render(&report, &RenderOptions::default()))
    }

    fn reports(&self) -> Option<ServedReports> {
        self.folder.as_ref().map(ReportFolder::list)
    }

    fn report(&self, name: &str) -> Option<String> {
        self.folder.as_ref()?.document(name)
    }

    fn report_view(&self, name: &str) -> Option<ReportView> {
        self.folder.as_ref()?.view(name)
    }
}
