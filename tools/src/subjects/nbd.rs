//! The NBD server on the bytes of a client: handshake, then requests.

use ioalign_export::nbd::{NbdExport, NbdRequest, handshake};
use ioalign_testkit::Random;

use crate::damage;
use crate::subject::{Answer, Subject};

pub fn all() -> Vec<Subject> {
    vec![Subject::of_bytes("nbd", "client", || vec![seed()], damage, one).with_least(20)]
}

/// A client that lists, asks, opens the export, and then reads, writes, flushes and leaves (`doc/proto.md` of NBD).
fn seed() -> Vec<u8> {
    let option = |kind: u32, data: &[u8]| {
        let len = u32::try_from(data.len()).unwrap();
        [
            b"IHAVEOPT",
            &kind.to_be_bytes()[..],
            &len.to_be_bytes(),
            data,
        ]
        .concat()
    };
    let request = |kind: u16, at: u64, len: u32| {
        let magic = 0x2560_9513_u32.to_be_bytes();
        let (flags, cookie) = ([0, 1], u64::from(kind).to_be_bytes());
        let place = [&at.to_be_bytes()[..], &len.to_be_bytes()].concat();
        [&magic[..], &flags, &kind.to_be_bytes(), &cookie, &place].concat()
    };
    let name_and_infos = [&[0, 0, 0, 4][..], b"disk", &[0, 1, 0, 3]].concat();
    [
        vec![0, 0, 0, 3],
        option(3, b""),
        option(6, &name_and_infos),
        option(7, &name_and_infos),
        request(0, 0, 4096),
        request(1, 63 * 512, 512),
        vec![7; 512],
        request(3, 0, 0),
        request(4, 1 << 20, 1 << 16),
        request(6, 1 << 20, 1 << 16),
        request(2, 0, 0),
    ]
    .concat()
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    damage::any_fields(bytes, 0..=4, random);
    damage::cut_rarely(bytes, random);
}

/// Whether requests were read.
fn one(bytes: &[u8]) -> Answer {
    let mut from = bytes;
    let export = NbdExport { bytes: 1 << 30 };
    let mut said = Vec::new();
    let mut requests = 0;
    if handshake(&mut from, &mut said, export).unwrap_or(false) {
        while let Ok(request) = NbdRequest::read(&mut from) {
            let skipped = usize::try_from(request.data).unwrap();
            from = from.get(skipped..).unwrap_or_default();
            requests += 1;
        }
    }
    Answer::mine(requests > 0)
}
