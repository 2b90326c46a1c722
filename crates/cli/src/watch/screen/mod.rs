//! The full screen: devices, and of one of them operations, alignment, sizes, latency, processes and control groups.
//!
//! The terminal is restored after any end of the program: a key, a signal, an error, a panic.

mod draw;
mod terminal;
mod view;

use std::time::{Duration, Instant};

use anyhow::Result;
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ioalign_observe::live::Watch;

use super::group_names::GroupNames;
use super::mode::{POLL, WatchMode, over, wait};
use super::tick::Clock;
use crate::args::WatchArgs;
use crate::interrupt::{GLANCE, Interrupt};
use terminal::TerminalGuard;
use view::ScreenView;

/// The action of a key.
enum Asked {
    Nothing,
    Redraw,
    End,
}

/// Shows intervals; whether the end that was asked for was reached.
pub fn run(
    clock: &mut Clock,
    watch: &Watch,
    (arguments, mode): (&WatchArgs, WatchMode),
    groups: &mut GroupNames,
    interrupt: &Interrupt,
) -> Result<bool> {
    let mut guard = TerminalGuard::new()?;
    let mut view = ScreenView::new(watch.devices(), arguments.interval, mode);
    guard.terminal.draw(|frame| draw::all(frame, &view))?;
    let mut count = 0;
    loop {
        let next = Instant::now() + wait(clock, arguments);
        while Instant::now() < next {
            let soon = next.min(Instant::now() + POLL);
            if !keys(&mut guard, &mut view, soon, interrupt)? {
                return Ok(false);
            }
            clock.poll(watch, groups)?;
        }
        view.update(&clock.tick(watch)?, groups);
        guard.terminal.draw(|frame| draw::all(frame, &view))?;
        count += 1;
        if over(clock, arguments, count) {
            return Ok(true);
        }
    }
}

/// Serves keys until `next`; false when the end was asked for.
fn keys(
    guard: &mut TerminalGuard,
    view: &mut ScreenView,
    next: Instant,
    interrupt: &Interrupt,
) -> Result<bool> {
    loop {
        let left = next.saturating_duration_since(Instant::now());
        if interrupt.asked() {
            return Ok(false);
        }
        if left == Duration::ZERO {
            return Ok(true);
        }
        if !event::poll(left.min(GLANCE))? {
            continue;
        }
        match key(&event::read()?, view) {
            Asked::End => return Ok(false),
            Asked::Redraw => {
                guard.terminal.draw(|frame| draw::all(frame, view))?;
            }
            Asked::Nothing => {}
        }
    }
}

fn key(event: &Event, view: &mut ScreenView) -> Asked {
    let Event::Key(KeyEvent {
        code,
        modifiers,
        kind: KeyEventKind::Press,
        ..
    }) = event
    else {
        return match event {
            Event::Resize(..) => Asked::Redraw,
            _ => Asked::Nothing,
        };
    };
    match code {
        KeyCode::Char('q') | KeyCode::Esc => return Asked::End,
        KeyCode::Char('c') if modifiers.contains(KeyModifiers::CONTROL) => return Asked::End,
        KeyCode::Down | KeyCode::Right | KeyCode::Char('j') => view.choose(1),
        KeyCode::Up | KeyCode::Left | KeyCode::Char('k') => view.choose(-1),
        KeyCode::Char('a') => view.whole = !view.whole,
        _ => return Asked::Nothing,
    }
    Asked::Redraw
}
