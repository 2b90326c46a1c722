//! A subject: one reader of untrusted bytes, as the mutation loop and libFuzzer run it.

use std::sync::Arc;

use ioalign_inspect::Source;
use ioalign_inspect::source::MemorySource;
use ioalign_testkit::Random;

/// What a reader said.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Answer {
    /// Not its format, or refused at the first check.
    NotMine,
    /// Its format: read, or damaged behind that check.
    Mine,
}

impl Answer {
    /// `Mine` where it holds.
    pub const fn mine(is_mine: bool) -> Self {
        if is_mine { Self::Mine } else { Self::NotMine }
    }
}

/// Runs a reader. A panic is a finding.
pub type Run = Box<dyn Fn(&Arc<dyn Source>) -> Answer + Send + Sync>;
/// Valid bytes, made when a loop asks for them.
pub type MakeSeeds = Box<dyn Fn() -> Vec<Vec<u8>> + Send + Sync>;
/// Damages bytes of a seed in place.
pub type Damage = Box<dyn Fn(&mut Vec<u8>, &mut Random) + Send + Sync>;

/// Where valid bytes come from, and how they are damaged.
pub enum Material {
    /// The images in the folders of seeds, damaged where the reader looks.
    Images,
    /// The texts in the folders of texts, damaged as texts.
    Texts,
    /// Seeds and damage that only this subject has.
    Own {
        /// Valid bytes; the reader has to recognise each.
        seeds: MakeSeeds,
        /// Damages one of them.
        damage: Damage,
    },
}

/// One reader.
pub struct Subject {
    /// Its kind: `tables`.
    pub room: &'static str,
    /// Its name: `gpt`.
    pub name: &'static str,
    /// Its seeds.
    pub material: Material,
    /// One in this many runs has to get behind the first check: otherwise the loop tests nothing.
    pub least: Option<u64>,
    /// A run costs as much as this many of the others.
    pub cost: u64,
    run: Run,
}

impl Subject {
    /// A reader of images or texts, of which the seeds lie in folders.
    pub fn of_files(
        room: &'static str,
        name: &'static str,
        material: Material,
        run: impl Fn(&Arc<dyn Source>) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self {
            room,
            name,
            material,
            least: None,
            cost: 1,
            run: Box::new(run),
        }
    }

    /// A reader that makes its own seeds, and how they are damaged.
    pub fn of_bytes(
        room: &'static str,
        name: &'static str,
        seeds: impl Fn() -> Vec<Vec<u8>> + Send + Sync + 'static,
        damage: impl Fn(&mut Vec<u8>, &mut Random) + Send + Sync + 'static,
        run: impl Fn(&[u8]) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let material = Material::Own {
            seeds: Box::new(seeds),
            damage: Box::new(damage),
        };
        Self::of_files(room, name, material, move |source| {
            run(&bytes_of(&**source))
        })
    }

    /// Demands that one in `least` runs gets behind the first check.
    pub fn with_least(mut self, least: u64) -> Self {
        self.least = Some(least);
        self
    }

    /// Divides the number of runs by `cost`.
    pub fn with_cost(mut self, cost: u64) -> Self {
        self.cost = cost;
        self
    }

    /// Whether it goes by this name: `gpt` or `tables/gpt`, or a whole room.
    pub fn is(&self, name: &str) -> bool {
        name == self.name || name == self.room || name == self.title()
    }

    /// `tables/gpt`
    pub fn title(&self) -> String {
        format!("{}/{}", self.room, self.name)
    }

    /// Runs the reader.
    pub fn run(&self, source: &Arc<dyn Source>) -> Answer {
        (self.run)(source)
    }

    /// Runs the reader on bytes in memory.
    pub fn run_bytes(&self, bytes: &[u8]) -> Answer {
        let source: Arc<dyn Source> = Arc::new(MemorySource::new(bytes));
        self.run(&source)
    }
}

/// All bytes of a source; none where it cannot be read.
pub fn bytes_of(source: &dyn Source) -> Vec<u8> {
    let mut bytes = vec![0; usize::try_from(source.len()).unwrap_or(0)];
    match source.read_at(0, &mut bytes) {
        Ok(()) => bytes,
        Err(_) => Vec::new(),
    }
}
