//! The contents of the picture, in bytes: the request, the window, one row for each layer.

use ioalign_core::{Bytes, Grid, LayerId, Tier};

use super::pick;
use crate::model::Target;

/// More rows than this do not help a newcomer.
const MOST_ROWS: usize = 7;

/// Everything that the drawing needs to know.
pub struct Scene<'a> {
    pub target: &'a Target,
    /// Length of the request in bytes.
    pub io: u64,
    /// Bytes shown before its start and after it.
    pub left: u64,
    pub right: u64,
    /// Top first.
    pub rows: Vec<SceneRow<'a>>,
    /// Whether its place below the last row is not known.
    pub cut_off: bool,
}

/// One layer.
pub struct SceneRow<'a> {
    pub layer: LayerId,
    /// The start of the request in this layer's address space.
    pub at: u64,
    /// How much of it lies here in one piece.
    pub part: u64,
    /// The cells drawn on its ruler.
    pub cells: Option<Cells<'a>>,
    /// A finer grid, drawn as small ticks.
    pub finer: Option<(u64, u64)>,
    /// Whether this is the row that the picture is about.
    pub focus: bool,
}

/// Equally spaced cells of one ruler.
#[derive(Copy, Clone)]
pub struct Cells<'a> {
    pub size: u64,
    pub phase: u64,
    /// The grid; `None` for the layer's own blocks, off which it cannot be.
    pub grid: Option<&'a Grid>,
}

impl Cells<'_> {
    /// How far `at` lies past a boundary.
    pub fn offset(&self, at: u64) -> u64 {
        ioalign_core::grid::residue(at, self.phase, self.size)
    }

    /// Cells that `len` bytes at `at` touch.
    pub fn touched(&self, at: u64, len: u64) -> u64 {
        self.offset(at).saturating_add(len).div_ceil(self.size)
    }
}

impl SceneRow<'_> {
    /// Cells touched, and the fewest that would do.
    pub fn count(&self) -> Option<(u64, u64)> {
        let cells = self.cells.filter(|cells| cells.grid.is_some())?;
        Some((
            cells.touched(self.at, self.part),
            self.part.div_ceil(cells.size),
        ))
    }

    /// Whether the request breaks here.
    pub fn breaks(&self) -> bool {
        self.count().is_some_and(|(touched, least)| touched > least)
    }

    /// Whether the cells are rewritten as a whole.
    pub fn rmw(&self) -> bool {
        let grid = self.cells.and_then(|cells| cells.grid);
        grid.is_some_and(|grid| grid.tier == Tier::Rmw)
    }
}

impl<'a> Scene<'a> {
    /// The scene of a target; `None` without a layer or a grid to draw.
    pub fn of(target: &'a Target) -> Option<Self> {
        let (path, focus) = subject(target)?;
        let grid = target.stack.grids.get(focus)?;
        let row = path.iter().position(|id| *id == grid.layer)?;
        let block = path.iter().find_map(|id| target.stack.layer(*id).block);
        let block = block.map_or(0, Bytes::get).min(grid.size.get());
        let start = example(target, &path, row, grid, block);
        let places = pick::follow(&target.stack, &path, start);
        let (at, _) = *places.get(row)?;
        let offset = grid.offset_of(Bytes::new(at)).get();
        let io = pick::telling_size(block, grid.size.get(), offset);
        let (left, right) = window(offset, io, grid.size.get());
        let mut scene = Self {
            target,
            io,
            left,
            right,
            rows: Vec::new(),
            cut_off: places.len() < path.len(),
        };
        for (layer, (at, room)) in path.iter().zip(&places) {
            scene.rows.push(scene.row(*layer, *at, *room, grid));
        }
        scene.thin_out();
        Some(scene)
    }

    /// Bytes on a ruler.
    pub const fn span(&self) -> u64 {
        self.left.saturating_add(self.right)
    }

    fn row(&self, layer: LayerId, at: u64, room: u64, focus: &'a Grid) -> SceneRow<'a> {
        let stack = &self.target.stack;
        let of_layer = |grid: &&Grid| grid.layer == layer && grid.trusted();
        let mut grids: Vec<&Grid> = stack.grids.iter().filter(of_layer).collect();
        let here = focus.layer == layer;
        // Largest cells that are no wider than a few rulers, read-modify-write ones first.
        grids.sort_by_key(|grid| {
            let huge = grid.size.get() > self.span().saturating_mul(2);
            (
                !std::ptr::eq(*grid, focus),
                huge,
                grid.tier != Tier::Rmw,
                u64::MAX - grid.size.get(),
            )
        });
        let main = grids.first().copied();
        let own = stack.layer(layer).block.filter(|block| !block.is_zero());
        let cells = main
            .map(|grid| Cells {
                size: grid.size.get(),
                phase: grid.phase.get(),
                grid: Some(grid),
            })
            .or_else(|| {
                own.map(|block| Cells {
                    size: block.get(),
                    phase: 0,
                    grid: None,
                })
            });
        let finer = grids
            .iter()
            .filter(|grid| main.is_some_and(|main| grid.size < main.size));
        SceneRow {
            layer,
            at,
            part: self.io.min(room),
            cells,
            finer: finer.map(|grid| (grid.size.get(), grid.phase.get())).max(),
            focus: here,
        }
    }

    /// Drops rows in the middle that add nothing, while there are too many.
    fn thin_out(&mut self) {
        while self.rows.len() > MOST_ROWS {
            let last = self.rows.len() - 1;
            let dull = |row: &SceneRow<'_>| !row.focus && !row.breaks();
            let inner = self.rows.iter().enumerate().skip(1).take(last - 1);
            let Some((index, _)) = inner
                .filter(|(_, row)| dull(row))
                .min_by_key(|(_, row)| row.cells.is_some())
            else {
                return;
            };
            self.rows.remove(index);
        }
    }
}

/// The layers and the grid that the picture is about.
fn subject(target: &Target) -> Option<(Vec<LayerId>, usize)> {
    if let Some(finding) = pick::defect(target)
        && let Some((layer, grid)) = finding.layer.zip(finding.grid)
        && let Some(home) = target.stack.grids.get(grid).map(|grid| grid.layer)
    {
        let top = pick::top_above(target, layer, Some(grid));
        let via: Vec<_> = [Some(layer), finding.guilty, Some(home)]
            .into_iter()
            .flatten()
            .collect();
        let path = pick::path(&target.stack, top, &via);
        return Some((path, grid));
    }
    let tops = crate::view::tops(&target.stack);
    let carries = |id: &&LayerId| target.stack.layer(**id).role.carries_data();
    let top = tops.iter().find(carries).or_else(|| tops.first())?;
    let path = pick::path(&target.stack, *top, &[]);
    let grid = pick::sound_focus(target, &path)?;
    Some((path, grid))
}

/// An address of the top layer at which the request breaks; 0 when it does so there or nowhere.
fn example(target: &Target, path: &[LayerId], row: usize, grid: &Grid, block: u64) -> u64 {
    let step = block.max(4096);
    let steps = [step, 64 << 10, 1 << 20, 2 << 20, 4 << 20];
    let tries = steps
        .iter()
        .flat_map(|step| (0..64_u64).map(move |k| k.saturating_mul(*step)));
    let size = target
        .stack
        .layer(path.first().copied().unwrap_or(LayerId(0)))
        .size;
    let within = |at: &u64| size.is_none_or(|size| *at < size.get());
    let off = |at: &u64| {
        let places = pick::follow(&target.stack, path, *at);
        places
            .get(row)
            .is_some_and(|(at, _)| !grid.offset_of(Bytes::new(*at)).is_zero())
    };
    let mapped = |at: &u64| pick::follow(&target.stack, path, *at).len() > row;
    let mut tries = tries.filter(within);
    let all: Vec<_> = tries.by_ref().collect();
    let found = all.iter().find(|at| off(at));
    found
        .or_else(|| all.iter().find(|at| mapped(at)))
        .copied()
        .unwrap_or(0)
}

/// Bytes before and after the start of the request: all touched cells whole, with some air.
fn window(offset: u64, io: u64, cell: u64) -> (u64, u64) {
    let air = (cell / 3).max(io / 6).max(1);
    let end = offset
        .saturating_add(io)
        .div_ceil(cell)
        .saturating_mul(cell);
    let left = offset.saturating_add(air);
    let right = end.saturating_sub(offset).saturating_add(air);
    (left, right)
}
