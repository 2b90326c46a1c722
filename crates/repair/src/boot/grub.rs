//! GRUB on BIOS: a boot sector that knows the absolute sector of the second stage, whose first sector has
//! the list of the others. Both are rewritten where these sectors move; what GRUB finds by partition number
//! or UUID (its prefix, its configuration) stays as it is.
//!
//! GRUB 2: `boot.img` with the sector at 0x5c, 64 bits; `core.img` in the gap behind the MBR, in a BIOS boot
//! partition, or as a file. GRUB Legacy: `stage1` with the sector at 0x44, 32 bits; `stage1_5` in the gap, or
//! `stage2` as a file. The error correction of `core.img` does not cover its first sector.

use std::ops::Range;

use ioalign_core::on_disk::bytes::le32;

use super::Consequence;
use super::blocklist::{self, SectorRun, Width};
use super::fate::Fate;
use super::survey::{BootSurvey, Home, SECTOR};

/// Both boot sectors end in these messages.
const MESSAGES: &[u8] = b"Geom\0Hard Disk\0Read\0 Error";
/// And both second stages in these.
const MORE_MESSAGES: &[u8] = b"Geom\0Read\0 Error";

/// A boot sector of GRUB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GrubBootSector {
    name: &'static str,
    /// Where it has the sector of the second stage.
    field: usize,
    width: Width,
    /// The segment that the second sector of the second stage is loaded to.
    segment: u64,
}

/// GRUB in a boot sector, followed to its last sector.
struct GrubChain {
    first: GrubBootSector,
    home: Home,
    /// The first sector of the second stage, and the list in it.
    second: u64,
    runs: Vec<SectorRun>,
}

/// All places where GRUB begins on this disk, with what is wrong with them.
fn find(survey: &mut BootSurvey<'_>) -> Vec<GrubChain> {
    let mut chains = Vec::new();
    for home in survey.homes() {
        let Some(sector) = survey.sector(home.at) else {
            continue;
        };
        if !holds(&sector, MESSAGES) {
            continue;
        }
        match parse(&sector) {
            Some(first) => match follow(survey, first, home, &sector) {
                Some(chain) => chains.push(chain),
                None => survey.add(astray(&first, &home, first.width.get(&sector, first.field))),
            },
            None => survey.add(unknown(&home)),
        }
    }
    chains
}

/// The GRUB that begins in this boot sector, as far as it can be followed; one that is not known may start.
pub fn begins(survey: &mut BootSurvey<'_>, home: Home, sector: &[u8]) -> Option<&'static str> {
    if !holds(sector, MESSAGES) {
        return None;
    }
    match parse(sector) {
        Some(first) => follow(survey, first, home, sector).map(|_| first.name),
        None => Some("GRUB"),
    }
}

fn parse(sector: &[u8]) -> Option<GrubBootSector> {
    let word = |at: usize| le32(sector, at) & 0xffff;
    match (sector.get(..2)?, word(0x5a), word(0x42)) {
        ([0xeb, 0x63], 0x8000, _) => Some(GrubBootSector {
            name: "GRUB",
            field: 0x5c,
            width: Width::Eight,
            segment: 0x820,
        }),
        ([0xeb, _], _, address @ (0x8000 | 0x2000)) if word(0x3e) == 0x0203 => {
            Some(GrubBootSector {
                name: "GRUB Legacy",
                field: 0x44,
                width: Width::Four,
                segment: u64::from(address + 0x200) / 16,
            })
        }
        _ => None,
    }
}

fn follow(
    survey: &mut BootSurvey<'_>,
    first: GrubBootSector,
    home: Home,
    sector: &[u8],
) -> Option<GrubChain> {
    let second = first.width.get(sector, first.field);
    let bytes = survey.sector(second.checked_mul(SECTOR)?)?;
    if second == 0 || !holds(&bytes, MORE_MESSAGES) {
        return None;
    }
    let runs = blocklist::read(&bytes, first.width, first.segment)?;
    Some(GrubChain {
        first,
        home,
        second,
        runs,
    })
}

fn holds(sector: &[u8], words: &[u8]) -> bool {
    sector.windows(words.len()).any(|window| window == words)
}

fn unknown(home: &Home) -> Consequence {
    let what = format!("{} is of a GRUB that is not known", home.name());
    Consequence::warned(home.partition, what)
        .advised("install it again after the move (grub-install)")
}

/// A boot sector that leads nowhere does not boot now either. In a partition it is a thing of the past.
fn astray(first: &GrubBootSector, home: &Home, second: u64) -> Consequence {
    let what = format!(
        "{} in {} looks for its second stage in sector {second}, where it is not",
        first.name,
        home.name()
    );
    match home.partition {
        Some(_) => Consequence::stated(home.partition, what),
        None => Consequence::warned(None, what)
            .advised("this disk does not start by it now: install it again (grub-install)"),
    }
}

impl GrubChain {
    /// The second stage, piece by piece: its first sector, then its list.
    fn places(&self) -> impl Iterator<Item = Range<u64>> {
        let first = SectorRun {
            field: 0,
            start: self.second,
            count: 1,
        };
        let all = [first].into_iter().chain(self.runs.iter().copied());
        all.filter_map(|run| run.place())
    }
}

/// What GRUB has outside all partitions.
pub fn outside(survey: &mut BootSurvey<'_>) -> Vec<(Range<u64>, String)> {
    let mut out = Vec::new();
    for chain in find(survey) {
        let what = format!(
            "the second stage of {} in {}",
            chain.first.name,
            chain.home.name()
        );
        for place in chain.places() {
            if survey.owner(&place).is_none() {
                out.push((place, what.clone()));
            }
        }
    }
    out
}

const AGAIN: &str = "bring the starts into place first (`ioalign fix --apply`), or install GRUB again afterwards \
                     from a rescue system (`grub-install`)";

const fn goes_elsewhere(fate: &Fate) -> bool {
    matches!(fate, Fate::Go(_))
}

/// Rewrites what moves.
pub fn read(survey: &mut BootSurvey<'_>) {
    for chain in find(survey) {
        let fates: Vec<_> = chain.places().map(|place| survey.fate(&place)).collect();
        let name = format!("{} in {}", chain.first.name, chain.home.name());
        if fates.contains(&Fate::Torn) {
            let what = format!(
                "{name}: its second stage reaches over the end of a partition that moves, or is a file of a file \
                 system whose files go to other places"
            );
            survey.add(Consequence::refused(chain.home.partition, what).advised(AGAIN));
        } else if survey.fate(&chain.home.place()) == Fate::Torn && fates.iter().any(goes_elsewhere)
        {
            let what = format!(
                "{name}: its second stage goes elsewhere, and the boot sector that names it is written anew"
            );
            survey.add(Consequence::refused(chain.home.partition, what).advised(AGAIN));
        } else if fates.iter().any(goes_elsewhere) {
            rewrite(survey, &chain, &name);
        } else if chain.home.partition.is_none() {
            let what = format!(
                "{name}: its second stage begins in sector {} and stays",
                chain.second
            );
            survey.add(Consequence::stated(None, what));
        }
    }
}

fn rewrite(survey: &mut BootSurvey<'_>, chain: &GrubChain, name: &str) {
    let list = chain.second.saturating_mul(SECTOR);
    let own = (chain.home.at, chain.first.field, chain.second);
    let listed = chain.runs.iter().map(|run| (list, run.field, run.start));
    let all: Vec<_> = [own].into_iter().chain(listed).collect();
    let width = chain.first.width;
    let mut new = Vec::new();
    for (sector, field, start) in all {
        let Some(bytes) = moved_start(survey, start).and_then(|start| width.packed(start)) else {
            let what = format!("{name}: it cannot count as far as its second stage goes");
            survey.add(Consequence::refused(chain.home.partition, what));
            return;
        };
        new.push((sector.saturating_add(field as u64), bytes));
    }
    for (at, bytes) in new {
        survey.edits.set(at, &bytes);
    }
    let place = chain.places().next().unwrap_or_default();
    let owner = survey.owner(&place);
    let from = owner.map_or_else(String::new, |number| format!(" in partition {number}"));
    let there = moved_start(survey, chain.second).unwrap_or(chain.second);
    let what = format!(
        "{name}: its second stage{from} goes from sector {} to {there}, its lists of sectors are rewritten",
        chain.second
    );
    survey.add(Consequence::stated(owner.or(chain.home.partition), what));
}

/// Where a sector is after the move.
fn moved_start(survey: &BootSurvey<'_>, sector: u64) -> Option<u64> {
    let at = sector.checked_mul(SECTOR)?;
    match survey.fate(&(at..at.checked_add(SECTOR)?)) {
        Fate::Stay => Some(sector),
        Fate::Go(there) if there % SECTOR == 0 => Some(there / SECTOR),
        _ => None,
    }
}
