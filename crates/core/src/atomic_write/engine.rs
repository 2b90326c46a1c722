//! What database servers do with atomic writes.

use crate::layer::detail::DatabaseEngine;

/// A server's own part: the setting that protects pages today, and whether it marks their writes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct EngineAtomics {
    /// The setting, as it is typed, with which torn pages are survived.
    pub(super) protects: &'static str,
    /// Why it is said that its writes are not marked `RWF_ATOMIC`.
    pub(super) unmarked: &'static str,
}

/// What is known of an engine; `None`: its pages need no protection, or nothing is known.
///
/// No release of any of them is known to pass `RWF_ATOMIC`.
pub(super) const fn engine_atomics(engine: DatabaseEngine) -> Option<EngineAtomics> {
    let (protects, unmarked) = match engine {
        DatabaseEngine::InnoDb => (
            "innodb_doublewrite=ON",
            "InnoDB is not known to mark its writes RWF_ATOMIC (mysql-community issue 57 asks for it; MariaDB's \
             innodb_doublewrite=OFF assumes that plain writes are atomic)",
        ),
        DatabaseEngine::PostgreSql => (
            "full_page_writes=on",
            "PostgreSQL is not known to mark its writes RWF_ATOMIC (its manual leaves full_page_writes=off to file systems that \
             prevent partial page writes)",
        ),
        DatabaseEngine::Sqlite => (
            "PRAGMA journal_mode=WAL, or a rollback journal",
            "SQLite is not known to mark its writes RWF_ATOMIC (it uses batch atomic writes of F2FS, and no other)",
        ),
        DatabaseEngine::Oracle => (
            "DB_BLOCK_CHECKSUM=TYPICAL, with backups from which torn blocks are restored",
            "Oracle Database is not known to mark its writes RWF_ATOMIC",
        ),
        _ => return None,
    };
    Some(EngineAtomics { protects, unmarked })
}
