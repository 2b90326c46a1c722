//! The terminal, borrowed and given back.

use std::io::{self, Stdout};
use std::sync::Once;

use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

/// Holds the terminal while it lives.
pub struct TerminalGuard {
    /// To draw on.
    pub terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl TerminalGuard {
    /// Takes the terminal.
    pub fn new() -> io::Result<Self> {
        restore_on_panic();
        enable_raw_mode()?;
        let taken = execute!(io::stdout(), EnterAlternateScreen, cursor::Hide);
        let made = taken.and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        if made.is_err() {
            restore();
        }
        Ok(Self { terminal: made? })
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        restore();
    }
}

fn restore() {
    // Nobody is left to report a failure to.
    let _ = disable_raw_mode();
    let _ = execute!(io::stdout(), LeaveAlternateScreen, cursor::Show);
}

/// A panic's message must land on a terminal that shows it.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            restore();
            before(info);
        }));
    });
}
