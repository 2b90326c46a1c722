//! `check`, `plan` and `fix` agree on where a partition should start, or a rule that is named here says why not.

use std::collections::BTreeMap;

use ioalign_core::grid::place::solve;
use ioalign_core::judge::{JudgeOptions, StartDemands, judge};
use ioalign_core::{
    Boundaries, Bytes, Confidence, Finding, GridClaim, GridKind, Kind, Layer, LayerId, Map, Origin,
    SectorSize, Sectors, Severity, Stack, TableKind, Tier,
};
use ioalign_repair::MemoryDisk;
use ioalign_repair::fix::{self, Choices, DiskSurvey, PartitionFacts};
use ioalign_repair::planner::{PartRole, PlanRequest, PlannedLabel, plan};
use ioalign_testkit::{Random, mbr};

const SECTOR: u64 = 512;
const MIB: u64 = 1 << 20;
const DISK: u64 = 24 * MIB;
/// Stacks that are drawn.
const CASES: u64 = 600;

/// A disk with its claims, one partition, and what is in it.
struct Case {
    logical: GridClaim,
    physical: GridClaim,
    grids: Vec<GridClaim>,
    /// First sector of the partition.
    start: u64,
    /// Sectors of it.
    sectors: u64,
    /// Sectors before the data in it; `None`: it is empty.
    ahead: Option<u64>,
}

impl Case {
    fn draw(random: &mut Random) -> Self {
        let origin = |random: &mut Random| {
            *random.pick(&[Origin::Declared, Origin::Reported, Origin::Assumed])
        };
        let confidence = |random: &mut Random| {
            *random.pick(&[Confidence::Low, Confidence::Medium, Confidence::High])
        };
        let claim = |random: &mut Random, sectors: u64, tier, kind| {
            let phase = match random.below(4) {
                0 => random.within(0, sectors) * SECTOR,
                _ => 0,
            };
            let size = Bytes::new(sectors * SECTOR);
            let claim = GridClaim::new(size, Bytes::new(phase), tier, kind).unwrap();
            let confidence = confidence(random);
            claim.from(origin(random), "drawn", confidence)
        };
        let logical = claim(random, 1, Tier::Validity, GridKind::LogicalSector);
        let block = *random.pick(&[1, 8, 8, 8, 16]);
        let physical = claim(random, block, Tier::Rmw, GridKind::PhysicalBlock);
        let mut grids = Vec::new();
        for _ in 0..random.below(4) {
            let size = *random.pick(&[8, 16, 32, 128, 128, 384, 640, 2048]);
            let (tier, kind) = random
                .pick(&[
                    (Tier::Rmw, GridKind::IndirectionUnit),
                    (Tier::Preference, GridKind::RaidChunk),
                    (Tier::Preference, GridKind::FullStripe),
                    (Tier::Preference, GridKind::OptimalIo),
                ])
                .clone();
            grids.push(claim(random, size, tier, kind));
        }
        Self {
            logical,
            physical,
            grids,
            start: random.within(63, 6000),
            sectors: random.within(2000, 6000),
            ahead: *random.pick(&[None, Some(0), Some(0), Some(3), Some(2048), Some(2053)]),
        }
    }

    fn claims(&self) -> Vec<GridClaim> {
        let blocks = [&self.logical, &self.physical];
        blocks.into_iter().chain(&self.grids).cloned().collect()
    }

    /// The stack with the partition at a sector, and the partition.
    fn stack(&self, start: u64) -> (Stack, LayerId) {
        let mut stack = Stack::new();
        let mut disk = Layer::new(Kind::Disk, "disk").sized(Bytes::new(DISK));
        disk.table = Some(TableKind::Dos);
        let disk = stack.push(disk);
        stack
            .grids
            .extend(self.claims().into_iter().map(|claim| claim.on(disk)));
        let shift = |sectors: u64| Map::Shift {
            start: Bytes::new(sectors * SECTOR),
        };
        let mut partition = Layer::new(Kind::Partition, "p1").on(disk, shift(start));
        partition.size = Some(Bytes::new(self.sectors * SECTOR));
        partition.start_sectors = Sectors::new(start, SectorSize::S512);
        let partition = stack.push(partition);
        if let Some(ahead) = self.ahead {
            stack.push(Layer::new(Kind::LvmPv, "pv").on(partition, shift(ahead)));
        }
        (stack, partition)
    }

    fn disk(&self) -> MemoryDisk {
        let short = |sectors: u64| u32::try_from(sectors).unwrap();
        let entry = (0x83, short(self.start), short(self.sectors));
        let mut bytes = vec![0; usize::try_from(DISK).unwrap()];
        bytes[..512].copy_from_slice(&mbr::sector(&[entry]));
        MemoryDisk {
            bytes,
            logical_bytes: SECTOR,
        }
    }
}

/// The findings about starts that are more than a note.
fn complaints(stack: &Stack) -> Vec<Finding> {
    let all = judge(stack, &JudgeOptions::default()).findings.into_iter();
    let starts = all.filter(|one| one.rule.starts_with("start-"));
    starts.filter(|one| one.severity > Severity::Note).collect()
}

/// What `plan` says of an empty disk with the same claims.
fn planned(case: &Case) -> (u64, bool) {
    let want = PlanRequest {
        logical: case.logical.clone(),
        physical: case.physical.clone(),
        grids: case.grids.clone(),
        label: PlannedLabel::Dos,
        partitions: vec![ioalign_repair::planner::PlannedPartition {
            role: PartRole::Data,
            size: None,
        }],
        ..PlanRequest::default()
    };
    let plan = plan(&want).unwrap();
    let mut lost = plan.solution.given_up.iter();
    let habit_lost = lost.any(|lost| lost.claim.kind == GridKind::Habit);
    (plan.seats[0].start.get(), habit_lost)
}

/// Where `fix` goes, and what it says about that; `None` where it moves nothing.
fn moved(case: &Case, demand: Boundaries, suggested: Option<u64>) -> Option<(u64, Vec<String>)> {
    let survey = DiskSurvey {
        parts: vec![PartitionFacts {
            number: 1,
            what: "noise".to_owned(),
            demand: Some(demand),
            suggested,
            stays: None,
            needs: None,
        }],
        ..DiskSurvey::default()
    };
    let plan = fix::plan(&mut case.disk(), &survey, &Choices::default()).unwrap();
    let said = plan.consequences.iter().map(|one| one.what.clone());
    Some((plan.shifts.first()?.to, said.collect()))
}

/// Which rule holds between the three, or a fault.
fn compared(case: &Case) -> Result<Vec<&'static str>, String> {
    let now = case.start * SECTOR;
    let (stack, partition) = case.stack(case.start);
    let disk = LayerId(0);
    let demands = StartDemands::of(&stack);
    let wanted = demands.solution(disk, Some(partition));
    let complaints = complaints(&stack);
    let is_own = |one: &&Finding| one.guilty == Some(partition);
    let own: Vec<_> = complaints.iter().filter(is_own).collect();
    let suggested = own.iter().find_map(|one| one.suggest.start);
    let suggested = suggested.map(Bytes::get);
    let moved = moved(case, wanted.starts, suggested);
    let mut rules = Vec::new();
    if moved.is_none() && !wanted.starts.holds(now) {
        return Err("what is asked for is not done".to_owned());
    }
    let to = moved.as_ref().map_or(now, |(to, _)| *to);
    let (after, _) = case.stack(to / SECTOR);
    let left = self::complaints(&after);
    if !left.is_empty() {
        if wanted.given_up.is_empty() {
            return Err(format!("`check` complains after `fix`: {}", left[0].why));
        }
        rules.push("given up");
    }
    match (&moved, suggested) {
        (None, None) => rules.push("nothing to move"),
        (None, Some(_)) => return Err("`check` names a start, and `fix` stays".to_owned()),
        // The partition is where it should be, and the volume in it begins off the grid: `check` names the volume.
        (Some(_), None) if own.is_empty() && !complaints.is_empty() => {
            rules.push("fix: moves the partition for what is in it");
        }
        (Some(_), None) if wanted.given_up.is_empty() => {
            return Err("`fix` moves, and `check` names no start".to_owned());
        }
        (Some(_), None) => rules.push("given up"),
        (Some((to, _)), Some(good)) if *to == good => rules.push("fix: the same start"),
        (Some((_, said)), Some(good)) => {
            let words = format!("`check` names sector {}", good / SECTOR);
            if !said.iter().any(|what| what.contains(&words)) {
                return Err(format!(
                    "`fix` goes to {to} and not to {good}, and does not say so"
                ));
            }
            rules.push("fix: least move, or room, as it says");
        }
    }
    // An empty disk has no data to make up for, and its first mebibyte stays free.
    if let (Some(good), Some(0) | None, true) = (suggested, case.ahead, now <= MIB) {
        let (start, habit_lost) = planned(case);
        let whole = solve(case.claims());
        let both = whole.starts;
        let is_lost = |claim: &GridClaim| whole.given_up.iter().any(|lost| lost.claim == *claim);
        rules.push(match good {
            _ if good == start => "plan: the same start",
            // An empty disk has nothing that says which lengths are merely convenient.
            _ if !both.holds(good) && wanted.kept.iter().any(is_lost) => {
                "plan: a length that `check` only notes comes first"
            }
            _ if !both.holds(good) || !both.holds(start) => {
                return Err(format!(
                    "`check` names {good}, `plan` {start}: not on {both:?}"
                ));
            }
            _ if good < MIB && start >= MIB => "plan: the first mebibyte stays free",
            _ if habit_lost => "plan: whole mebibytes cannot be had",
            _ => return Err(format!("`check` names {good}, `plan` {start}")),
        });
    }
    Ok(rules)
}

#[test]
fn the_three_verbs_name_one_start() {
    let mut seen: BTreeMap<_, u64> = BTreeMap::new();
    let mut faults = Vec::new();
    for seed in 0..CASES {
        let case = Case::draw(&mut Random(seed));
        match compared(&case) {
            Ok(rules) => rules
                .into_iter()
                .for_each(|rule| *seen.entry(rule).or_default() += 1),
            Err(fault) => faults.push(format!("seed {seed}: {fault}")),
        }
    }
    println!("{seen:#?}");
    assert!(
        faults.is_empty(),
        "{} of {CASES}:\n{}",
        faults.len(),
        faults.join("\n")
    );
    for rule in [
        "fix: the same start",
        "plan: the same start",
        "nothing to move",
    ] {
        assert!(
            seen.get(rule).is_some_and(|count| *count * 50 > CASES),
            "{rule}: {seen:?}"
        );
    }
}
