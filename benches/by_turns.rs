//! Times two commands by turns: `by_turns RUNS COMMAND A… -- COMMAND B…`.
//!
//! A program and not a shell loop, because bash pays about 1 ms of fork for each run of both sides, which
//! draws every ratio towards 1; this one uses the cheap spawn of the standard library. Built by `lib.sh` with plain
//! rustc. Prints medians in µs of wall time and of processor time (user + system), and the ratios.

use std::ffi::{c_int, c_long};
use std::process::{Command, Stdio, exit};
use std::time::Instant;

/// `struct rusage` of Linux: two timevals, then 14 longs that are not looked at.
#[repr(C)]
#[derive(Default)]
struct Usage {
    user: [c_long; 2],
    system: [c_long; 2],
    rest: [c_long; 14],
}

unsafe extern "C" {
    fn wait4(pid: c_int, status: *mut c_int, options: c_int, usage: *mut Usage) -> c_int;
}

/// Wall and processor time of one whole process, in µs.
fn once(words: &[String]) -> (f64, f64) {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let child = command.spawn().unwrap_or_else(|error| fail(&format!("{}: {error}", words[0])));
    let (mut status, mut usage) = (0, Usage::default());
    // SAFETY: both pointers are to live values of the layout that the call fills.
    unsafe { wait4(child.id() as c_int, &mut status, 0, &mut usage) };
    let wall = begun.elapsed().as_secs_f64() * 1e6;
    // A signal, or an exit code that is no verdict: the time would be that of a failure.
    if status & 0x7f != 0 || (status >> 8) & 0xff > 3 {
        fail(&format!("failed with status {status:#x}: {words:?}"));
    }
    let micros = |time: [c_long; 2]| time[0] as f64 * 1e6 + time[1] as f64;
    (wall, micros(usage.user) + micros(usage.system))
}

fn fail(why: &str) -> ! {
    eprintln!("by_turns: {why}");
    exit(1)
}

/// Prints one side and returns its median wall and processor time.
fn show(name: &str, runs: &mut [(f64, f64)]) -> (f64, f64) {
    let mut cpu: Vec<f64> = runs.iter().map(|run| run.1).collect();
    cpu.sort_by(f64::total_cmp);
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = |share: usize| runs[(runs.len() - 1) * share / 100].0;
    let middle = cpu[cpu.len() / 2];
    println!(
        "{name:<28} median {:6.0} us  p10 {:6.0}  p90 {:6.0}  processor {middle:6.0}",
        at(50), at(10), at(90)
    );
    (at(50), middle)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let runs = words.first().and_then(|n| n.parse::<usize>().ok()).filter(|n| *n > 0);
    let split = words.iter().position(|word| word == "--");
    let (Some(runs), Some(split)) = (runs, split) else {
        fail("usage: by_turns RUNS COMMAND A… -- COMMAND B…")
    };
    let (a, b) = (&words[1..split], &words[split + 1..]);
    if a.is_empty() || b.is_empty() {
        fail("two commands are wanted");
    }
    let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
    for i in 0..runs + 3 {
        // Who goes first changes, so that neither always finds the caches of the other.
        let (x, y) = if i % 2 == 0 {
            let x = once(a);
            (x, once(b))
        } else {
            let y = once(b);
            (once(a), y)
        };
        // The first rounds warm both up.
        if i >= 3 {
            of_a.push(x);
            of_b.push(y);
        }
    }
    let name = |words: &[String]| {
        let program = words[0].rsplit('/').next().unwrap_or_default().to_owned();
        let last = words.last().filter(|_| words.len() > 1).cloned().unwrap_or_default();
        format!("{program} … {}", last.rsplit('/').next().unwrap_or_default())
    };
    let (a50, a_cpu) = show(&name(a), &mut of_a);
    let (b50, b_cpu) = show(&name(b), &mut of_b);
    println!("ratio: {:.2} (processor time {:.2})", a50 / b50, a_cpu / b_cpu.max(1.0));
}
