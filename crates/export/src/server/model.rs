//! How long I/Os take.

use ioalign_simulate::engine::OpenArray;
use ioalign_simulate::requests::ArrayRequest;

/// Says when I/Os are complete. Times are nanoseconds since it was made, and never go back.
pub trait ServiceModel: Send {
    /// Takes an I/O that comes now. The tags of what is complete by now are added to `done`.
    fn send(&mut self, now_ns: u64, request: ArrayRequest, tag: u64, done: &mut Vec<u64>);

    /// Adds the tags of what is complete by now to `done`.
    fn advance(&mut self, now_ns: u64, done: &mut Vec<u64>);

    /// When to ask again; `None`: nothing is under way.
    fn next_ns(&self) -> Option<u64>;
}

/// An array of which a part is served: the device begins at a byte of it.
#[derive(Debug)]
pub struct StartedArray {
    /// The array.
    pub array: OpenArray,
    /// Where byte 0 of the device lies.
    pub start: u64,
}

impl ServiceModel for StartedArray {
    fn send(&mut self, now_ns: u64, request: ArrayRequest, tag: u64, done: &mut Vec<u64>) {
        let at = self.start + request.at;
        self.array
            .send(now_ns, ArrayRequest { at, ..request }, tag, done);
    }

    fn advance(&mut self, now_ns: u64, done: &mut Vec<u64>) {
        self.array.advance(now_ns, done);
    }

    fn next_ns(&self) -> Option<u64> {
        self.array.next_ns()
    }
}
