//! What one address space holds: a volume, a partition table, or a file system.

use ioalign_core::layer::detail::{Detail as LayerDetail, FileSystemFormat, PartitionDetail};
use ioalign_core::{Bytes, Layer, LayerId, Map, Remark, Role, SectorSize, Severity, TableKind};
use ioalign_core::{layer::Kind, rules};

use super::{Assembly, PendingSpace, SetMember};
use crate::error::Result;
use crate::filesystems::{self, FileSystem};
use crate::moving;
use crate::owners::{self, Owner};
use crate::tables::{self, Context, Partition, PartitionTable};
use crate::view::View;
use crate::volumes::{self, Detail, VolumeMember};

impl Assembly<'_> {
    /// Adds the layers that `node` holds, and what they hold to the worklist.
    pub(super) fn look_into(&mut self, node: PendingSpace) {
        if self.is_moving(node.layer, &node.view) {
            return;
        }
        match volumes::probe(&node.view) {
            Err(error) => return self.damaged(node.layer, "Volume superblock", error),
            Ok(Some(member)) if !self.superseded(&node, &member) => {
                return self.add_member(node, member);
            }
            Ok(_) => {}
        }
        let context = Context {
            sector: None,
            start_on_disk: node.start_on_disk,
            parent_type: node.parent_type.clone(),
        };
        match self.table_of(node.layer, &node.view, &context) {
            Err(error) => return self.damaged(node.layer, "Partition table", error),
            Ok(Some(table)) => {
                self.add_table(&node, &table);
                if !table.partitions.is_empty() {
                    self.two_owners(&node, &table);
                    return;
                }
                // A boot sector with an empty table may belong to a file system.
            }
            Ok(None) => {}
        }
        match filesystems::probe(&node.view) {
            Err(error) => self.damaged(node.layer, "File system", error),
            Ok(Some(found)) => self.add_filesystem(&node, found),
            Ok(None) => {
                // One that only texts describe has no bytes.
                self.stack.layer_mut(node.layer).searched = !node.view.is_empty();
                self.esp_without_fat(node.layer, "nothing that is recognised");
            }
        }
    }

    /// Whether `ioalign fix` is at work on it, which is then said.
    pub(super) fn is_moving(&mut self, layer: LayerId, view: &View) -> bool {
        // What cannot be read is said by the readers that follow.
        let Ok(Some(found)) = moving::probe(view) else {
            return false;
        };
        let target = view.source().path().to_owned();
        found.mark(self.stack.layer_mut(layer), &target);
        true
    }

    /// An md superblock at the end of a disk with a table of its own is left from an older life,
    /// unless it is a mirror, whose members all look like the array.
    fn superseded(&self, node: &PendingSpace, member: &VolumeMember) -> bool {
        let Detail::Md(md) = &member.detail else {
            return false;
        };
        let at_end = matches!(md.version, "0.90" | "1.0");
        let whole_disk = self.stack.layer(node.layer).kind == Kind::Disk;
        at_end
            && whole_disk
            && md.level != 1
            && matches!(tables::probe(&node.view, &Context::default()), Ok(Some(_)))
    }

    /// The table of an address space, read for the sector size that the operator names. A DOS table
    /// does not say what its sectors are: then they are those of the device.
    pub(super) fn table_of(
        &self,
        layer: LayerId,
        view: &View,
        context: &Context,
    ) -> Result<Option<PartitionTable>> {
        let read = |sector| {
            tables::probe(
                view,
                &Context {
                    sector,
                    ..context.clone()
                },
            )
        };
        let named = self.options.sector;
        let table = read(named)?;
        let logical = self.stack.layer(layer).logical_sector.map(Bytes::get);
        let logical = logical.and_then(|bytes| SectorSize::new(u32::try_from(bytes).ok()?));
        let kind = table.as_ref().map(|table| table.kind);
        if named.is_none() && logical.is_some() && kind == Some(TableKind::Dos) {
            return read(logical);
        }
        Ok(table)
    }

    pub(super) fn add_member(&mut self, node: PendingSpace, member: VolumeMember) {
        let holder = self.stack.layer_mut(node.layer);
        if holder.role == Role::Swap {
            holder.role = Role::Data;
        }
        match &member.detail {
            Detail::Md(_) | Detail::Lvm(_) => {
                let mut member = member;
                if matches!(member.detail, Detail::Md(_)) {
                    self.too_short(node.layer, &mut member);
                }
                let PendingSpace {
                    layer, view, depth, ..
                } = node;
                self.parts.push(SetMember {
                    layer,
                    view,
                    depth,
                    member,
                });
            }
            Detail::Crypt { sector } => self.add_crypt(&node, &member, *sector),
            Detail::Shifted => self.add_shifted(&node, &member),
            Detail::Opaque(_) if member.kind == "bluestore" => {
                let facts = [("uuid", member.set.clone())];
                self.add_bluestore(node.layer, &facts);
            }
            Detail::Opaque(why) => {
                let layer = member_layer(kind_of(member.kind), &node, &member);
                self.stack
                    .push(layer.on(node.layer, Map::Opaque(why.clone())));
            }
        }
    }

    /// What an array says of the length of one member is said of that.
    fn too_short(&mut self, holder: LayerId, member: &mut VolumeMember) {
        let all = std::mem::take(&mut member.remarks);
        let of_holder = |one: &Remark| one.rule == rules::MD_DATA_PAST_END;
        let (its, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(of_holder);
        member.remarks = rest;
        self.stack.layer_mut(holder).remarks.extend(its);
    }

    fn add_crypt(&mut self, node: &PendingSpace, member: &VolumeMember, sector: Bytes) {
        let start = member.data_start;
        let mut layer =
            member_layer(Kind::Crypt, node, member).on(node.layer, Map::Shift { start });
        layer.logical_sector = Some(sector);
        layer.size_unit = Some(sector);
        // The judge says the same of `size_unit`, with what to do about it.
        layer
            .remarks
            .retain(|remark| remark.rule != rules::LUKS_SIZE_NOT_MULTIPLE);
        // The file of an image may end within a sector; a disk does not.
        let size = member.data_size.or_else(|| room(node, start));
        layer.size = size.map(|size| Bytes::new(size.get() / 512 * 512));
        self.stack.push(layer);
    }

    fn add_shifted(&mut self, node: &PendingSpace, member: &VolumeMember) {
        let start = member.data_start;
        let mut layer =
            member_layer(kind_of(member.kind), node, member).on(node.layer, Map::Shift { start });
        let len = member.data_size.map_or(u64::MAX, Bytes::get);
        let view = node.view.sub(start.get(), len);
        layer.size = match node.view.is_empty() {
            true => member.data_size,
            false => Some(Bytes::new(view.len())),
        };
        let layer = self.stack.push(layer);
        self.look_into_volume(layer, view, node.depth + 1);
    }

    /// Puts a volume's address space on the worklist.
    pub(super) fn look_into_volume(&mut self, layer: LayerId, view: View, depth: u32) {
        let start_on_disk = Bytes::ZERO;
        self.pending.push(PendingSpace {
            layer,
            view,
            depth,
            parent_type: None,
            start_on_disk,
        });
    }

    fn add_table(&mut self, node: &PendingSpace, table: &PartitionTable) {
        let holder = self.stack.layer_mut(node.layer);
        holder.table = Some(table.kind);
        holder.table_is_empty = table.partitions.is_empty();
        if holder.kind == Kind::Disk {
            holder.wants_sector = table.sector.map(|sector| sector.bytes());
            holder.also_serves = table.also.iter().map(|sector| sector.bytes()).collect();
        }
        holder.remarks.extend(table.remarks.iter().cloned());
        for partition in &table.partitions {
            self.add_partition(node, table, partition);
        }
    }

    /// A table and a file system that claim the same bytes: one of them is an accident. Labels of other kinds lie
    /// in the file system of their first slice.
    fn two_owners(&mut self, node: &PendingSpace, table: &PartitionTable) {
        let holder = self.stack.layer_mut(node.layer);
        let of_disk = matches!(table.kind, TableKind::Dos | TableKind::Gpt);
        if holder.kind == Kind::Partition || !of_disk {
            return;
        }
        let end = |one: &Partition| one.start.get().saturating_add(one.size.get());
        let parts = table.partitions.iter();
        let parts: Vec<_> = parts.map(|one| one.start.get()..end(one)).collect();
        let owners = owners::accidental(&node.view, &parts);
        let remarks = owners.iter().map(|one| under_a_table(one, table.kind));
        holder.remarks.extend(remarks);
    }

    fn add_partition(
        &mut self,
        node: &PendingSpace,
        table: &PartitionTable,
        partition: &Partition,
    ) {
        let holder = self.stack.layer(node.layer);
        let name = if holder.kind == Kind::Partition {
            format!("{}.{}", holder.name, partition.number)
        } else {
            format!("p{}", partition.number)
        };
        let start = partition.start;
        let mut layer = Layer::new(Kind::Partition, name)
            .on(node.layer, Map::Shift { start })
            .sized(partition.size)
            .detailed(LayerDetail::Partition(PartitionDetail {
                type_id: Some(partition.type_id.clone()),
                logical: partition.inside.is_some(),
            }));
        layer.role = partition.role;
        layer.start_sectors = table.sector.and_then(|sector| {
            ioalign_core::Sectors::new(start.get() / u64::from(sector.get()), sector)
        });
        layer.remarks.clone_from(&partition.remarks);
        for (key, value) in [
            ("type-name", partition.type_name),
            ("label", &partition.label),
        ] {
            if !value.is_empty() {
                layer.facts.insert(key, value.to_owned());
            }
        }
        let holds_something = !matches!(
            partition.role,
            Role::Extended | Role::WholeDisk | Role::Protective | Role::Msr | Role::Reserved
        );
        let layer = self.stack.push(layer);
        if holds_something {
            self.pending.push(PendingSpace {
                layer,
                view: node.view.sub(start.get(), partition.size.get()),
                depth: node.depth + 1,
                parent_type: Some(partition.type_id.clone()),
                start_on_disk: node.start_on_disk.checked_add(start).unwrap_or_default(),
            });
        }
    }

    /// Firmware reads FAT and nothing else.
    fn esp_without_fat(&mut self, layer: LayerId, holds: &str) {
        let layer = self.stack.layer_mut(layer);
        if layer.role == Role::Esp {
            let why = format!(
                "EFI system partition {} holds {holds} and no FAT: UEFI firmware cannot start from it",
                layer.name
            );
            let remark = Remark::note(rules::ESP_NOT_FAT, why);
            layer
                .remarks
                .push(remark.advise("mkfs.fat -F 32, then install the boot loader in it"));
        }
    }

    pub(super) fn add_filesystem(&mut self, node: &PendingSpace, found: FileSystem) {
        if FileSystemFormat::named(found.kind) != FileSystemFormat::Fat {
            self.esp_without_fat(node.layer, found.kind);
        }
        let swap = found.kind == "swap";
        let holder = self.stack.layer_mut(node.layer);
        match (swap, holder.role) {
            (true, Role::Data) => holder.role = Role::Swap,
            (false, Role::Swap) => holder.role = Role::Data,
            _ => {}
        }
        let kind = if swap { Kind::Swap } else { Kind::Filesystem };
        let mut layer = Layer::new(kind, found.kind).on(
            node.layer,
            Map::Shift {
                start: found.data_start,
            },
        );
        layer.role = if swap {
            Role::Swap
        } else {
            self.stack.layer(node.layer).role
        };
        layer.size = found.size.or_else(|| room(node, found.data_start));
        layer.block = found.block;
        layer.cluster = found.cluster;
        layer.wants_sector = found.sector.filter(|_| !swap);
        layer.geometry = found.geometry;
        layer.remarks = found.remarks.clone();
        layer
            .remarks
            .extend(hidden_sectors(node, self.stack.layer(node.layer), &found));
        layer.facts = found.facts;
        if let Some(filesystem) = layer.detail.filesystem_mut() {
            filesystem.ashift = found.ashift;
            filesystem.reflink = found.reflink;
        }
        for (key, value) in [("label", found.label), ("uuid", found.uuid)] {
            if !value.is_empty() {
                layer.facts.insert(key, value);
            }
        }
        let layer = self.stack.push(layer);
        self.add_named_database(layer, swap);
    }

    /// The operator's `--database` on a file system.
    pub(super) fn add_named_database(&mut self, filesystem: LayerId, swap: bool) {
        if let Some(database) = self.database.clone().filter(|_| !swap) {
            self.put_database(&database, filesystem);
        }
    }
}

fn under_a_table(owner: &Owner, table: TableKind) -> Remark {
    let why = format!(
        "{} lies over all of it, and so does the {} partition table: what one writes destroys what the other holds",
        owner.what,
        table.name()
    );
    Remark::new(rules::FILESYSTEM_UNDER_TABLE, Severity::DataRisk, why).advise(
        "find out which of the two is in use (mount both read-only), save its data, and take the other away",
    )
}

/// The length of a node from `start` on; unknown for one that only texts describe.
fn room(node: &PendingSpace, start: Bytes) -> Option<Bytes> {
    let len = Bytes::new(node.view.len());
    if node.view.is_empty() {
        return None;
    }
    len.checked_sub(start)
}

fn kind_of(member: &str) -> Kind {
    match member {
        "bcache" => Kind::Bcache,
        "bitlocker" | "luks1" | "luks2" => Kind::Crypt,
        "imsm" | "ddf" => Kind::Md,
        _ => Kind::Volume,
    }
}

fn member_layer(kind: Kind, node: &PendingSpace, member: &VolumeMember) -> Layer {
    let mut layer = Layer::new(kind, member.kind);
    layer.size = room(node, member.data_start);
    layer.facts.clone_from(&member.facts);
    layer.remarks.clone_from(&member.remarks);
    if !member.set.is_empty() {
        layer.facts.insert("uuid", member.set.clone());
    }
    layer
}

/// NTFS, FAT and exFAT carry their own start; boot code trusts it.
fn hidden_sectors(node: &PendingSpace, holder: &Layer, found: &FileSystem) -> Option<Remark> {
    let (hidden, sector) = (found.hidden_sectors?, found.sector?);
    let believed = sector.checked_mul(hidden)?;
    let partition = holder.detail.partition();
    let counts = partition.is_some_and(|partition| !partition.logical);
    let trivial = hidden == 0 || !counts;
    if trivial || believed == node.start_on_disk {
        return None;
    }
    let why = format!(
        "{} believes that it starts at sector {hidden} (hidden sectors), the table says byte {}: \
         harmless for data, fatal for booting from it",
        found.kind,
        node.start_on_disk.get()
    );
    Some(Remark::new(
        rules::HIDDEN_SECTORS_MISMATCH,
        Severity::Note,
        why,
    ))
}
