//! Where a job was begun, and on what: for the marker on the disk, and for those who find the journal.

use std::path::PathBuf;

use crate::{Error, ErrorKind, Result};

/// Who began a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveOrigin {
    /// The name of this machine.
    pub host: String,
    /// The absolute path of the journal on it.
    pub journal: PathBuf,
    /// What the caller knows the disk by. The mover only keeps it.
    pub target: String,
}

/// The room of a journal for all three.
const MOST: usize = 12 << 10;

impl MoveOrigin {
    /// Refuses what the journal has no room for.
    pub(crate) fn check(&self) -> Result<()> {
        let bytes = self.host.len() + self.journal.as_os_str().len() + self.target.len();
        if bytes <= MOST {
            return Ok(());
        }
        let what =
            format!("the names of host, journal and target have {bytes} bytes, more than {MOST}");
        Err(Error::new(ErrorKind::Unsupported, what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_names_have_twelve_kib_together() {
        let fits = |host: usize, journal: usize, target: usize| {
            let origin = MoveOrigin {
                host: "h".repeat(host),
                journal: "j".repeat(journal).into(),
                target: "t".repeat(target),
            };
            origin.check().is_ok()
        };
        assert!(fits(4096, 4096, 4096));
        assert!(!fits(4097, 4096, 4096) && !fits(4096, 4097, 4096) && !fits(4096, 4096, 4097));
    }
}
