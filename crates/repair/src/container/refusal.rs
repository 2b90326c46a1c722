//! Why an image is not written in place.

use crate::{Error, ErrorKind};

/// A refusal. A new image can always be written.
pub(super) fn refused(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::Refused, why)
}
