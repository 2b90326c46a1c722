//! Admin commands that read from a live drive: Identify, and log pages.

use std::ffi::c_void;
use std::fs::File;
use std::io;

use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl, opcode};

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
/// Get Log Page.
const GET_LOG_PAGE: u8 = 0x02;
/// Identify; CNS in `cdw10` says which structure.
const IDENTIFY: u8 = 0x06;
/// CNS of Identify Controller; Identify Namespace has 0.
const CONTROLLER: u32 = 1;
/// All namespaces: a log page of the whole controller (NVMe Base 2.0, § 5.16.1).
const ALL_NAMESPACES: u32 = u32::MAX;
/// A drive that does not answer within this is left alone.
const TIMEOUT_MS: u32 = 1000;
/// Length of every structure of Identify.
const IDENTIFY_BYTES: u32 = 4096;
const _: () = assert!(IDENTIFY_BYTES as usize == ID_NS_BYTES);
/// All log pages that are read here have this length.
pub const LOG_BYTES: u32 = 512;

/// The 4096 bytes of Identify Namespace for `nsid`.
pub fn namespace(device: &File, nsid: u32) -> io::Result<Vec<u8>> {
    identify(device, nsid, 0)
}

/// The 4096 bytes of Identify Controller.
pub fn controller(device: &File) -> io::Result<Vec<u8>> {
    identify(device, 0, CONTROLLER)
}

/// The first 512 bytes of a log page of the controller; `specific` is the log specific identifier.
pub fn log_page(device: &File, page: u8, specific: u16) -> io::Result<Vec<u8>> {
    // NUMDL counts words of 4 bytes from 0. Bit 15, RAE, keeps events that the page would clear.
    let words = LOG_BYTES / 4 - 1;
    let command = Command {
        opcode: GET_LOG_PAGE,
        nsid: ALL_NAMESPACES,
        cdw10: u32::from(page) | 1 << 15 | words << 16,
        cdw11: u32::from(specific) << 16,
        ..Command::default()
    };
    read(device, command, LOG_BYTES)
}

fn identify(device: &File, nsid: u32, cns: u32) -> io::Result<Vec<u8>> {
    let command = Command {
        opcode: IDENTIFY,
        nsid,
        cdw10: cns,
        ..Command::default()
    };
    read(device, command, IDENTIFY_BYTES)
}

/// Sends a command that makes the drive send this many bytes, at most 4096.
fn read(device: &File, mut command: Command, bytes: u32) -> io::Result<Vec<u8>> {
    let mut data = vec![0_u8; bytes as usize];
    command.addr = data.as_mut_ptr().expose_provenance() as u64;
    command.data_len = bytes;
    command.timeout_ms = TIMEOUT_MS;
    // SAFETY: `AdminCommand` is the 72-byte structure of NVME_IOCTL_ADMIN_CMD. The callers' commands only
    // read from the drive; the kernel writes at most `data_len` bytes to `addr`, which is `data`, alive and
    // not otherwise borrowed until the call returns.
    match unsafe { ioctl(device, AdminCommand(command)) }? {
        0 => Ok(data),
        status => Err(io::Error::other(format!(
            "the drive refuses it, with NVMe status {status:#x}"
        ))),
    }
}

/// The call itself. It gives the status of the drive: not 0 where the command failed there.
struct AdminCommand(Command);

// SAFETY: the opcode has the size and direction of `Command`, which the pointer leads to.
unsafe impl Ioctl for AdminCommand {
    type Output = IoctlOutput;

    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        ADMIN_CMD
    }

    fn as_ptr(&mut self) -> *mut c_void {
        (&raw mut self.0).cast()
    }

    unsafe fn output_from_ptr(
        status: IoctlOutput,
        _: *mut c_void,
    ) -> rustix::io::Result<IoctlOutput> {
        Ok(status)
    }
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
