//! Many I/Os of one device at once.

use super::{DeviceState, op};
use crate::analyse::flows::Flows;
use crate::analyse::rmw::Steps;
use crate::analyse::wide::{Classes, PLACED, Rows, Vectors, equal};
use crate::record::Op;

impl DeviceState {
    /// Added to every offset.
    pub const fn shift(&self) -> i64 {
        self.placement.shift
    }

    /// Counts rows, but for the steps of their latencies. When the last of them ended.
    #[inline(always)]
    pub fn add_rows(
        &mut self,
        vectors: impl Vectors,
        rows: &Rows,
        classes: &Classes,
        steps: &mut Steps,
    ) -> i64 {
        let last = self.clock.add_rows(vectors, rows);
        if let Some(mut flows) = self.flows.take() {
            self.add_rows_by(&mut flows, rows, classes);
            self.flows = Some(flows);
        }
        for (kind, number) in Op::ALL.into_iter().zip(0..).take(PLACED) {
            let ios = equal(&rows.op, number);
            if ios > 0 {
                let state = op(&mut self.ops, (&self.placement, &self.room), kind);
                state.add_rows(vectors, rows, classes, (number, ios));
            }
        }
        for rmw in &mut self.rmw {
            rmw.add_rows(rows, steps);
        }
        if self.placement.route.is_some() {
            (0..rows.count()).for_each(|row| self.below(&rows.io(row), false));
        }
        last
    }

    /// By flows; what these do not know is counted row by row as far as they tell.
    #[inline(always)]
    fn add_rows_by(&mut self, flows: &mut Flows, rows: &Rows, classes: &Classes) {
        let (mut missed, mut row) = (0, 0);
        loop {
            row = flows.add_rows(rows, classes, row);
            if row >= rows.count() {
                break;
            }
            missed += 1;
            self.add_kind_and_learn(rows, row, flows);
            row += 1;
        }
        // A batch has few rows.
        #[allow(clippy::cast_possible_truncation)]
        let hits = rows.count() as u32 - missed;
        if flows.is_due(hits, missed) {
            self.add_flows(flows);
        }
    }

    #[inline(never)]
    fn add_kind_and_learn(&mut self, rows: &Rows, row: usize, flows: &mut Flows) {
        let io = rows.io(row);
        op(&mut self.ops, (&self.placement, &self.room), io.op).add_kind(&io);
        if self.settings.processes {
            self.owners.add(&io);
        }
        self.learn(&io, flows);
    }

    /// Adds counts by step of the latencies of an operation.
    pub fn add_steps(&mut self, of: Op, steps: &[u32]) {
        op(&mut self.ops, (&self.placement, &self.room), of).add_steps(steps);
    }
}
