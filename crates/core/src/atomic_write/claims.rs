//! What vendors of virtual disks promise. The kernel confirms none of it, so none of it is a guarantee here.

use crate::layer::Kind;
use crate::stack::Stack;
use crate::units::Bytes;

/// A word in the model of a disk, the sizes in KiB that its vendor names, and the promise with what it asks for.
const CLAIMS: &[(&str, &[u64], &str)] = &[
    (
        "Amazon Elastic Block Store",
        &[4, 8, 16],
        "AWS promises whole writes of 4, 8 and 16 KiB on Nitro instances (EC2 guide, twp-reqs): ext4 with bigalloc and \
         clusters of the page, O_DIRECT, every start below on 16 KiB, and no layer that splits or merges. Check: nvme \
         id-ns -v, vendor bytes 256:257 (NTWPU)",
    ),
    (
        "Amazon EC2 NVMe Instance Storage",
        &[4, 8, 16],
        "AWS promises whole writes of 4, 8 and 16 KiB on the instance stores of some Nitro instances (EC2 guide, twp-reqs), \
         under the conditions of its torn write prevention. Check: nvme id-ns -v, vendor bytes 256:257 (NTWPU)",
    ),
    (
        "MSFT NVMe Accelerator",
        &[8, 16],
        "Azure promises whole writes of 8 and 16 KiB to managed disks on NVMe, at multiples of themselves, with Linux 6.13 or \
         later (disks-torn-write-prevention). Check: atomic_write_unit_max_bytes of the disk",
    ),
    (
        "nvme_card-pd",
        &[16],
        "Google promises protection against torn writes on Hyperdisk (optimize-hyperdisk); a persistent disk needs a physical \
         block of 16 KiB (16kb-mysql-best-practices). Check: gcloud compute disks describe, and physical_block_size of the disk",
    ),
    (
        "PersistentDisk",
        &[16],
        "Google promises protection against torn writes on Hyperdisk (optimize-hyperdisk); a persistent disk needs a physical \
         block of 16 KiB (16kb-mysql-best-practices). Check: gcloud compute disks describe, and physical_block_size of the disk",
    ),
];

/// The promises for pages of this size on the disks of the stack, each once.
pub(super) fn claims(stack: &Stack, page: Bytes) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    let disks = stack.layers().filter(|(_, layer)| layer.kind == Kind::Disk);
    for (_, layer) in disks {
        let model = layer.detail.disk().and_then(|disk| disk.model.as_deref());
        let Some(model) = model else {
            continue;
        };
        let found = CLAIMS
            .iter()
            .find(|(word, sizes, _)| model.contains(word) && sizes.contains(&(page.get() / 1024)));
        if let Some((_, _, text)) = found
            && !said.iter().any(|old| old == text)
        {
            said.push((*text).to_owned());
        }
    }
    said
}
