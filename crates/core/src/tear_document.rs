//! Databases that lost power: what was tried, what had to come of it, and what came of it.
//!
//! Its JSON is `ioalign.tear/1`.

use serde::{Deserialize, Serialize};

use crate::machine::Machine;

/// The name and version of the document.
pub const SCHEMA: &str = "ioalign.tear/1";

/// The usual starts of a partition, in bytes: sector 63, sector 2048.
pub const STARTS: [u64; 2] = [63 * 512, 2048 * 512];
/// The units that disks write in one piece.
pub const UNITS: [u64; 4] = [512, 4096, 8192, 16384];

/// A database engine.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TestedEngine {
    /// MariaDB with InnoDB: pages of 16 KiB, direct I/O, the doublewrite buffer.
    MariaDb,
    /// PostgreSQL: pages of 8 KiB through the page cache, full-page writes.
    PostgreSql,
    /// SQLite with pages of 16 KiB: the write-ahead log, or no journal at all.
    Sqlite,
}

impl TestedEngine {
    /// All.
    pub const ALL: [Self; 3] = [Self::MariaDb, Self::PostgreSql, Self::Sqlite];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MariaDb => "mariadb",
            Self::PostgreSql => "postgresql",
            Self::Sqlite => "sqlite",
        }
    }

    /// Bytes of a page.
    pub const fn page(self) -> u64 {
        match self {
            Self::MariaDb | Self::Sqlite => 16384,
            Self::PostgreSql => 8192,
        }
    }

    /// What protects it from torn pages, and how it is called when it is on.
    pub const fn protection(self) -> &'static str {
        match self {
            Self::MariaDb => "doublewrite",
            Self::PostgreSql => "full-page writes",
            Self::Sqlite => "write-ahead log",
        }
    }
}

/// One line of the table of results.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TearArrangement {
    /// The engine.
    pub engine: TestedEngine,
    /// Whether its protection is on.
    pub protected: bool,
    /// Where the partition starts, in bytes.
    pub start_bytes: u64,
    /// What the disk writes in one piece, in bytes.
    pub unit_bytes: u64,
}

/// What has to come of an arrangement.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TearPrediction {
    /// No page is lost: pages are repaired, or one is never cut.
    Safe,
    /// Pages are lost, sooner or later.
    Loses,
    /// Nothing here promises that a page is written as a whole, and it may be: the page cache writes pages in parts.
    NotPromised,
}

impl TearArrangement {
    /// Every arrangement of these engines.
    pub fn all(engines: &[TestedEngine]) -> Vec<Self> {
        let mut all = Vec::new();
        for &engine in engines {
            for protected in [true, false] {
                for start_bytes in STARTS {
                    all.extend(UNITS.map(|unit_bytes| Self {
                        engine,
                        protected,
                        start_bytes,
                        unit_bytes,
                    }));
                }
            }
        }
        all
    }

    /// Whether the disk writes every page in one piece.
    pub const fn is_whole(&self) -> bool {
        let page = self.engine.page();
        self.start_bytes.is_multiple_of(page) && self.unit_bytes.is_multiple_of(page)
    }

    /// What has to come of it.
    pub const fn prediction(&self) -> TearPrediction {
        match (self.protected, self.engine) {
            (true, _) => TearPrediction::Safe,
            // A transaction changes several pages, so that whole pages do not help.
            (false, TestedEngine::Sqlite) => TearPrediction::Loses,
            (false, _) if !self.is_whole() => TearPrediction::Loses,
            (false, TestedEngine::MariaDb) => TearPrediction::Safe,
            (false, TestedEngine::PostgreSql) => TearPrediction::NotPromised,
        }
    }
}

/// What came of an arrangement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TearOutcome {
    /// What was tried.
    #[serde(flatten)]
    pub arrangement: TearArrangement,
    /// What had to come of it.
    pub prediction: TearPrediction,
    /// Losses of power.
    pub losses_of_power: u32,
    /// Those after which pages were damaged.
    pub damaged: u32,
    /// Those after which acknowledged transactions were gone.
    pub forgotten: u32,
    /// Writes that were in flight, or complete and not flushed.
    pub writes_at_risk: u64,
    /// Those of them that were cut or lost.
    pub writes_lost: u64,
    /// What the engine said of the first damaged page.
    pub first_damage: Option<String>,
    /// What `check` said of its pages before, a severity; `ok`: nothing. `None`: it was not asked.
    pub check: Option<String>,
}

impl TearOutcome {
    /// What `check` has to say of pages that are not protected, as far as the layout shows it.
    pub const fn right_check(&self) -> &'static str {
        let arrangement = &self.arrangement;
        match arrangement.engine {
            // The journal of SQLite is chosen by each connection, and is written nowhere.
            TestedEngine::Sqlite => "ok",
            _ if arrangement.protected => "ok",
            // A loop device promises no atomic write, whatever lies below it.
            _ if arrangement
                .start_bytes
                .is_multiple_of(arrangement.engine.page()) =>
            {
                "note"
            }
            _ => "data-risk",
        }
    }

    /// Whether `check` was right, where it was asked.
    pub fn is_check_right(&self) -> bool {
        let said = self.check.as_deref();
        said.is_none_or(|said| said == self.right_check())
    }

    /// Whether the databases and `check` both did what they had to.
    pub fn holds(&self) -> bool {
        self.is_as_predicted() && self.is_check_right()
    }

    /// Whether that came which had to.
    pub const fn is_as_predicted(&self) -> bool {
        match self.prediction {
            TearPrediction::Safe => self.damaged == 0 && self.forgotten == 0,
            TearPrediction::Loses => self.damaged > 0,
            TearPrediction::NotPromised => true,
        }
    }
}

/// All of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TearDocument {
    /// [`SCHEMA`].
    pub schema: String,
    /// The program that wrote it.
    pub tool: String,
    /// The machine that it ran on.
    pub machine: Machine,
    /// Losses of power for each arrangement.
    pub points: u32,
    /// Of moments and cuts.
    pub seed: u64,
    /// What came of each.
    pub arrangements: Vec<TearOutcome>,
    /// Why it ended early; `None`: it did not.
    pub partial: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_pages_do_without_protection() {
        let all = TearArrangement::all(&TestedEngine::ALL);
        assert_eq!(all.len(), 48);
        let bare = |engine| {
            let safe = all.iter().filter(move |one| {
                one.engine == engine && !one.protected && one.prediction() == TearPrediction::Safe
            });
            safe.map(|one| (one.start_bytes, one.unit_bytes))
                .collect::<Vec<_>>()
        };
        assert_eq!(bare(TestedEngine::MariaDb), [(1 << 20, 16384)]);
        assert!(bare(TestedEngine::PostgreSql).is_empty());
        assert!(bare(TestedEngine::Sqlite).is_empty());
        let protected = all.iter().filter(|one| one.protected);
        assert!(
            protected
                .clone()
                .all(|one| one.prediction() == TearPrediction::Safe)
        );
        assert_eq!(protected.count(), 24);
    }
}
