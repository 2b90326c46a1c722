//! Messages about a disk whose partitions are being moved: the same words everywhere.
//!
//! Host and path come from the disk, so both are quoted as in a command.

use std::path::Path;

use crate::move_marker::MarkerFound;
use crate::shell;

/// That a move is in flight, and where its journal is. Begins in lower case, and has no full stop.
pub fn state(found: &MarkerFound) -> String {
    let marker = match found {
        MarkerFound::Whole(marker) => marker,
        MarkerFound::Damaged => {
            return "its partitions are being moved by `ioalign fix`, and the marker that says so is damaged: \
                    which journal belongs to it is not known"
                .to_owned();
        }
    };
    let host = shell::word(&marker.host);
    if marker.journal.as_os_str().is_empty() {
        return format!(
            "its partitions are being moved by `ioalign fix`; the journal is on host {host}, and its path is too \
             long for the marker"
        );
    }
    format!(
        "its partitions are being moved by `ioalign fix`; the journal is {} on host {host}",
        shell::path(&marker.journal)
    )
}

/// The commands that end a move: on, and back. `journal`: where it has to be named.
pub fn commands(target: &Path, journal: Option<&Path>) -> [String; 2] {
    let named = journal.map(|path| format!(" --journal {}", shell::path(path)));
    let named = named.unwrap_or_default();
    let target = shell::path(target);
    ["--resume", "--rollback"].map(|way| format!("ioalign fix {target} {way}{named}"))
}

/// Both commands in a sentence.
pub fn ways(target: &Path, journal: Option<&Path>) -> String {
    let [on, back] = commands(target, journal);
    format!("`{on}` continues, `{back}` undoes the move")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::move_marker::MoveMarker;

    #[test]
    fn names_from_a_disk_are_quoted() {
        let marker = MoveMarker {
            run: 1,
            host: "a;b".to_owned(),
            journal: "/j $(x)".into(),
            old_table: [0; 70],
        };
        let said = state(&MarkerFound::Whole(marker));
        assert!(
            said.ends_with("the journal is '/j $(x)' on host 'a;b'"),
            "{said}"
        );
        let said = ways(Path::new("a b"), Some(Path::new("-j")));
        assert_eq!(
            said,
            "`ioalign fix 'a b' --resume --journal ./-j` continues, `ioalign fix 'a b' --rollback --journal ./-j` undoes the move"
        );
    }
}
