//! An arrangement, tried: load, loss of power, recovery, and a look at every page; as often as is asked.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use ioalign_core::random::split_mix;
use ioalign_core::tear_document::{TearArrangement, TearOutcome, TearPrediction, TestedEngine};
use ioalign_device::{Error, Result};
use tempfile::TempDir;

use crate::disk::TornDisk;
use crate::engine::{
    EngineFolders, FoundState, ROW_BYTES, ROWS, RunningServer, TestedDatabase, acknowledged_to,
    damaged_before, load, start, tested,
};

/// Between the start of a load and the loss of power, in milliseconds.
const LEAST_LOAD_MS: u64 = 60;
const MORE_LOAD_MS: u64 = 500;
/// How much longer an arrangement is tried that has to lose a page.
pub const MORE_POINTS: u32 = 8;
/// Rows of the table of counters.
const COUNTERS: usize = 9;

/// What a run needs from outside.
pub struct TrialOptions<'a> {
    /// Losses of power for each arrangement.
    pub points: u32,
    /// Go on after the first damaged page of an arrangement that was predicted to have one. Otherwise it ends there, and
    /// has [`MORE_POINTS`] as many losses of power until then.
    pub every_point: bool,
    /// Of moments and cuts.
    pub seed: u64,
    /// What `check` says of a path.
    pub check: &'a dyn Fn(&Path) -> Option<String>,
    /// Called after each loss of power; `false` ends the run.
    pub goes_on: &'a dyn Fn(&TearOutcome) -> bool,
}

impl TrialOptions<'_> {
    fn most(&self, prediction: TearPrediction) -> u32 {
        match prediction {
            TearPrediction::Loses if !self.every_point => self.points.saturating_mul(MORE_POINTS),
            _ => self.points,
        }
    }
}

impl std::fmt::Debug for TrialOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TrialOptions")
            .field("points", &self.points)
            .finish_non_exhaustive()
    }
}

/// Databases that were made once, and are copied for each arrangement.
#[derive(Debug, Default)]
pub struct MadeDatabases(HashMap<(&'static str, u64), File>);

impl MadeDatabases {
    /// The disk of an engine with a partition that starts there.
    fn disk(&mut self, engine: TestedEngine, start: u64, folder: &TrialFolder) -> Result<&File> {
        match self.0.entry((engine.name(), start)) {
            Entry::Occupied(there) => Ok(there.into_mut()),
            Entry::Vacant(none) => {
                let mut disk = TornDisk::new(start, 512, 0, None)?;
                disk.format()?;
                disk.mount(&folder.mount())?;
                tested(engine, true).make(&folder.engine()?)?;
                disk.unmount()?;
                let data = disk.data().try_clone();
                Ok(none.insert(data.map_err(|error| Error::io("cannot be kept", error))?))
            }
        }
    }
}

/// Where things are put up.
struct TrialFolder(TempDir);

impl TrialFolder {
    fn new() -> Result<Self> {
        let made = || {
            let folder = tempfile::Builder::new()
                .prefix(&format!("ioalign-tear.{}.", std::process::id()))
                .tempdir()?;
            // A server without rights goes through it.
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
            fs::create_dir(folder.path().join("mnt"))?;
            fs::create_dir(folder.path().join("beside"))?;
            Ok(folder)
        };
        made()
            .map(Self)
            .map_err(|error| Error::io("no folder can be made", error))
    }

    fn mount(&self) -> PathBuf {
        self.0.path().join("mnt")
    }

    fn engine(&self) -> Result<EngineFolders> {
        let folders = EngineFolders {
            data: self.mount().join("db"),
            beside: self.0.path().join("beside"),
        };
        match fs::create_dir(&folders.data) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                Err(Error::io("cannot be made", error).of_target(&folders.data))
            }
            _ => Ok(folders),
        }
    }
}

/// Tries one arrangement.
pub fn run(
    arrangement: TearArrangement,
    made: &mut MadeDatabases,
    options: &TrialOptions<'_>,
) -> Result<TearOutcome> {
    let folder = TrialFolder::new()?;
    let database = tested(arrangement.engine, arrangement.protected);
    let mut outcome = TearOutcome {
        arrangement,
        prediction: arrangement.prediction(),
        losses_of_power: 0,
        damaged: 0,
        forgotten: 0,
        writes_at_risk: 0,
        writes_lost: 0,
        first_damage: None,
        check: None,
    };
    let mut chance = options.seed ^ arrangement.start_bytes ^ arrangement.unit_bytes << 20;
    while outcome.losses_of_power < options.most(outcome.prediction) {
        let from = made.disk(arrangement.engine, arrangement.start_bytes, &folder)?;
        let seed = split_mix(&mut chance);
        let mut disk = TornDisk::new(
            arrangement.start_bytes,
            arrangement.unit_bytes,
            seed,
            Some(from),
        )?;
        disk.mount(&folder.mount())?;
        let folders = folder.engine()?;
        database.protect(&folders, arrangement.protected)?;
        rustix::fs::sync();
        if outcome.check.is_none() {
            outcome.check = (options.check)(&database.judged(&folders));
        }
        let mut series = TearSeries {
            database: &*database,
            folders: &folders,
            mount: folder.mount(),
            disk: &mut disk,
            server: None,
        };
        if !series.until_damage(&mut outcome, &mut chance, options)? {
            break;
        }
    }
    Ok(outcome)
}

/// Losses of power, one after the other on the same disk.
struct TearSeries<'a> {
    database: &'a dyn TestedDatabase,
    folders: &'a EngineFolders,
    mount: PathBuf,
    disk: &'a mut TornDisk,
    server: RunningServer,
}

impl TearSeries<'_> {
    /// Goes on until something is damaged; whether another series is wanted.
    fn until_damage(
        &mut self,
        outcome: &mut TearOutcome,
        chance: &mut u64,
        options: &TrialOptions<'_>,
    ) -> Result<bool> {
        let server = start(self.database, self.folders)?;
        self.server = server.map_err(|state| damaged_before(&state))?;
        while outcome.losses_of_power < options.most(outcome.prediction) {
            self.lose_power(outcome, chance)?;
            let state = self.found()?;
            outcome.losses_of_power += 1;
            match &state {
                FoundState::Whole => {}
                FoundState::Damaged(line) => {
                    outcome.damaged += 1;
                    outcome.first_damage.get_or_insert_with(|| line.clone());
                }
                FoundState::Forgotten(line) => {
                    outcome.forgotten += 1;
                    outcome.first_damage.get_or_insert_with(|| line.clone());
                }
            }
            let is_enough = !options.every_point
                && outcome.prediction == TearPrediction::Loses
                && outcome.damaged > 0;
            if !(options.goes_on)(outcome) || is_enough {
                return Ok(false);
            }
            if state != FoundState::Whole {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A load, and the loss of power in its middle; the disk is there again afterwards.
    fn lose_power(&mut self, outcome: &mut TearOutcome, chance: &mut u64) -> Result<()> {
        let clients = load(self.database, self.folders, chance)?;
        thread::sleep(Duration::from_millis(
            LEAST_LOAD_MS + split_mix(chance) % MORE_LOAD_MS,
        ));
        let loss = self.disk.power_off()?;
        outcome.writes_at_risk += loss.in_flight + loss.unflushed;
        outcome.writes_lost += loss.torn + loss.undone + loss.forgotten;
        drop((clients, self.server.take()));
        self.disk.unmount()?;
        self.disk.power_on();
        self.disk.mount(&self.mount)
    }

    /// Recovers, reads everything, and compares with what was acknowledged.
    fn found(&mut self) -> Result<FoundState> {
        match start(self.database, self.folders)? {
            Ok(server) => self.server = server,
            Err(state) => return Ok(state),
        }
        let text = match self.database.look(self.folders)? {
            Ok(text) => text,
            Err(state) => return Ok(state),
        };
        Ok(self.compared(&text))
    }

    fn compared(&self, text: &str) -> FoundState {
        let lines: Vec<_> = text.lines().collect();
        let (tables, counters) = lines.split_at(lines.len().saturating_sub(COUNTERS));
        let is_all = |line: &&str| line.starts_with(&ROWS.to_string());
        let pads = (ROWS * ROW_BYTES).to_string();
        if !tables.iter().all(is_all) || !tables.first().is_some_and(|line| line.ends_with(&pads)) {
            return FoundState::Damaged(format!("rows are missing: {}", tables.join(", ")));
        }
        for number in 1..=self.database.clients() {
            let said = acknowledged_to(self.folders, number);
            let index = usize::try_from(number - 1).unwrap_or_default();
            let has: u64 = counters
                .get(index)
                .and_then(|line| line.trim().parse().ok())
                .unwrap_or(0);
            if has < said {
                return FoundState::Forgotten(format!(
                    "client {number}: transaction {said} was acknowledged, {has} is there"
                ));
            }
        }
        FoundState::Whole
    }
}
