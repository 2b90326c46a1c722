//! What is asked of the start of a partition: to be on the grids off which it is more than a note.

use super::{StackCase, claims};
use crate::grid::Boundaries;
use crate::grid::place::{Solution, solve};
use crate::layer_id::LayerId;
use crate::stack::Stack;

/// The starts that the judge asks for, partition by partition: what it merely notes asks for nothing.
pub struct StartDemands<'a>(StackCase<'a>);

impl<'a> StartDemands<'a> {
    /// Of a whole stack.
    pub fn of(stack: &'a Stack) -> Self {
        Self(StackCase::new(stack))
    }

    /// The starts in `below` at which the data of a partition are on every grid that asks for it; `None` for one of
    /// which the stack knows nothing but its start.
    pub fn on(&self, below: LayerId, partition: Option<LayerId>) -> Boundaries {
        self.solution(below, partition).starts
    }

    /// The same, with the claims that were kept and given up.
    pub fn solution(&self, below: LayerId, partition: Option<LayerId>) -> Solution {
        let [asking, _] = claims::weighed(&self.0, partition, below);
        solve(asking)
    }
}
