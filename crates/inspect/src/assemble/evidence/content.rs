//! What lies in a placed device: grids, members of sets, file systems.

use std::sync::Arc;

use ioalign_core::layer::Kind;
use ioalign_core::{LayerId, grid};

use super::Placing;
use crate::assemble::{PendingSpace, SetMember};
use crate::captures::Said;
use crate::host::hints::{self, Claims};
use crate::source::MemorySource;
use crate::view::View;
use crate::volumes::{Detail, VolumeMember};

impl Placing<'_> {
    pub(super) fn add_grids(&mut self, id: LayerId, device: &Said) {
        let declared = !self.assembly.options.grids.is_empty();
        // For an image file tools print 512 / 512, which is not the topology of a device.
        let image = self.assembly.stack.layer(id).kind == Kind::Image;
        let size = device.size.map(|size| size.low);
        let claims = device.claims.clone().filter(|_| !image);
        match claims.map(|claims| Claims { size, ..claims }).as_ref() {
            Some(claims) => {
                if tells_no_unit(claims) && !declared {
                    self.assembly.stack.grids.extend(grid::assumed(id));
                }
                let judged = hints::judge(claims, id);
                let kept = judged.grids.into_iter();
                self.assembly.stack.grids.extend(
                    kept.filter(|g| !declared || g.origin != ioalign_core::Origin::Assumed),
                );
                let layer = self.assembly.stack.layer_mut(id);
                layer.remarks.extend(judged.remarks);
                layer.write_unit = Some(Box::new(claims.write_unit()));
                if declared {
                    self.assembly.add_declared_grids(id);
                }
            }
            None => self.assembly.add_disk_grids(id),
        }
    }

    pub(super) fn add_content(&mut self, id: LayerId, device: Said) {
        if let Some(array) = &device.array {
            self.add_array_grids(id, array);
            self.forget_members(id);
        }
        if let Some(member) = device.member.filter(|member| !self.is_open(id, member)) {
            self.add_member(id, member);
        } else if let Some(found) = device.filesystem {
            let node = self.node(id);
            self.assembly.add_filesystem(&node, found);
        }
    }

    /// The superblocks of an array's members have served; they are not joined a second time.
    fn forget_members(&mut self, id: LayerId) {
        let layer = self.assembly.stack.layer(id);
        let below: Vec<_> = layer.below.iter().map(|edge| edge.below).collect();
        self.assembly
            .parts
            .retain(|part| !below.contains(&part.layer));
    }

    /// Whether a table places the volume that this superblock describes.
    fn is_open(&self, id: LayerId, member: &VolumeMember) -> bool {
        let name = &self.assembly.stack.layer(id).name;
        matches!(member.detail, Detail::Crypt { .. }) && self.mapped.opens(name)
    }

    fn add_member(&mut self, id: LayerId, member: VolumeMember) {
        let PendingSpace {
            layer, view, depth, ..
        } = self.node(id);
        match member.detail {
            Detail::Md(_) | Detail::Lvm(_) => {
                self.assembly.parts.push(SetMember {
                    layer,
                    view,
                    depth,
                    member,
                });
            }
            _ => {
                let node = self.node(id);
                let before = self.assembly.stack.len();
                self.assembly.add_member(node, member);
                let made = self
                    .assembly
                    .stack
                    .layers()
                    .skip(before)
                    .map(|(id, _)| id)
                    .next();
                let holder = self.assembly.stack.layer(id).name.clone();
                if let Some(made) = made {
                    // `cryptsetup status` and mounts speak of luks-… on it; the holder's name serves.
                    self.placed
                        .entry(format!("{holder}#content"))
                        .or_insert(made);
                }
            }
        }
    }

    /// A node without bytes.
    fn node(&self, layer: LayerId) -> PendingSpace {
        let start = self
            .assembly
            .stack
            .layer(layer)
            .below
            .first()
            .and_then(|e| e.map.start());
        PendingSpace {
            layer,
            view: View::new(Arc::new(MemorySource::new(Vec::new()))),
            depth: 1,
            parent_type: None,
            start_on_disk: start.unwrap_or_default(),
        }
    }
}

/// Whether only the sector is stated (`blockdev --report`): equal to no topology, unless the sector
/// is as large as any unit that is assumed. A model may say more than the numbers.
fn tells_no_unit(claims: &Claims) -> bool {
    let sizes = [claims.physical, claims.minimum, claims.optimal];
    sizes.iter().all(Option::is_none)
        && claims.nvme.is_none()
        && claims.model.is_empty()
        && claims.logical.is_none_or(|logical| logical < 4096)
}
