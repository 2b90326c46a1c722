//! The store: hosts, their reports, and what is wrong with them now.

pub mod add;
pub mod database;
pub(crate) mod document;
mod forget;
mod migrate;
mod postgres;
mod sqlite;
mod state;
mod tables;
mod waive;

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;

pub use add::{AddedReport, NewReport};
pub use database::{FleetDatabase, RowReader, SqlRow, SqlValue, transaction};
pub use waive::{FleetWaiver, NewWaiver};

use crate::error::FleetResult;

/// Where a store lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorePlace {
    /// `sqlite:FILE`.
    Sqlite(PathBuf),
    /// `postgres://…` or `postgresql://…`.
    Postgres(String),
}

impl FromStr for StorePlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("sqlite", path)) if !path.is_empty() => Ok(Self::Sqlite(path.into())),
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres(text.to_owned())),
            _ => Err("write sqlite:FILE or postgres://USER@HOST/DATABASE".to_owned()),
        }
    }
}

/// An open store: one connection.
pub struct FleetStore {
    place: StorePlace,
    database: Box<dyn FleetDatabase>,
    /// The day for which waivers that ran out were taken back.
    settled: String,
    /// Reports of a host; all without a number.
    keep: Option<NonZeroU32>,
}

impl FleetStore {
    /// Opens it; a new one is made, an older one brought to this version.
    ///
    /// # Errors
    /// When it cannot be reached, or belongs to something else.
    pub fn open(place: &StorePlace) -> FleetResult<Self> {
        let mut database = connect(place)?;
        migrate::migrate(&mut *database)?;
        Ok(Self {
            place: place.clone(),
            database,
            settled: String::new(),
            keep: None,
        })
    }

    /// Keeps the last `reports` of each host from now on: older ones are deleted when the host pushes.
    #[must_use]
    pub const fn keeping(mut self, reports: Option<NonZeroU32>) -> Self {
        self.keep = reports;
        self
    }

    /// The connection; a lost one is opened again.
    pub(crate) fn database(&mut self) -> FleetResult<&mut dyn FleetDatabase> {
        if !self.database.is_open() {
            self.database = connect(&self.place)?;
        }
        Ok(&mut *self.database)
    }

    /// Whether the store answers.
    ///
    /// # Errors
    /// When it does not.
    pub fn ping(&mut self) -> FleetResult<()> {
        self.database()?.query("SELECT 1", &[]).map(|_| ())
    }

    /// The version of its schema.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn version(&mut self) -> FleetResult<i64> {
        migrate::version(self.database()?)
    }

    /// Counts findings again whose waiver ran out before `today` (`YYYY-MM-DD`); cheap when it was done that day.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn settle(&mut self, today: &str) -> FleetResult<()> {
        if self.settled == today {
            return Ok(());
        }
        transaction(self.database()?, |database| waive::settle(database, today))?;
        today.clone_into(&mut self.settled);
        Ok(())
    }
}

fn connect(place: &StorePlace) -> FleetResult<Box<dyn FleetDatabase>> {
    Ok(match place {
        StorePlace::Sqlite(path) => Box::new(sqlite::SqliteDatabase::open(path)?),
        StorePlace::Postgres(url) => Box::new(postgres::PostgresDatabase::open(url)?),
    })
}

/// A number for a severity, in the order of what a fleet owner looks at first.
pub(crate) const fn rank(severity: ioalign_core::Severity) -> i64 {
    use ioalign_core::Severity::{Broken, DataRisk, Misaligned, Note, Ok, Suboptimal, Unknown};
    match severity {
        Ok => 0,
        Note => 1,
        Unknown => 2,
        Suboptimal => 3,
        Misaligned => 4,
        DataRisk => 5,
        Broken => 6,
    }
}

/// The word for a [`rank`].
pub(crate) const fn word(rank: i64) -> &'static str {
    match rank {
        0 => "ok",
        1 => "note",
        3 => "suboptimal",
        4 => "misaligned",
        5 => "data-risk",
        6 => "broken",
        _ => "unknown",
    }
}

/// The first rank that costs something.
pub(crate) const BAD: i64 = rank(ioalign_core::Severity::Suboptimal);

impl StorePlace {
    /// Without a password, for messages.
    pub fn shown(&self) -> String {
        match self {
            Self::Sqlite(path) => format!("sqlite:{}", path.display()),
            Self::Postgres(url) => without_password(url),
        }
    }
}

fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return "postgres".to_owned();
    };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    format!("{scheme}://{host}/{path}")
}
