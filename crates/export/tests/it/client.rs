//! A client of NBD that sends what a test asks for.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

pub const READ: u16 = 0;
pub const WRITE: u16 = 1;
pub const LEAVE: u16 = 2;
pub const FLUSH: u16 = 3;
pub const ZERO: u16 = 6;
pub const FUA: u16 = 1;
pub const NO_HOLE: u16 = 2;

pub struct Client(pub UnixStream);

impl Client {
    /// Opens the export by its name, which is one message.
    pub fn new(socket: &Path) -> Self {
        let mut stream = UnixStream::connect(socket).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let mut greeting = [0; 18];
        stream.read_exact(&mut greeting).unwrap();
        stream.write_all(&3_u32.to_be_bytes()).unwrap();
        stream.write_all(b"IHAVEOPT\0\0\0\x01\0\0\0\0").unwrap();
        let mut about = [0; 10];
        stream.read_exact(&mut about).unwrap();
        Self(stream)
    }

    pub fn send(&mut self, kind: u16, flags: u16, cookie: u64, at: u64, len: usize) {
        let mut out = 0x2560_9513_u32.to_be_bytes().to_vec();
        out.extend(flags.to_be_bytes());
        out.extend(kind.to_be_bytes());
        out.extend(cookie.to_be_bytes());
        out.extend(at.to_be_bytes());
        out.extend(u32::try_from(len).unwrap().to_be_bytes());
        self.0.write_all(&out).unwrap();
    }

    pub fn send_write(&mut self, flags: u16, cookie: u64, at: u64, data: &[u8]) {
        self.send(WRITE, flags, cookie, at, data.len());
        self.0.write_all(data).unwrap();
    }

    /// Error and cookie of the next reply.
    pub fn reply(&mut self) -> (u32, u64) {
        let mut head = [0; 16];
        self.0.read_exact(&mut head).unwrap();
        assert_eq!(head[..4], 0x6744_6698_u32.to_be_bytes());
        let error = u32::from_be_bytes(head[4..8].try_into().unwrap());
        (error, u64::from_be_bytes(head[8..].try_into().unwrap()))
    }

    pub fn read(&mut self, at: u64, len: usize) -> Vec<u8> {
        self.send(READ, 0, 99, at, len);
        assert_eq!(self.reply(), (0, 99));
        let mut data = vec![0; len];
        self.0.read_exact(&mut data).unwrap();
        data
    }

    pub fn write(&mut self, flags: u16, at: u64, data: &[u8]) {
        self.send_write(flags, 98, at, data);
        assert_eq!(self.reply(), (0, 98));
    }

    pub fn flush(&mut self) -> u32 {
        self.send(FLUSH, 0, 97, 0, 0);
        self.reply().0
    }
}
