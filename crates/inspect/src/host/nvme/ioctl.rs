//! The admin command that reads Identify Namespace and Identify Controller from a live drive.

use std::fs::File;

use rustix::ioctl::{Opcode, Updater, ioctl, opcode};

use super::ID_NS_BYTES;

/// `struct nvme_passthru_cmd` of `linux/nvme_ioctl.h`.
#[repr(C)]
#[derive(Default)]
struct Command {
    opcode: u8,
    flags: u8,
    reserved: u16,
    nsid: u32,
    cdw2: u32,
    cdw3: u32,
    metadata: u64,
    addr: u64,
    metadata_len: u32,
    data_len: u32,
    cdw10: u32,
    cdw11: u32,
    cdw12: u32,
    cdw13: u32,
    cdw14: u32,
    cdw15: u32,
    timeout_ms: u32,
    result: u32,
}

/// `NVME_IOCTL_ADMIN_CMD`.
const ADMIN_CMD: Opcode = opcode::read_write::<Command>(b'N', 0x41);
/// Identify; CNS in `cdw10` says which structure.
const IDENTIFY: u8 = 0x06;
/// CNS of Identify Controller; Identify Namespace has 0.
const CONTROLLER: u32 = 1;
/// A drive that does not answer within this is left alone.
const TIMEOUT_MS: u32 = 1000;
const DATA_LEN: u32 = 4096;
const _: () = assert!(DATA_LEN as usize == ID_NS_BYTES);

/// The 4096 bytes of Identify Namespace for `nsid`.
pub fn namespace(device: &File, nsid: u32) -> std::io::Result<Vec<u8>> {
    identify(device, nsid, 0)
}

/// The 4096 bytes of Identify Controller.
pub fn controller(device: &File) -> std::io::Result<Vec<u8>> {
    identify(device, 0, CONTROLLER)
}

fn identify(device: &File, nsid: u32, cns: u32) -> std::io::Result<Vec<u8>> {
    let mut data = vec![0_u8; ID_NS_BYTES];
    let mut command = Command {
        opcode: IDENTIFY,
        nsid,
        cdw10: cns,
        addr: data.as_mut_ptr().expose_provenance() as u64,
        data_len: DATA_LEN,
        timeout_ms: TIMEOUT_MS,
        ..Command::default()
    };
    // SAFETY: the opcode is NVME_IOCTL_ADMIN_CMD and `Command` is its 72-byte structure. Identify
    // only reads from the drive; the kernel writes at most `data_len` = 4096 bytes to `addr`,
    // which is `data`, alive and not otherwise borrowed until the call returns.
    unsafe { ioctl(device, Updater::<ADMIN_CMD, Command>::new(&mut command)) }?;
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_has_the_kernels_size() {
        assert_eq!(size_of::<Command>(), 72);
        assert_eq!(ADMIN_CMD, 0xC048_4E41);
    }
}
