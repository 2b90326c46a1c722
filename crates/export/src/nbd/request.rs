//! Requests of a client that has opened the export.

use std::io::{self, Read};

use super::handshake::{LARGEST, LEAST_BLOCK};
use super::wire::{REQUEST, broken, error, read_u16, read_u32, read_u64, request_flags};

/// What a request asks for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum NbdCommand {
    /// Data.
    Read,
    /// Data follow the request.
    Write,
    /// The client leaves.
    Leave,
    /// What is complete survives.
    Flush,
    /// What is there is not needed any more, or is to be zeros that need no place.
    Punch,
    /// Zeros that are written.
    Zero,
}

/// A request without the data that follow it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NbdRequest {
    /// What; an error where it is nothing that this server does, or not done so.
    pub command: Result<NbdCommand, u32>,
    /// Names the request in its reply.
    pub cookie: u64,
    /// Where.
    pub at: u64,
    /// How much.
    pub len: u32,
    /// FUA: complete means that it survives.
    pub durable: bool,
    /// Bytes of data that follow.
    pub data: u32,
}

impl NbdRequest {
    /// Reads the next one. An error ends the connection: what follows cannot be found any more.
    pub fn read(from: &mut impl Read) -> io::Result<Self> {
        if read_u32(from)? != REQUEST {
            return Err(broken("no request where one was due"));
        }
        let flags = read_u16(from)?;
        let kind = read_u16(from)?;
        let cookie = read_u64(from)?;
        let at = read_u64(from)?;
        let len = read_u32(from)?;
        let data = if kind == 1 { len } else { 0 };
        if data > LARGEST {
            return Err(broken("a write that is too long"));
        }
        Ok(Self {
            command: command(kind, flags).and_then(|command| checked(command, at, len)),
            cookie,
            at,
            len,
            durable: flags & request_flags::FUA != 0,
            data,
        })
    }
}

/// Numbers of commands with the flags that each of them may have.
fn command(kind: u16, flags: u16) -> Result<NbdCommand, u32> {
    use request_flags::{FUA, NO_HOLE};
    // FUA means nothing for a read or a flush, and the specification has servers take it.
    let (command, known) = match kind {
        0 => (NbdCommand::Read, FUA),
        1 => (NbdCommand::Write, FUA),
        2 => return Ok(NbdCommand::Leave),
        3 => (NbdCommand::Flush, FUA),
        4 => (NbdCommand::Punch, FUA),
        6 if flags & NO_HOLE == 0 => (NbdCommand::Punch, FUA),
        6 => (NbdCommand::Zero, FUA | NO_HOLE),
        _ => return Err(error::NOT_SUPPORTED),
    };
    if flags & !known == 0 {
        Ok(command)
    } else {
        Err(error::INVALID)
    }
}

/// Whole sectors, and no answer of any length that a client thinks of.
fn checked(command: NbdCommand, at: u64, len: u32) -> Result<NbdCommand, u32> {
    let is_whole = at.is_multiple_of(LEAST_BLOCK.into()) && len.is_multiple_of(LEAST_BLOCK);
    match command {
        NbdCommand::Leave | NbdCommand::Flush => Ok(command),
        _ if !is_whole => Err(error::INVALID),
        NbdCommand::Read if len > LARGEST => Err(error::INVALID),
        _ => Ok(command),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(kind: u16, flags: u16, at: u64, len: u32) -> Vec<u8> {
        let mut out = REQUEST.to_be_bytes().to_vec();
        out.extend(flags.to_be_bytes());
        out.extend(kind.to_be_bytes());
        out.extend(7_u64.to_be_bytes());
        out.extend(at.to_be_bytes());
        out.extend(len.to_be_bytes());
        out
    }

    fn read(kind: u16, flags: u16, at: u64, len: u32) -> io::Result<NbdRequest> {
        NbdRequest::read(&mut bytes(kind, flags, at, len).as_slice())
    }

    #[test]
    fn requests_and_their_limits() {
        let write = read(1, 1, 4096, 512).unwrap();
        assert_eq!(write.command, Ok(NbdCommand::Write));
        assert_eq!((write.cookie, write.data, write.durable), (7, 512, true));
        let of = |kind, flags, at, len| read(kind, flags, at, len).unwrap().command;
        assert_eq!(of(0, 0, 0, 512), Ok(NbdCommand::Read));
        assert_eq!(of(3, 0, 0, 0), Ok(NbdCommand::Flush));
        assert_eq!(of(6, 2, 0, u32::MAX - 511), Ok(NbdCommand::Zero));
        assert_eq!(of(6, 1, 0, 512), Ok(NbdCommand::Punch));
        assert_eq!(of(4, 0, 0, 512), Ok(NbdCommand::Punch));
        assert_eq!(of(7, 0, 0, 512), Err(error::NOT_SUPPORTED));
        assert_eq!(of(0, 4, 0, 512), Err(error::INVALID));
        assert_eq!(of(0, 0, 1, 512), Err(error::INVALID));
        assert_eq!(of(0, 0, 0, 511), Err(error::INVALID));
        assert_eq!(of(0, 0, 0, LARGEST + 512), Err(error::INVALID));
        // The data of a bad write are still there to be skipped; of one without end they are not waited for.
        assert_eq!(read(1, 64, 0, 512).unwrap().data, 512);
        assert!(read(1, 0, 0, LARGEST + 512).is_err());
        let mut wrong = bytes(0, 0, 0, 512);
        wrong[0] = 0;
        assert!(NbdRequest::read(&mut wrong.as_slice()).is_err());
    }
}
