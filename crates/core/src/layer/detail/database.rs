//! What is known of a database.

use super::Facts;

/// A database server, or the file format of one.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DatabaseEngine {
    /// Ceph's store on a device of its own.
    BlueStore,
    /// IBM Db2.
    Db2,
    /// The engine of MySQL and MariaDB.
    InnoDb,
    /// WiredTiger, the engine of MongoDB.
    MongoDb,
    /// Oracle Database.
    Oracle,
    /// PostgreSQL.
    PostgreSql,
    /// SQLite.
    Sqlite,
    /// Microsoft SQL Server.
    SqlServer,
}

impl DatabaseEngine {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::BlueStore,
        Self::Db2,
        Self::InnoDb,
        Self::MongoDb,
        Self::Oracle,
        Self::PostgreSql,
        Self::Sqlite,
        Self::SqlServer,
    ];

    /// Its name in reports and arguments.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BlueStore => "bluestore",
            Self::Db2 => "db2",
            Self::InnoDb => "innodb",
            Self::MongoDb => "mongodb",
            Self::Oracle => "oracle",
            Self::PostgreSql => "postgresql",
            Self::Sqlite => "sqlite",
            Self::SqlServer => "sqlserver",
        }
    }

    /// The engine of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.name() == name)
    }
}

/// What is known of a database besides its page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseDetail {
    /// The server that writes it.
    pub engine: Option<DatabaseEngine>,
    /// Whether it restores pages that were written in part: doublewrite, full-page writes.
    pub torn_page_protection: Option<bool>,
    /// Where the size of its blocks is from, unless it says so itself.
    pub block_source: Option<String>,
}

impl DatabaseDetail {
    pub(super) fn facts(&self) -> Facts {
        let word = |on: bool| if on { "on" } else { "off" }.to_owned();
        let facts = [
            ("torn-page-protection", self.torn_page_protection.map(word)),
            ("block-source", self.block_source.clone()),
        ];
        let known = facts
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)));
        known.collect()
    }
}
