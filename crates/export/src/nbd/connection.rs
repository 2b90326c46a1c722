//! One client: a thread that reads its requests, and one that writes its replies.
//!
//! Replies come from any thread, in the order of completion. They are written by a thread of the client, so that a client
//! that does not read keeps none of the others waiting; all that are ready go out in one call.

use std::io::{self, BufReader, IoSlice, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::handshake::{NbdExport, handshake};
use super::limit::ClientLimit;
use super::request::{NbdCommand, NbdRequest};
use super::wire::{REPLY, error, skip};
use crate::media::BlockFault;
use crate::server::{BlockAnswer, BlockIo, BlockServer};

/// A client that says nothing for so long has no wish to begin.
const DEADLINE: Duration = Duration::from_secs(10);
/// Replies that go out in one call; the system takes 1024 pieces, and each has two.
const MOST_AT_ONCE: usize = 256;

/// A reply on its way to the client.
struct NbdReply {
    head: [u8; 16],
    data: Vec<u8>,
    /// What it held of the limit.
    held: u64,
}

/// Where the replies of a client go.
#[derive(Clone)]
struct ReplyLine {
    replies: Sender<NbdReply>,
}

/// Serves a client until it leaves or breaks the protocol.
pub fn serve(stream: &UnixStream, server: &Arc<BlockServer>) -> io::Result<()> {
    let export = NbdExport {
        bytes: server.bytes(),
    };
    stream.set_read_timeout(Some(DEADLINE))?;
    stream.set_write_timeout(Some(DEADLINE))?;
    let mut from = BufReader::with_capacity(1 << 16, stream);
    if !handshake(&mut from, &mut &*stream, export)? {
        return Ok(());
    }
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    let limit = Arc::new(ClientLimit::default());
    let (replies, ready) = channel();
    let writer = std::thread::Builder::new().name("ioalign-replies".to_owned());
    let writer = writer.spawn({
        let (stream, limit) = (stream.try_clone()?, Arc::clone(&limit));
        move || write_replies(&stream, &ready, &limit)
    })?;
    let line = ReplyLine { replies };
    let done = read_requests(&mut from, server, &limit, &line);
    // What is under way may still be waited for.
    limit.wait_for_all();
    drop(line);
    let _ = writer.join();
    done
}

fn read_requests(
    from: &mut impl Read,
    server: &Arc<BlockServer>,
    limit: &ClientLimit,
    line: &ReplyLine,
) -> io::Result<()> {
    loop {
        let request = NbdRequest::read(from)?;
        let held = match request.command {
            Ok(NbdCommand::Leave) => return Ok(()),
            Ok(NbdCommand::Read | NbdCommand::Write) => u64::from(request.len),
            _ => 0,
        };
        limit.take(held);
        let taken = take(from, server, &request, line, held);
        if let Err(failed) = taken {
            limit.give_back(held);
            return Err(failed);
        }
    }
}

/// An error is one of the connection: nothing was answered.
fn take(
    from: &mut impl Read,
    server: &BlockServer,
    request: &NbdRequest,
    line: &ReplyLine,
    held: u64,
) -> io::Result<()> {
    let answer = |code: u32| line.send(request.cookie, code, Vec::new(), held);
    let outcome = |done: Result<(), BlockFault>| answer(done.err().map_or(0, code));
    let NbdRequest {
        at, len, durable, ..
    } = *request;
    let io = match request.command {
        Err(code) => {
            skip(from, request.data.into())?;
            answer(code);
            return Ok(());
        }
        Ok(NbdCommand::Read) => BlockIo::Read { at, len },
        Ok(NbdCommand::Write) => {
            let mut data = vec![0; usize::try_from(len).unwrap_or(0)];
            from.read_exact(&mut data)?;
            BlockIo::Write { at, data, durable }
        }
        Ok(NbdCommand::Flush) => {
            outcome(server.flush());
            return Ok(());
        }
        Ok(NbdCommand::Punch) => {
            outcome(server.punch(at, len.into(), durable));
            return Ok(());
        }
        Ok(NbdCommand::Zero) => BlockIo::Zero { at, len, durable },
        Ok(NbdCommand::Leave) => return Ok(()),
    };
    let answer = NbdAnswer {
        line: line.clone(),
        cookie: request.cookie,
        held,
        is_write: !matches!(io, BlockIo::Read { .. }),
    };
    server.submit(io, Box::new(answer));
    Ok(())
}

const fn code(fault: BlockFault) -> u32 {
    match fault {
        BlockFault::PowerOff | BlockFault::Failed => error::IO,
        BlockFault::PastEnd => error::INVALID,
        BlockFault::Full => error::NO_SPACE,
    }
}

struct NbdAnswer {
    line: ReplyLine,
    cookie: u64,
    held: u64,
    is_write: bool,
}

impl BlockAnswer for NbdAnswer {
    fn give(self: Box<Self>, outcome: Result<Vec<u8>, BlockFault>) {
        let (code, data) = match outcome {
            Ok(data) => (0, data),
            // The specification has one error for reads past the end, and one for writes.
            Err(BlockFault::PastEnd) if self.is_write => (error::NO_SPACE, Vec::new()),
            Err(fault) => (code(fault), Vec::new()),
        };
        self.line.send(self.cookie, code, data, self.held);
    }
}

impl ReplyLine {
    fn send(&self, cookie: u64, code: u32, data: Vec<u8>, held: u64) {
        let mut head = [0; 16];
        head[..4].copy_from_slice(&REPLY.to_be_bytes());
        head[4..8].copy_from_slice(&code.to_be_bytes());
        head[8..].copy_from_slice(&cookie.to_be_bytes());
        // The thread that writes lives until all are answered.
        let _ = self.replies.send(NbdReply { head, data, held });
    }
}

/// Writes what is ready, until no reply can come any more. Of a client that is gone they are only counted.
fn write_replies(stream: &UnixStream, ready: &Receiver<NbdReply>, limit: &ClientLimit) {
    let mut is_there = true;
    while let Ok(first) = ready.recv() {
        let mut batch = vec![first];
        batch.extend(ready.try_iter().take(MOST_AT_ONCE - 1));
        if is_there && write_all(stream, &batch).is_err() {
            is_there = false;
            // The reader learns it too.
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
        for reply in batch {
            limit.give_back(reply.held);
        }
    }
}

fn write_all(mut stream: &UnixStream, batch: &[NbdReply]) -> io::Result<()> {
    let mut pieces: Vec<_> = batch
        .iter()
        .flat_map(|reply| [IoSlice::new(&reply.head), IoSlice::new(&reply.data)])
        .collect();
    let mut left = pieces.as_mut_slice();
    IoSlice::advance_slices(&mut left, 0);
    while !left.is_empty() {
        match stream.write_vectored(left) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut left, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
