//! `BLKRRPART` and `BLKPG` of `linux/fs.h` and `linux/blkpg.h`.

use std::fs::File;

use rustix::io::Errno;
use rustix::ioctl::{NoArg, Opcode, Setter, ioctl, opcode};

use super::KernelPartition;

const REREAD: Opcode = opcode::none(0x12, 95);
const CHANGE: Opcode = opcode::none(0x12, 105);

const ADD: i32 = 1;
const DELETE: i32 = 2;

/// `struct blkpg_partition`.
#[repr(C)]
struct BlkpgPartition {
    start: i64,
    length: i64,
    number: i32,
    device_name: [u8; 64],
    volume_name: [u8; 64],
}

/// `struct blkpg_ioctl_arg`.
#[repr(C)]
struct Argument {
    operation: i32,
    flags: i32,
    length: i32,
    data: *const BlkpgPartition,
}

/// The kernel reads all partitions from the table again.
pub fn reread(device: &File) -> Result<(), Errno> {
    // SAFETY: BLKRRPART takes no argument.
    unsafe { ioctl(device, NoArg::<REREAD>::new()) }
}

/// A partition that the kernel does not know yet.
pub fn add_partition(device: &File, partition: &KernelPartition) -> Result<(), Errno> {
    change(device, ADD, partition)
}

/// One that it is to forget.
pub fn delete(device: &File, partition: &KernelPartition) -> Result<(), Errno> {
    change(device, DELETE, partition)
}

fn change(device: &File, operation: i32, partition: &KernelPartition) -> Result<(), Errno> {
    let entry = BlkpgPartition {
        start: i64::try_from(partition.start).map_err(|_| Errno::OVERFLOW)?,
        length: i64::try_from(partition.size).map_err(|_| Errno::OVERFLOW)?,
        number: i32::try_from(partition.number).map_err(|_| Errno::OVERFLOW)?,
        device_name: [0; 64],
        volume_name: [0; 64],
    };
    let argument = Argument {
        operation,
        flags: 0,
        length: i32::try_from(size_of::<BlkpgPartition>()).map_err(|_| Errno::OVERFLOW)?,
        data: &raw const entry,
    };
    // SAFETY: the opcode is BLKPG and `Argument` its structure; the kernel reads one `BlkpgPartition` through
    // `data`, which lives until the call returns, and writes nothing.
    unsafe { ioctl(device, Setter::<CHANGE, Argument>::new(argument)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structures_have_the_kernels_size() {
        assert_eq!(size_of::<BlkpgPartition>(), 152);
        assert_eq!((REREAD, CHANGE), (0x125f, 0x1269));
    }
}
