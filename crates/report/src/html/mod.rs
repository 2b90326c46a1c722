//! One self-contained page.
use crate::{Options, Report};

/// Stub while building.
pub fn render(_r: &Report, _o: &Options) -> String {
    String::new()
}
