//! Builds targets by hand: composes starts and counts costs without the judge, so that these tests
//! hold the renderers to account and nothing else.

use ioalign_core::cost::CostRow;
use ioalign_core::judge::Missed;
use ioalign_core::phase::Phase;
use ioalign_core::units::ratio;
use ioalign_core::{
    Bytes, Finding, Grid, LayerId, Map, Origin, PhaseSet, SectorSize, Sectors, Severity, Stack,
    Suggestion,
};
use ioalign_report::{LayerPhases, SourceKind, Target};

pub const KIB: u64 = 1 << 10;
pub const MIB: u64 = 1 << 20;
pub const GIB: u64 = 1 << 30;

pub fn shift(start: u64) -> Map {
    Map::Shift {
        start: Bytes::new(start),
    }
}

pub fn sectors(count: u64) -> Option<Sectors> {
    Sectors::new(count, SectorSize::S512)
}

/// A target with every phase that follows from whole starts.
pub fn target(name: &str, source: SourceKind, stack: Stack) -> Target {
    let mut target = Target {
        name: name.to_owned(),
        source,
        stack,
        ..Target::default()
    };
    let ids: Vec<_> = target.stack.layers().map(|(id, _)| id).collect();
    for layer in ids {
        for grid in 0..target.stack.grids.len() {
            if let Some(start) = start_in(&target.stack, layer, target.stack.grids[grid].layer) {
                let offset = target.stack.grids[grid].offset_of(Bytes::new(start)).get();
                let phases = PhaseSet {
                    phases: vec![Phase {
                        offset,
                        weight: 1.0,
                    }],
                };
                target.phases.push(LayerPhases {
                    layer,
                    grid,
                    phases,
                });
            }
        }
    }
    target.missed = ioalign_core::judge::missed(&target.stack);
    target
}

/// Where address 0 of `layer` lies in `home`, a layer strictly below.
fn start_in(stack: &Stack, layer: LayerId, home: LayerId) -> Option<u64> {
    stack.layer(layer).below.iter().find_map(|edge| {
        let start = edge.map.start()?.get();
        if edge.below == home {
            return Some(start);
        }
        let rest = start_in(stack, edge.below, home)?;
        Some(start + rest)
    })
}

/// Replaces the phases of one layer on one grid by equal shares, off it in part.
pub fn spread(target: &mut Target, layer: LayerId, grid: usize, offsets: &[u64]) {
    let share = ratio(1, offsets.len() as u64);
    let phases = offsets
        .iter()
        .map(|offset| Phase {
            offset: *offset,
            weight: share,
        })
        .collect();
    let one = target
        .phases
        .iter_mut()
        .find(|one| one.layer == layer && one.grid == grid)
        .unwrap();
    one.phases = PhaseSet { phases };
    let missed = Missed {
        layer,
        grid,
        phases: one.phases.clone(),
        guilty: layer,
        severity: Severity::Misaligned,
    };
    match target
        .missed
        .iter_mut()
        .find(|one| (one.layer, one.grid) == (layer, grid))
    {
        Some(known) => known.phases = missed.phases,
        None => target.missed.push(missed),
    }
    target.missed.sort_by_key(|one| (one.layer, one.grid));
}

/// Exact costs of back-to-back I/O that starts `offset` past a boundary of cells of `cell` bytes.
pub fn costs(offset: u64, cell: u64) -> Vec<CostRow> {
    [512, 4 * KIB, 8 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB]
        .into_iter()
        .map(|io| cost(io, offset, cell))
        .collect()
}

fn cost(io: u64, offset: u64, cell: u64) -> CostRow {
    let count = cell / ioalign_core::units::gcd(io, cell);
    let (mut straddle, mut extra, mut touched, mut partial) = (0, 0, 0, 0);
    for k in 0..count {
        let (from, to) = (offset + k * io, offset + (k + 1) * io);
        let (first, last) = (from / cell, (to - 1) / cell);
        touched += last - first + 1;
        straddle += u64::from(io <= cell && first != last);
        extra += u64::from(last - first + 1 > io.div_ceil(cell));
        let whole = (to / cell).saturating_sub(from.div_ceil(cell));
        partial += last - first + 1 - whole;
    }
    CostRow {
        io: Bytes::new(io),
        straddle_ratio: ratio(straddle, count),
        extra_cell_ratio: ratio(extra, count),
        cells_ratio: ratio(touched, count * io.div_ceil(cell)),
        rmw_ratio: ratio(partial, count),
    }
}

/// A finding about a layer on a grid, with its arithmetic.
pub fn off(
    target: &Target,
    rule: &'static str,
    severity: Severity,
    (layer, guilty): (LayerId, LayerId),
    grid: usize,
    why: &str,
) -> Finding {
    let phases = target.phases_on(layer, grid).unwrap();
    let offset = phases.dominant_offset().unwrap_or(0);
    let (size, confidence) = (
        target.stack.grids[grid].size,
        target.stack.grids[grid].confidence,
    );
    let mut finding = Finding::new(rule, severity, why).at(layer);
    finding.guilty = Some(guilty);
    finding.grid = Some(grid);
    finding.unit = Some(size);
    finding.offset = Some(Bytes::new(offset));
    finding.cost = costs(offset, size.get());
    finding.confidence = confidence;
    finding
}

pub fn good_start(count: u64) -> Suggestion {
    Suggestion {
        start: sectors(count).map(|s| s.bytes()),
        start_sectors: sectors(count),
        start_before: None,
        size: None,
    }
}

/// A grid with its source.
pub fn grid(
    layer: LayerId,
    size: u64,
    tier: ioalign_core::Tier,
    kind: &str,
    source: &str,
    confidence: ioalign_core::Confidence,
) -> Grid {
    let origin = if source.starts_with("assumed") {
        Origin::Assumed
    } else {
        Origin::Reported
    };
    Grid::new(layer, Bytes::new(size), Bytes::ZERO, tier, kind)
        .unwrap()
        .from(origin, source, confidence)
}
