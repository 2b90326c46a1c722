//! Bars on standard error while long work goes on.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar of this look, up to `len` where the end is known; unless it is `shown`, it draws nothing.
/// Nothing is drawn either where standard error is no terminal.
pub fn bar(len: Option<u64>, shown: bool, look: &str) -> ProgressBar {
    let target = if shown {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(len, target);
    if let Ok(style) = ProgressStyle::with_template(look) {
        bar.set_style(style);
    }
    bar
}
