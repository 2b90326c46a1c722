//! What the Python package calls: the documents of `ioalign check --json` and `ioalign trace summarize --json`, as text.
//!
//! They are made by the functions that the program uses. Nothing is printed, no signal is caught, and other threads of
//! Python run meanwhile.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use ioalign_check::{CheckJob, report};
use ioalign_observe::error::{ObserveError, ObserveErrorKind};
use ioalign_observe::formats::Hints;
use ioalign_observe::pipeline::TraceSummary;
use ioalign_observe::{TraceProgress, TraceSettings, nothing_parsed, summarize};
use ioalign_report::{RenderOptions, json};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    ioalign,
    UnreadableError,
    PyException,
    "What was named cannot be read: the line that the program would end with."
);

/// How often Python is asked whether Ctrl-C was typed.
const GLANCE: Duration = Duration::from_millis(50);

/// The document of `ioalign check --json --no-policy PATH`.
#[pyfunction]
fn check(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    py.detach(move || {
        let report = report::path(&path, &CheckJob::default());
        match report::unreadable(&report) {
            Some(why) => Err(UnreadableError::new_err(why)),
            None => Ok(json::render(&report, &RenderOptions::default())),
        }
    })
}

/// What the caller says of a trace, all of it in a dictionary. Units are bytes and nanoseconds.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct TraceFacts {
    format: Option<String>,
    columns: Option<String>,
    offset_unit: Option<u32>,
    length_unit: Option<u32>,
    time_unit: Option<u64>,
    latency_unit: Option<u64>,
}

/// The document of `ioalign trace summarize --json PATHS`.
#[pyfunction]
fn profile(py: Python<'_>, paths: Vec<PathBuf>, facts: TraceFacts) -> PyResult<String> {
    let settings = TraceSettings {
        format: facts.format,
        hints: Hints {
            offset_unit: facts.offset_unit,
            length_unit: facts.length_unit,
            time_unit: facts.time_unit,
            latency_unit: facts.latency_unit,
            columns: facts.columns,
            device: None,
        },
        ..TraceSettings::default()
    };
    py.detach(move || {
        let progress = TraceProgress::default();
        let read = interruptible(&progress, || summarize(&paths, &settings, &progress))?;
        let profile = read
            .map(TraceSummary::into_profile)
            .map_err(|error| refused(&error))?;
        match nothing_parsed(&profile.files, profile.events) {
            Some(why) => Err(UnreadableError::new_err(why)),
            None => Ok(json::pretty(&profile)),
        }
    })
}

/// Works in another thread while this one looks for Ctrl-C, which ends the work and is raised.
fn interruptible<T: Send>(
    progress: &TraceProgress,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let (done, wait) = channel();
    thread::scope(|scope| {
        scope.spawn(move || done.send(work()));
        loop {
            match wait.recv_timeout(GLANCE) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(UnreadableError::new_err(
                        "the reading of the trace ended early",
                    ));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(interrupt) = Python::attach(|py| py.check_signals()) {
                        progress.stop.store(true, Ordering::Relaxed);
                        return Err(interrupt);
                    }
                }
            }
        }
    })
}

fn refused(error: &ObserveError) -> PyErr {
    let what = error.to_string();
    match error.kind() {
        // A fact is missing, or one was given that no format asks for.
        ObserveErrorKind::Ask => pyo3::exceptions::PyValueError::new_err(what),
        _ => UnreadableError::new_err(what),
    }
}

#[pymodule]
fn _ioalign(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("UnreadableError", module.py().get_type::<UnreadableError>())?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(profile, module)?)
}
