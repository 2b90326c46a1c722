//! The workers of a comparison: the first is the thread that asks, so that one worker costs no hand-over.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::lane::{Lane, LaneOrder};
use super::span::WorkerSpan;
use crate::{Error, ErrorKind, Result};

/// All workers.
pub(super) struct Team {
    first: Lane,
    helpers: Vec<Helper>,
}

struct Helper {
    orders: Option<Sender<LaneOrder>>,
    done: Receiver<Result<WorkerSpan>>,
}

impl Team {
    /// `make` is called on the thread of each worker, with its number.
    pub(super) fn new<M>(workers: u32, notes: &mut Vec<String>, make: M) -> Result<Self>
    where
        M: Fn(u32, &mut Vec<String>) -> Result<Lane> + Clone + Send + 'static,
    {
        let first = make(0, notes)?;
        let helpers = (1..workers).map(|number| Helper::new(number, make.clone()));
        let helpers: Vec<_> = helpers.collect::<Result<_>>()?;
        for helper in &helpers {
            helper.answer()?;
        }
        Ok(Self { first, helpers })
    }

    /// Tells all, and waits for all.
    pub(super) fn all(&mut self, order: LaneOrder) -> Result<WorkerSpan> {
        for helper in &self.helpers {
            if let Some(orders) = &helper.orders {
                orders.send(order).ok();
            }
        }
        let mut whole = self.first.obey(order);
        for helper in &self.helpers {
            whole = match (whole, helper.answer()) {
                (Ok(one), Ok(other)) => Ok(one.with(other)),
                (Err(error), _) | (_, Err(error)) => Err(error),
            };
        }
        whole
    }
}

impl Helper {
    fn new<M>(number: u32, make: M) -> Result<Self>
    where
        M: Fn(u32, &mut Vec<String>) -> Result<Lane> + Send + 'static,
    {
        let (orders, inbox) = channel();
        let (answers, done) = channel();
        let work = move || {
            let mut lane = match make(number, &mut Vec::new()) {
                Ok(lane) => lane,
                Err(error) => return drop(answers.send(Err(error))),
            };
            answers.send(Ok(WorkerSpan::default())).ok();
            for order in inbox {
                if answers.send(lane.obey(order)).is_err() {
                    break;
                }
            }
        };
        std::thread::Builder::new()
            .name(format!("load-{number}"))
            .spawn(work)
            .map_err(|error| Error::io("a worker cannot be started", error))?;
        Ok(Self {
            orders: Some(orders),
            done,
        })
    }

    fn answer(&self) -> Result<WorkerSpan> {
        let lost = |_| Error::new(ErrorKind::Device, "a worker ended by itself");
        self.done.recv().map_err(lost)?
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        drop(self.orders.take());
        // The queue is closed when nothing can answer any more. The thread is not joined: with I/O that
        // hangs it does not end.
        while self.done.recv().is_ok() {}
    }
}
