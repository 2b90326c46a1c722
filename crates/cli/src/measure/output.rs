//! Where a comparison goes.

use anyhow::Result;
use ioalign_core::comparison::Comparison;
use ioalign_report::Options;
use ioalign_report::comparison::Format;

use crate::args::ShownArgs;
use crate::check;
use crate::look;

/// To the file that was named, or to standard output.
pub fn write(comparison: &Comparison, shown: &ShownArgs) -> Result<()> {
    let format = shown.format();
    let mut options: Options = look::options(&shown.look);
    options.color &= format == Format::Text && shown.output.is_none();
    let text = format.render(comparison, &options);
    check::to(shown.output.as_deref(), |out| {
        out.write_all(text.as_bytes())
    })
}
