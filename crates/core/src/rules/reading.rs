//! What was not recognised, not readable, or decided by a policy.

use super::{Group, Rule};
use crate::finding::Severity;

pub(super) const GROUP: Group = Group {
    title: "What could not be known",
    rules: &[
        Rule {
            id: "nothing-recognised",
            severity: Severity::Unknown,
            title: "Nothing is recognised",
            means: "No partition table, volume or file system was found, so nothing can be said.",
            costs: "Nothing is known: this is never an ok.",
            source: "Encrypted or raw data, an unknown format, or an empty disk.",
            fix: "Name what lies there: --sector-size for a table of another sector size, \
            --database for raw data files.",
            ignore: "For disks that are known to be empty.",
        },
        Rule {
            id: "damaged-metadata",
            severity: Severity::Broken,
            title: "A structure that could not be read",
            means: "A format was recognised and its own fields contradict it; the file, byte and \
            field are named.",
            costs: "The system that uses it fails too, or takes something else for it.",
            source: "The format's specification.",
            fix: "Restore the structure with the format's own tool, or report it to us when that \
            tool finds nothing wrong.",
            ignore: "When it is a remnant of another system.",
        },
        Rule {
            id: "not-readable",
            severity: Severity::Unknown,
            title: "A device that could not be read",
            means: "The device is there and could not be opened or read, mostly for lack of \
            permission.",
            costs: "What lies on it is not judged.",
            source: "The error of the operating system is quoted.",
            fix: "Run as root, or capture the host as root.",
            ignore: "For empty card readers and optical drives.",
        },
        Rule {
            id: "waiver-expired",
            severity: Severity::Note,
            title: "A waiver that has expired",
            means: "The policy file waives a finding until a day that is over, so the finding \
            counts again.",
            costs: "The build fails by it, if it is one that fails builds.",
            source: "ioalign.toml, expires.",
            fix: "Repair what was waived, or set a new date with a reason.",
            ignore: "Never: that is what the date was for.",
        },
    ],
};
