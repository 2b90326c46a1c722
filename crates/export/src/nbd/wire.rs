//! Numbers of the protocol (`doc/proto.md` of the NBD project), and integers in its byte order.

use std::io::{self, Read};

/// `NBDMAGIC`, the first bytes of a server.
pub const GREETING: u64 = 0x4e42_444d_4147_4943;
/// `IHAVEOPT`, before every option.
pub const OPTION: u64 = 0x4948_4156_454f_5054;
/// Before every answer to an option.
pub const OPTION_REPLY: u64 = 0x0003_e889_0455_65a9;
/// Before every request.
pub const REQUEST: u32 = 0x2560_9513;
/// Before every simple reply.
pub const REPLY: u32 = 0x6744_6698;

/// Flags of the handshake, of server and client alike.
pub mod handshake_flags {
    pub const FIXED_NEWSTYLE: u16 = 1;
    pub const NO_ZEROES: u16 = 2;
}

/// Options of a client.
pub mod option {
    pub const EXPORT_NAME: u32 = 1;
    pub const ABORT: u32 = 2;
    pub const LIST: u32 = 3;
    pub const INFO: u32 = 6;
    pub const GO: u32 = 7;
}

/// Answers to options.
pub mod answer {
    pub const ACK: u32 = 1;
    pub const SERVER: u32 = 2;
    pub const INFO: u32 = 3;
    pub const UNSUPPORTED: u32 = 0x8000_0001;
    pub const INVALID: u32 = 0x8000_0003;
    pub const TOO_BIG: u32 = 0x8000_0009;
}

/// What an `INFO` answer is about.
pub mod info {
    pub const EXPORT: u16 = 0;
    pub const BLOCK_SIZE: u16 = 3;
}

/// What the device can do.
pub mod device_flags {
    pub const HAS_FLAGS: u16 = 1;
    pub const SEND_FLUSH: u16 = 1 << 2;
    pub const SEND_FUA: u16 = 1 << 3;
    pub const SEND_TRIM: u16 = 1 << 5;
    pub const SEND_WRITE_ZEROES: u16 = 1 << 6;
    pub const CAN_MULTI_CONN: u16 = 1 << 8;
}

/// Flags of a request.
pub mod request_flags {
    pub const FUA: u16 = 1;
    pub const NO_HOLE: u16 = 1 << 1;
}

/// Errors of a reply.
pub mod error {
    pub const IO: u32 = 5;
    pub const INVALID: u32 = 22;
    pub const NO_SPACE: u32 = 28;
    pub const NOT_SUPPORTED: u32 = 95;
}

/// An unsigned integer, the highest byte first.
pub fn read_u16(from: &mut impl Read) -> io::Result<u16> {
    let mut bytes = [0; 2];
    from.read_exact(&mut bytes)?;
    Ok(u16::from_be_bytes(bytes))
}

/// The same of four bytes.
pub fn read_u32(from: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    Ok(u32::from_be_bytes(bytes))
}

/// The same of eight bytes.
pub fn read_u64(from: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_be_bytes(bytes))
}

/// A client that does not keep to the protocol: the connection ends.
pub fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

/// Reads and discards this many bytes.
pub fn skip(from: &mut impl Read, bytes: u64) -> io::Result<()> {
    let skipped = io::copy(&mut from.take(bytes), &mut io::sink())?;
    if skipped < bytes {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}
