//! The way down where an I/O becomes several.

use std::sync::Arc;

use ioalign_core::Runs;

use crate::analyse::placed::PlacedGrid;

/// Pieces that one I/O may become before the rest is left out: 4 GiB in 64 KiB chunks are 65,536.
const MOST_PIECES: usize = 1 << 17;

/// A layer on the way, with the grids in its address space.
#[derive(Clone, Debug, Default)]
pub(super) struct RouteNode {
    /// Indexes into the grids of the route.
    pub grids: Vec<usize>,
    pub down: Vec<Down>,
}

/// A map to layers below.
#[derive(Clone, Debug)]
pub(super) enum Down {
    /// All addresses move by as much.
    Shift { start: u64, node: usize },
    /// Piece by piece.
    Linear { runs: Arc<Runs>, node: usize },
    /// Chunks dealt out over members.
    Striped(Stripes),
}

/// The members of a striped layer.
#[derive(Clone, Debug)]
pub(super) struct Stripes {
    pub chunk: u64,
    /// Data chunks a stripe.
    pub data: u64,
    pub members: Vec<RouteMember>,
}

/// A member: where its first chunk lies, and which column of the data it holds.
#[derive(Clone, Debug)]
pub(super) struct RouteMember {
    pub start: u64,
    pub column: Option<u64>,
    pub node: usize,
}

/// The layers that an I/O reaches from one device.
#[derive(Clone, Debug, Default)]
pub struct Route {
    pub(super) nodes: Vec<RouteNode>,
    pub(super) grids: Vec<PlacedGrid>,
    /// The address of the device's first byte in the first node.
    pub(super) start: u64,
}

type Emit<'a> = dyn FnMut(usize, u64, u64) + 'a;

impl Route {
    /// The grids, in the order of their indexes.
    pub fn grids(&self) -> &[PlacedGrid] {
        &self.grids
    }

    /// Calls `emit` with grid, address and length of every piece of `[offset, offset + len)`.
    pub fn walk(&self, offset: u64, len: u64, emit: &mut Emit<'_>) {
        let mut left = MOST_PIECES;
        self.node(0, offset.wrapping_add(self.start), len, &mut left, emit);
    }

    fn node(&self, index: usize, address: u64, len: u64, left: &mut usize, emit: &mut Emit<'_>) {
        let Some(node) = self.nodes.get(index) else {
            return;
        };
        let Some(rest) = left.checked_sub(1) else {
            return;
        };
        *left = rest;
        for grid in &node.grids {
            emit(*grid, address, len);
        }
        for down in &node.down {
            match down {
                Down::Shift { start, node } => {
                    self.node(*node, address.wrapping_add(*start), len, left, emit);
                }
                Down::Linear { runs, node } => {
                    for_pieces(runs, address, len, &mut |to, part| {
                        self.node(*node, to, part, left, emit);
                        *left > 0
                    });
                }
                Down::Striped(stripes) => {
                    stripes.for_chunks(address, len, &mut |node, to, part| {
                        self.node(node, to, part, left, emit);
                        *left > 0
                    });
                }
            }
        }
    }
}

fn for_pieces(runs: &Runs, address: u64, len: u64, piece: &mut dyn FnMut(u64, u64) -> bool) {
    let end = address.saturating_add(len);
    let mut at = address;
    while at < end {
        match runs.resolve(at) {
            Some((to, room)) => {
                let part = room.min(end - at);
                if !piece(to, part) {
                    return;
                }
                at += part;
            }
            None => match runs.next_piece(at) {
                Some(next) if next < end => at = next,
                _ => return,
            },
        }
    }
}

impl Stripes {
    /// Calls `piece` with node, address and length until it says no.
    fn for_chunks(&self, address: u64, len: u64, piece: &mut dyn FnMut(usize, u64, u64) -> bool) {
        let end = address.saturating_add(len);
        let mut at = address;
        // A chunk may be on no member that is known: the chunks are counted, not the pieces.
        for _ in 0..MOST_PIECES {
            if at >= end {
                return;
            }
            let (number, within) = (at / self.chunk, at % self.chunk);
            let part = (self.chunk - within).min(end - at);
            let row = number / self.data * self.chunk + within;
            for member in self.members_of(number) {
                if !piece(member.node, member.start.wrapping_add(row), part) {
                    return;
                }
            }
            at += part;
        }
    }

    /// The members that hold a data chunk: those of its column, or, where parity rotates, the one that
    /// md's usual left-symmetric layout gives.
    fn members_of(&self, number: u64) -> impl Iterator<Item = &RouteMember> {
        let column = number % self.data;
        let rotating = self.rotating(number / self.data, column);
        self.members
            .iter()
            .zip(0_u64..)
            .filter_map(move |(member, index)| {
                let holds = match member.column {
                    Some(own) => own == column,
                    None => index == rotating,
                };
                holds.then_some(member)
            })
    }

    fn rotating(&self, row: u64, column: u64) -> u64 {
        let disks = (self.members.len() as u64).max(1);
        let parity = disks.saturating_sub(self.data);
        // Parity goes down from the last disk, data follow it: left-symmetric.
        let first = disks - 1 - row % disks;
        (first + parity.max(1) + column) % disks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripes(columns: &[Option<u64>], data: u64) -> Stripes {
        let member = |(node, column): (usize, &Option<u64>)| RouteMember {
            start: 1000,
            column: *column,
            node,
        };
        Stripes {
            chunk: 64,
            data,
            members: columns.iter().enumerate().map(member).collect(),
        }
    }

    fn pieces(stripes: &Stripes, address: u64, len: u64) -> Vec<(usize, u64, u64)> {
        let mut all = Vec::new();
        stripes.for_chunks(address, len, &mut |node, to, part| {
            all.push((node, to, part));
            true
        });
        all
    }

    #[test]
    fn chunks_are_dealt_out() {
        let two = stripes(&[Some(0), Some(1)], 2);
        assert_eq!(
            pieces(&two, 60, 72),
            [(0, 1060, 4), (1, 1000, 64), (0, 1064, 4)]
        );
        // Mirrored columns get both copies.
        let ten = stripes(&[Some(0), Some(0), Some(1), Some(1)], 2);
        assert_eq!(pieces(&ten, 64, 8), [(2, 1000, 8), (3, 1000, 8)]);
    }

    #[test]
    fn pieces_are_where_each_byte_goes() {
        // Two extents the wrong way round, on two disks of 64-byte chunks, 7 bytes in.
        let mut runs = Runs::new();
        runs.push(0, 500, 300);
        runs.push(300, 100, 250);
        let route = Route {
            nodes: vec![
                RouteNode {
                    grids: vec![],
                    down: vec![Down::Linear {
                        runs: Arc::new(runs),
                        node: 1,
                    }],
                },
                RouteNode {
                    grids: vec![0],
                    down: vec![Down::Striped(Stripes {
                        chunk: 64,
                        data: 2,
                        members: [2, 3]
                            .map(|node| RouteMember {
                                start: 7,
                                column: Some(node as u64 - 2),
                                node,
                            })
                            .to_vec(),
                    })],
                },
                RouteNode {
                    grids: vec![1],
                    down: vec![],
                },
                RouteNode {
                    grids: vec![2],
                    down: vec![],
                },
            ],
            grids: Vec::new(),
            start: 10,
        };
        for (offset, len) in [(0, 540), (200, 250), (285, 5), (0, 1), (400, 600)] {
            let mut bytes = vec![Vec::new(); 3];
            route.walk(offset, len, &mut |grid, at, len| {
                bytes[grid].extend(at..at + len)
            });
            let mut wanted = vec![Vec::new(); 3];
            for at in (offset + 10..offset + 10 + len).filter(|at| *at < 550) {
                let below = if at < 300 { at + 500 } else { at - 200 };
                wanted[0].push(below);
                let disk = if below / 64 % 2 == 0 { 1 } else { 2 };
                wanted[disk].push(7 + below / 128 * 64 + below % 64);
            }
            assert_eq!(bytes, wanted, "{offset} {len}");
        }
    }

    #[test]
    fn each_row_of_raid_5_leaves_out_one_disk() {
        let five = stripes(&[None; 4], 3);
        for row in 0..8 {
            let mut on: Vec<_> = pieces(&five, row * 192, 192).iter().map(|p| p.0).collect();
            on.sort_unstable();
            on.dedup();
            let parity = usize::try_from(3 - row % 4).unwrap();
            assert_eq!(on.len(), 3);
            assert!(!on.contains(&parity), "row {row}");
        }
    }
}
