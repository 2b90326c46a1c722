//! What the kernel says that direct I/O to a file or device demands.

use std::fs::File;

use ioalign_core::direct_io::{DirectIoContract, MisalignedDirectIo};
use rustix::fs::{AtFlags, StatxFlags, fstatfs, ioctl_blksszget, statx};

/// `BTRFS_SUPER_MAGIC`.
const BTRFS: i128 = 0x9123_683e;
/// `TMPFS_MAGIC`.
const TMPFS: i128 = 0x0102_1994;
/// `XFS_SUPER_MAGIC`.
const XFS: i128 = 0x5846_5342;
/// `STATX_DIO_READ_ALIGN` of `linux/stat.h`.
const READS: StatxFlags = StatxFlags::from_bits_retain(0x0002_0000);

/// The demands on a file or device that is open, as its file system, its sector or the kernel's own answer has them; nothing
/// is tried.
pub(super) fn demands(file: &File, is_block: bool) -> DirectIoContract {
    let system = fstatfs(file).ok().filter(|_| !is_block);
    let magic = system.as_ref().map(|found| i128::from(found.f_type));
    let block = system.and_then(|found| u64::try_from(found.f_bsize).ok());
    let block = block.filter(|bytes| *bytes >= 512);
    let mut contract = stated(file, is_block);
    match magic {
        Some(BTRFS) => {
            contract.misaligned = MisalignedDirectIo::Buffered;
            let whole = |align: &mut Option<u64>| *align = align.or(block);
            whole(&mut contract.memory_align_bytes);
            whole(&mut contract.offset_align_bytes);
            whole(&mut contract.write_offset_align_bytes);
            contract.because.push(
                "btrfs reads and writes parts of its blocks through the page cache (check_direct_IO in fs/btrfs/direct-io.c)".to_owned(),
            );
        }
        Some(TMPFS) => {
            contract.misaligned = MisalignedDirectIo::Buffered;
            contract.because.push(
                "tmpfs takes O_DIRECT and has nothing but the page cache (Linux 6.6)".to_owned(),
            );
        }
        _ => {}
    }
    contract.misaligned_writes = contract.misaligned;
    if magic == Some(XFS) && contract.write_offset_align_bytes > contract.offset_align_bytes {
        contract.misaligned_writes = MisalignedDirectIo::Buffered;
        contract.because.push(
            "XFS writes whole blocks of a file whose data may be shared (cp --reflink, snapshots), and parts of blocks through the page cache: xfs_report_dioalign in fs/xfs/xfs_iops.c, xfs_file_dio_write_unaligned in fs/xfs/xfs_file.c".to_owned(),
        );
    }
    contract
}

/// As statx says (Linux 6.1; reads by themselves since 6.14), or the sector of a device.
fn stated(file: &File, is_block: bool) -> DirectIoContract {
    let mut contract = DirectIoContract::default();
    let mask = StatxFlags::DIOALIGN | READS;
    let found = statx(file, c"", AtFlags::EMPTY_PATH, mask).ok();
    let said = |mask: StatxFlags| {
        let found = found.as_ref()?;
        (found.stx_mask & mask.bits() != 0).then_some(found)
    };
    let some = |bytes: u32| (bytes != 0).then(|| u64::from(bytes));
    if let Some(found) = said(StatxFlags::DIOALIGN) {
        contract.memory_align_bytes = some(found.stx_dio_mem_align);
        contract.write_offset_align_bytes = some(found.stx_dio_offset_align);
        contract.offset_align_bytes = contract.write_offset_align_bytes;
        contract.misaligned = match contract.write_offset_align_bytes {
            Some(_) => MisalignedDirectIo::Refused,
            // The page cache, or nothing at all.
            None => MisalignedDirectIo::Unknown,
        };
    }
    if let Some(reads) = said(READS).and_then(|found| some(found.stx_dio_read_offset_align)) {
        contract.offset_align_bytes = Some(reads);
    }
    if is_block && contract.offset_align_bytes.is_none() {
        let bytes = ioctl_blksszget(file).ok().map(u64::from);
        contract.memory_align_bytes = bytes;
        contract.offset_align_bytes = bytes;
        contract.write_offset_align_bytes = bytes;
        contract.misaligned = MisalignedDirectIo::Refused;
    }
    contract
}
