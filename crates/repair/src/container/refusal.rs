//! Why an image is not written in place.

use crate::{Error, ErrorKind};

/// A refusal, with the way that is always open.
pub(super) fn refused(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::Refused, why).advise("`--output NEW-IMAGE` leaves this one as it is")
}
