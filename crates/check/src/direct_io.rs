//! `check --dio`: what direct I/O to a target demands, and what that means for virtual machines.

use std::path::Path;

use ioalign_core::direct_io::{DirectIoContract, MisalignedDirectIo};
use ioalign_device::direct_io_contract;
use ioalign_report::{SourceKind, Target};

/// Asks the kernel, and adds the answer to the target.
pub fn ask(target: &mut Target, path: &Path) {
    let mut contract = direct_io_contract(path).unwrap_or_else(|error| DirectIoContract {
        because: vec![format!("not known: {error}")],
        ..DirectIoContract::default()
    });
    if target.source == SourceKind::Image {
        contract.therefore = machines(target, &contract);
    }
    target.direct_io = Some(contract);
}

/// What virtual machines whose disk this image is meet here.
fn machines(target: &Target, contract: &DirectIoContract) -> Vec<String> {
    let Some(align) = contract
        .write_offset_align_bytes
        .filter(|bytes| *bytes > 512)
    else {
        return Vec::new();
    };
    let mut said = Vec::new();
    // The table is not found where the guest's sectors are larger than those that it was written for.
    let small = target.stack.layers().any(|(_, layer)| {
        let serves = layer.also_serves.iter().any(|sector| sector.get() == align);
        layer
            .wants_sector
            .is_some_and(|sector| sector.get() < align)
            && !serves
    });
    if small {
        said.push(format!(
            "Cloud Hypervisor with direct=on shows the guest sectors of {align} bytes, in which the partition table of this image has no partitions (issue 8477): use direct=off, or copy it with cp --reflink=never to a place that takes 512."
        ));
    }
    if contract.misaligned == MisalignedDirectIo::Refused {
        said.push(format!(
            "QEMU with cache=none or cache=directsync pads smaller requests of the guest to {align} bytes: each becomes a read and a write."
        ));
    }
    said
}
