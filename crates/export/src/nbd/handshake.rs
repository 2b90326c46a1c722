//! The fixed newstyle handshake: options until one of them opens the export.

use std::io::{self, Read, Write};

use super::wire::{
    GREETING, OPTION, OPTION_REPLY, answer, broken, device_flags, handshake_flags, info, option,
    read_u16, read_u32, read_u64, skip,
};

/// The longest data of an option that are looked at: the specification allows names of 4096 bytes.
const LONGEST_OPTION: u32 = 8192;
/// The longest that are read past; a client that sends more is not one.
const LONGEST_SKIPPED: u32 = 1 << 16;
/// A client asks a few things before it begins.
const MOST_OPTIONS: u32 = 64;
/// A sector: requests are of whole ones.
pub const LEAST_BLOCK: u32 = 512;
const USUAL_BLOCK: u32 = 4096;
/// The largest request: what the specification has clients take as given.
pub const LARGEST: u32 = 32 << 20;

/// What is exported, under the empty name and under any other.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NbdExport {
    /// Its size.
    pub bytes: u64,
}

impl NbdExport {
    const fn flags() -> u16 {
        use device_flags::*;
        HAS_FLAGS | SEND_FLUSH | SEND_FUA | SEND_TRIM | SEND_WRITE_ZEROES | CAN_MULTI_CONN
    }
}

/// Greets a client and answers its options. `true`: requests follow; `false`: the client has taken its leave.
pub fn handshake(from: &mut impl Read, to: &mut impl Write, export: NbdExport) -> io::Result<bool> {
    use handshake_flags::{FIXED_NEWSTYLE, NO_ZEROES};
    let mut greeting = GREETING.to_be_bytes().to_vec();
    greeting.extend(OPTION.to_be_bytes());
    greeting.extend((FIXED_NEWSTYLE | NO_ZEROES).to_be_bytes());
    to.write_all(&greeting)?;
    to.flush()?;
    let flags = read_u32(from)?;
    if flags & u32::from(FIXED_NEWSTYLE) == 0 || flags > u32::from(FIXED_NEWSTYLE | NO_ZEROES) {
        return Err(broken(
            "flags that are not those of a fixed newstyle client",
        ));
    }
    let zeroes = flags & u32::from(NO_ZEROES) == 0;
    for _ in 0..MOST_OPTIONS {
        match next_option(from, to, export, zeroes)? {
            AfterOption::More => {}
            AfterOption::Requests => return Ok(true),
            AfterOption::Leave => return Ok(false),
        }
    }
    Err(broken("options without an end"))
}

#[derive(Copy, Clone)]
enum AfterOption {
    More,
    Requests,
    Leave,
}

fn next_option(
    from: &mut impl Read,
    to: &mut impl Write,
    export: NbdExport,
    zeroes: bool,
) -> io::Result<AfterOption> {
    if read_u64(from)? != OPTION {
        return Err(broken("no option where one was due"));
    }
    let kind = read_u32(from)?;
    let len = read_u32(from)?;
    if len > LONGEST_OPTION {
        if len > LONGEST_SKIPPED || kind == option::EXPORT_NAME {
            return Err(broken("an option that is too long"));
        }
        skip(from, len.into())?;
        reply(to, kind, answer::TOO_BIG, &[])?;
        return Ok(AfterOption::More);
    }
    let mut data = vec![0; usize::try_from(len).unwrap_or(0)];
    from.read_exact(&mut data)?;
    let (with, after) = match kind {
        option::EXPORT_NAME => {
            let mut out = export.bytes.to_be_bytes().to_vec();
            out.extend(NbdExport::flags().to_be_bytes());
            out.resize(out.len() + if zeroes { 124 } else { 0 }, 0);
            to.write_all(&out)?;
            to.flush()?;
            return Ok(AfterOption::Requests);
        }
        option::ABORT => (answer::ACK, AfterOption::Leave),
        option::LIST if !data.is_empty() => (answer::INVALID, AfterOption::More),
        option::LIST => {
            // One export, whose name is empty: its length is all there is to say.
            reply(to, kind, answer::SERVER, &0_u32.to_be_bytes())?;
            (answer::ACK, AfterOption::More)
        }
        option::INFO | option::GO => match asked(&data) {
            Err(_) => (answer::INVALID, AfterOption::More),
            Ok(block_size) => {
                inform(to, kind, export, block_size)?;
                let goes = kind == option::GO;
                let after = if goes {
                    AfterOption::Requests
                } else {
                    AfterOption::More
                };
                (answer::ACK, after)
            }
        },
        _ => (answer::UNSUPPORTED, AfterOption::More),
    };
    reply(to, kind, with, &[])?;
    Ok(after)
}

/// Whether the sizes of blocks are asked for. The name may be any: there is one export.
fn asked(mut data: &[u8]) -> io::Result<bool> {
    let from = &mut data;
    let name = read_u32(from)?;
    skip(from, name.into())?;
    let mut block_size = false;
    for _ in 0..read_u16(from)? {
        block_size |= read_u16(from)? == info::BLOCK_SIZE;
    }
    if from.is_empty() {
        Ok(block_size)
    } else {
        Err(broken("more than was announced"))
    }
}

fn inform(to: &mut impl Write, kind: u32, export: NbdExport, block_size: bool) -> io::Result<()> {
    let mut about = info::EXPORT.to_be_bytes().to_vec();
    about.extend(export.bytes.to_be_bytes());
    about.extend(NbdExport::flags().to_be_bytes());
    reply(to, kind, answer::INFO, &about)?;
    if !block_size {
        return Ok(());
    }
    let mut sizes = info::BLOCK_SIZE.to_be_bytes().to_vec();
    for size in [LEAST_BLOCK, USUAL_BLOCK, LARGEST] {
        sizes.extend(size.to_be_bytes());
    }
    reply(to, kind, answer::INFO, &sizes)
}

fn reply(to: &mut impl Write, kind: u32, with: u32, data: &[u8]) -> io::Result<()> {
    let len = u32::try_from(data.len()).map_err(|_| broken("an answer that is too long"))?;
    let mut out = OPTION_REPLY.to_be_bytes().to_vec();
    out.extend(kind.to_be_bytes());
    out.extend(with.to_be_bytes());
    out.extend(len.to_be_bytes());
    out.extend(data);
    to.write_all(&out)?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPORT: NbdExport = NbdExport { bytes: 1 << 30 };

    /// What the server says to these bytes of a client, after its greeting.
    fn answers(client: &[u8]) -> (io::Result<bool>, Vec<u8>) {
        let mut said = Vec::new();
        let done = handshake(&mut &*client, &mut said, EXPORT);
        assert_eq!(said[..18], *b"NBDMAGICIHAVEOPT\0\x03");
        (done, said.split_off(18))
    }

    fn sent(flags: u32, options: &[(u32, &[u8])]) -> Vec<u8> {
        let mut out = flags.to_be_bytes().to_vec();
        for (kind, data) in options {
            out.extend(OPTION.to_be_bytes());
            out.extend(kind.to_be_bytes());
            out.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
            out.extend(*data);
        }
        out
    }

    /// Kind of the option, answer, length of the data, of all answers.
    fn kinds(mut said: &[u8]) -> Vec<(u32, u32, u32)> {
        let mut out = Vec::new();
        while !said.is_empty() {
            assert_eq!(read_u64(&mut said).unwrap(), OPTION_REPLY);
            let [kind, with, len] = [(); 3].map(|()| read_u32(&mut said).unwrap());
            skip(&mut said, len.into()).unwrap();
            out.push((kind, with, len));
        }
        out
    }

    #[test]
    fn an_export_is_opened_in_both_ways() {
        let go = [&[0; 4][..], &[0, 1, 0, 3]].concat();
        let (done, said) = answers(&sent(3, &[(option::GO, &go)]));
        assert!(done.unwrap());
        assert_eq!(
            kinds(&said),
            [
                (7, answer::INFO, 12),
                (7, answer::INFO, 14),
                (7, answer::ACK, 0)
            ]
        );
        for (flags, len) in [(1, 134), (3, 10)] {
            let (done, said) = answers(&sent(flags, &[(option::EXPORT_NAME, b"any")]));
            assert!(done.unwrap());
            assert_eq!(
                (said.len(), &said[..8]),
                (len, &[0, 0, 0, 0, 0x40, 0, 0, 0][..])
            );
        }
    }

    #[test]
    fn what_is_not_known_is_refused_and_the_client_may_go_on() {
        let long = [0; 9000];
        let options: [(u32, &[u8]); 7] = [
            (5, &[]),
            (99, &[1; 3]),
            (8, &long),
            (option::LIST, &[1]),
            (option::LIST, &[]),
            (option::INFO, &[0, 0, 0, 9, 0, 0]),
            (option::ABORT, &[]),
        ];
        let (done, said) = answers(&sent(3, &options));
        assert!(!done.unwrap());
        let expected = [
            (5, answer::UNSUPPORTED, 0),
            (99, answer::UNSUPPORTED, 0),
            (8, answer::TOO_BIG, 0),
            (3, answer::INVALID, 0),
            (3, answer::SERVER, 4),
            (3, answer::ACK, 0),
            (6, answer::INVALID, 0),
            (2, answer::ACK, 0),
        ];
        assert_eq!(kinds(&said), expected);
    }

    #[test]
    fn what_is_no_client_is_left() {
        assert!(answers(&sent(0, &[])).0.is_err());
        assert!(answers(&sent(7, &[])).0.is_err());
        assert!(
            answers(&sent(3, &[(option::LIST, &[] as &[u8]); 65]))
                .0
                .is_err()
        );
        assert!(
            answers(&sent(3, &[(option::EXPORT_NAME, &[0; 8193])]))
                .0
                .is_err()
        );
        assert!(answers(b"\0\0\0\x03GET / HTTP/1.1\r\n").0.is_err());
        // Lengths that nothing follows.
        let mut endless = sent(3, &[(option::GO, &[])]);
        endless.truncate(16);
        endless.extend([0xff; 4]);
        assert!(answers(&endless).0.is_err());
    }
}
