//! The name of a layer within its stack.

use serde::Serialize;

/// The place of a layer in its [`crate::Stack`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct LayerId(pub usize);
