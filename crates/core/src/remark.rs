//! An observation of a reader about the bytes: a bad CRC, a loop, a dirty log.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::severity::Severity;
use crate::units::Bytes;

/// The bytes that a remark is about; `None` if the reader does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The file, when it is another than the target: a backing file, an extent.
    pub file: Option<PathBuf>,
    /// Byte offset in the file or device, or in the guest's disk for what lies inside an image.
    pub offset: Option<u64>,
    /// Field of the on-disk structure, by the name that its specification uses.
    pub field: Option<&'static str>,
}

/// The state of an image that is a reason not to read or not to write it, whatever its severity.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImageFault {
    /// qcow2: it is in use, or was not closed.
    Dirty,
    /// VMDK: it is in use, or its last session ended in a crash.
    UncleanShutdown,
    /// VHDX: the log holds writes that are not in their places.
    DirtyLog,
    /// VMDK: a journal holds writes that are not in their places.
    Journal,
    /// VMDK: one extent without the descriptor that names the others.
    BareExtent,
    /// VHD: the footer at the end is missing; its copy was used.
    FooterMissing,
    /// VHD: the checksum of the footer is wrong.
    FooterChecksum,
    /// VHD: the checksum of the header of a dynamic disk is wrong.
    HeaderChecksum,
}

/// A finding in the making: the reader knows the rule and the fact, not yet the layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// Stable kebab-case rule id, such as `gpt-header-crc`.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence with the numbers.
    pub why: String,
    /// The repair; empty if there is none.
    pub advice: Vec<String>,
    /// Which bytes.
    pub place: Place,
    /// The input is malformed: a structure contradicts itself or its format, no good copy settles what it should
    /// say, and so what was read is incomplete or a guess.
    ///
    /// Not so for damage that a second copy makes good (`gpt-primary-damaged`), data behind the end of a file
    /// that was cut off, overlaps and the like. They are `broken`, and the answer is whole.
    pub malformed: bool,
    /// The state of an image that it is about.
    pub fault: Option<ImageFault>,
    /// The length that the space below needs for all that is said to lie in it.
    pub room: Option<Bytes>,
}

impl Remark {
    /// A remark without advice.
    pub fn new(rule: &'static str, severity: Severity, why: impl Into<String>) -> Self {
        Self {
            rule,
            severity,
            why: why.into(),
            advice: Vec::new(),
            place: Place::default(),
            malformed: false,
            fault: None,
            room: None,
        }
    }

    /// A remark that does not spoil an `ok`.
    pub fn note(rule: &'static str, why: impl Into<String>) -> Self {
        Self::new(rule, Severity::Note, why)
    }

    /// Says that the input is malformed.
    #[must_use]
    pub const fn malformed(mut self) -> Self {
        self.malformed = true;
        self
    }

    /// Says how long the space below has to be.
    #[must_use]
    pub const fn needing(mut self, room: Option<Bytes>) -> Self {
        self.room = room;
        self
    }

    /// Names the state of an image that it is about.
    #[must_use]
    pub const fn of_fault(mut self, fault: ImageFault) -> Self {
        self.fault = Some(fault);
        self
    }

    /// Adds a line of advice.
    #[must_use]
    pub fn advise(mut self, line: impl Into<String>) -> Self {
        self.advice.push(line.into());
        self
    }

    /// Names the byte and the field that it is about.
    #[must_use]
    pub const fn at(mut self, offset: u64, field: &'static str) -> Self {
        self.place.offset = Some(offset);
        self.place.field = Some(field);
        self
    }

    /// Names the file that it is about, unless one is named already.
    #[must_use]
    pub fn in_file(mut self, path: &Path) -> Self {
        self.place.file.get_or_insert_with(|| path.to_owned());
        self
    }

    /// The sentence with the place.
    pub fn sentence(&self) -> String {
        let place = match (self.place.field, self.place.offset) {
            (Some(field), Some(offset)) => format!(" (field {field} at byte {offset})"),
            (None, Some(offset)) => format!(" (at byte {offset})"),
            _ => return self.why.clone(),
        };
        match self.why.strip_suffix('.') {
            Some(why) => format!("{why}{place}."),
            None => format!("{}{place}", self.why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_stands_before_the_full_stop() {
        let why = |remark: Remark| remark.sentence();
        let remark = || Remark::note("x", "It is so.");
        assert_eq!(why(remark()), "It is so.");
        assert_eq!(why(remark().at(7, "f")), "It is so (field f at byte 7).");
        let bare = Remark::note("x", "so").at(0, "f");
        assert_eq!(bare.sentence(), "so (field f at byte 0)");
    }
}
