//! The protocol: against a foreign client, and against clients that do not keep to it.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use ioalign_export::media::PowerRules;
use ioalign_export::nbd::{NbdExport, NbdRequest, handshake};
use ioalign_testkit::run::{command, text};
use proptest::prelude::*;

use super::client::{Client, LEAVE, READ, WRITE, ZERO};
use super::{BYTES, Served};

#[test]
fn what_is_written_is_read() {
    let served = Served::new("raid5:4x64k:md", 0, PowerRules::default());
    let mut client = Client::new(&served.socket());
    let data: Vec<u8> = (0..=255).cycle().take(200_000 / 512 * 512).collect();
    client.write(0, 65536 - 512, &data);
    assert_eq!(client.read(65536 - 512, data.len()), data);
    client.send(ZERO, 0, 1, 65536, 4096);
    assert_eq!(client.reply(), (0, 1));
    assert_eq!(client.read(65536, 8192)[..4096], [0; 4096]);
    assert_eq!(client.flush(), 0);
    // Another client sees the same device.
    let mut other = Client::new(&served.socket());
    assert_eq!(other.read(65536 - 512, 512), data[..512]);
    client.send(LEAVE, 0, 0, 0, 0);
    assert_eq!(client.0.read(&mut [0]).unwrap(), 0);
}

#[test]
fn what_is_wrong_gets_an_error_and_the_next_request_is_found() {
    let served = Served::new("single", 0, PowerRules::default());
    let mut client = Client::new(&served.socket());
    client.send_write(0, 1, 100, &[7; 100]);
    client.send(READ, 0, 2, BYTES, 512);
    client.send_write(0, 3, BYTES - 512, &[7; 1024]);
    client.send(9, 0, 4, 0, 0);
    client.send(READ, 0x80, 5, 0, 512);
    client.send(READ, 0, 6, u64::MAX - 511, 512);
    client.send(READ, 0, 7, 0, 0);
    let replies: Vec<_> = (0..7).map(|_| client.reply()).collect();
    let expected = [(22, 1), (22, 2), (28, 3), (95, 4), (22, 5), (22, 6), (0, 7)];
    assert_eq!(replies, expected);
    assert_eq!(client.read(0, 512), [0; 512]);
}

#[test]
fn a_client_that_breaks_the_protocol_is_left_and_others_are_not() {
    let served = Served::new("single", 0, PowerRules::default());
    let mut good = Client::new(&served.socket());
    for wrong in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        &[0xff; 64],
        &[0, 0, 0, 3, 1],
    ] {
        let mut stream = UnixStream::connect(served.socket()).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        stream.write_all(wrong).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut said = Vec::new();
        stream.read_to_end(&mut said).unwrap();
        assert_eq!(said.len(), 18);
    }
    let mut broken = Client::new(&served.socket());
    broken.send(WRITE, 0, 1, 0, 1 << 30);
    assert_eq!(broken.0.read(&mut [0]).unwrap(), 0);
    assert_eq!(good.read(0, 512), [0; 512]);
}

#[test]
fn a_client_that_takes_no_answers_keeps_nobody_waiting() {
    let served = Served::new("single", 0, PowerRules::default());
    let mut deaf = Client::new(&served.socket());
    deaf.0
        .set_write_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    // More than the server holds for a client: it takes no further ones.
    let mut request = Vec::new();
    for _ in 0..64 {
        request.extend(0x2560_9513_u32.to_be_bytes());
        request.extend([0; 20]);
        request.extend((8_u32 << 20).to_be_bytes());
    }
    let _ = deaf.0.write_all(&request);
    let mut good = Client::new(&served.socket());
    for _ in 0..100 {
        assert_eq!(good.read(0, 4096), [0; 4096]);
    }
}

/// The oracle: a client that was written by others.
#[test]
fn the_client_of_qemu_agrees() {
    needs!(Packages);
    let served = Served::new("raid10:4x64k", 0, PowerRules::default());
    let uri = format!("nbd+unix:///?socket={}", text(&served.socket()));
    let run = |commands: &[&str]| {
        let mut qemu = command("qemu-io");
        qemu.args(["-f", "raw", "-t", "none"]);
        for one in commands {
            qemu.args(["-c", one]);
        }
        let output = qemu.arg(&uri).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{output:?}");
        assert!(!said.contains("failed"), "{said}");
        said
    };
    assert!(run(&["length"]).contains("64 MiB"));
    run(&[
        "write -P 0x5a 512 200k",
        "write -f -P 0x5b 4k 4k",
        "discard 8k 4k",
        "write -z 12k 4k",
        "flush",
        "aio_write -P 0x5c 1M 1M",
        "aio_flush",
    ]);
    run(&[
        "read -P 0x5a 512 3584",
        "read -P 0x5b 4k 4k",
        "read -P 0 8k 8k",
        "read -P 0x5a 16k 100k",
        "read -P 0x5c 1M 1M",
    ]);
    let mut client = Client::new(&served.socket());
    assert_eq!(client.read(4096, 512), [0x5b; 512]);
}

proptest! {
    /// Arbitrary bytes, and those of a client with some that are not.
    #[test]
    fn no_bytes_of_a_client_do_harm(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        cut in 0_usize..40,
        wrong in prop::collection::vec((0_usize..400, any::<u8>()), 0..4),
    ) {
        let export = NbdExport { bytes: BYTES };
        let mut client = b"\0\0\0\x03IHAVEOPT\0\0\0\x07\0\0\0\x08\0\0\0\0\0\x01\0\x03".to_vec();
        client.extend(0x2560_9513_u32.to_be_bytes());
        client.extend([0; 24]);
        client.truncate(client.len() - cut.min(client.len()));
        client.extend(&bytes);
        for (place, byte) in wrong {
            if let Some(one) = client.get_mut(place) {
                *one = byte;
            }
        }
        for bytes in [&bytes, &client] {
            let mut from = bytes.as_slice();
            let mut said = Vec::new();
            if handshake(&mut from, &mut said, export).unwrap_or(false) {
                while NbdRequest::read(&mut from).is_ok() {}
            }
            // An answer is never much longer than the question.
            prop_assert!(said.len() <= 18 + 150 + bytes.len() * 10);
        }
    }
}
