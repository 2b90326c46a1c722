//! Reads the result lines of nextest and of libtest.

use std::cmp::Reverse;

/// Tests that passed and that failed.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Counts {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed, and steps other than tests that failed.
    pub failed: u64,
}

impl Counts {
    /// A step that failed as a whole.
    pub const FAILED: Self = Self {
        passed: 0,
        failed: 1,
    };

    /// Adds a line of output, if it is one that counts. Nextest shows the output of a failed test, in which libtest counts it too.
    pub fn line(&mut self, line: &str, is_nextest: bool) {
        let parse = if is_nextest {
            parse_nextest
        } else {
            parse_libtest
        };
        if let Some(more) = parse(line) {
            self.add(more);
        }
    }

    pub const fn add(&mut self, more: Self) {
        let Self { passed, failed } = more;
        self.passed += passed;
        self.failed += failed;
    }

    /// The one line that CI looks for.
    pub fn summary(self) -> String {
        format!("{} passed, {} failed", self.passed, self.failed)
    }
}

/// `Summary [ 12.3s] 9 tests run: 7 passed (1 slow, 1 leaky), 1 failed, 1 timed out, 4 skipped`
fn parse_nextest(line: &str) -> Option<Counts> {
    let (_, numbers) = line
        .trim()
        .strip_prefix("Summary [")?
        .split_once(" run: ")?;
    let words = |words: &str| number(numbers, ',', words).unwrap_or(0);
    Some(Counts {
        passed: number(numbers, ',', "passed")?,
        failed: ["failed", "timed out", "exec failed"]
            .map(words)
            .iter()
            .sum(),
    })
}

/// `test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; …`
fn parse_libtest(line: &str) -> Option<Counts> {
    let (_, numbers) = line
        .trim()
        .strip_prefix("test result: ")?
        .split_once(". ")?;
    Some(Counts {
        passed: number(numbers, ';', "passed")?,
        failed: number(numbers, ';', "failed")?,
    })
}

/// The number before `words`; nextest puts details in brackets behind them.
fn number(numbers: &str, between: char, words: &str) -> Option<u64> {
    numbers.split(between).find_map(|part| {
        let (number, rest) = part.trim().split_once(' ')?;
        let rest = rest.split(" (").next()?;
        (rest == words).then(|| number.parse().ok())?
    })
}

/// How long tests took, as nextest prints it.
#[derive(Default)]
pub struct Durations(Vec<(f64, String)>);

impl Durations {
    /// Remembers a line such as `PASS [   0.004s] (1/9) package::binary test`.
    pub fn line(&mut self, line: &str) {
        self.0.extend(parse_duration(line));
    }

    /// Prints the longest ones.
    pub fn print(&mut self, most: usize) {
        self.0
            .sort_by_key(|(seconds, _)| Reverse(seconds.to_bits()));
        if !self.0.is_empty() {
            println!("\nthe slowest tests:");
        }
        for (seconds, name) in self.0.iter().take(most) {
            println!("{seconds:8.1} s  {name}");
        }
    }
}

fn parse_duration(line: &str) -> Option<(f64, String)> {
    let (state, rest) = line.trim().split_once(" [")?;
    let is_end = ["PASS", "FAIL", "LEAK", "TIMEOUT", "ABORT"].contains(&state);
    let (seconds, name) = rest.split_once("s] ")?;
    let name = name.split_once(") ").map_or(name, |(_, name)| name);
    let seconds = seconds.trim().parse().ok()?;
    is_end.then(|| (seconds, name.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(lines: &[&str], is_nextest: bool) -> Counts {
        let mut counts = Counts::default();
        for line in lines {
            counts.line(line, is_nextest);
        }
        counts
    }

    #[test]
    fn result_lines_of_libtest_are_summed() {
        let found = counted(
            &[
                "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
                "running 3 tests",
                "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            ],
            false,
        );
        assert_eq!(found.summary(), "14 passed, 1 failed");
    }

    #[test]
    fn the_summary_of_nextest_counts() {
        let found = counted(
            &[
                "        PASS [   0.004s] (  1/302) ioalign-core judge::tests::one",
                "    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.34s",
                "     Summary [  30.015s] 10/302 tests run: 6 passed (1 slow, 2 leaky), 1 failed (1 due to being flaky), 2 timed out, 1 exec failed, 5 skipped",
            ],
            true,
        );
        let wanted = Counts {
            passed: 6,
            failed: 4,
        };
        assert_eq!(found, wanted);
        let one = "     Summary [   0.015s] 1 test run: 1 passed, 0 skipped";
        assert_eq!(counted(&[one], true).summary(), "1 passed, 0 failed");
    }

    #[test]
    fn other_lines_do_not_count() {
        for line in [
            "test result::ok ... ok",
            "test result: ok.",
            "test result: ok. many passed; 0 failed",
            "12 passed; 0 failed",
            "Summary [ 1s] 3 tests",
        ] {
            for is_nextest in [false, true] {
                assert_eq!(counted(&[line], is_nextest), Counts::default(), "{line}");
            }
        }
    }

    #[test]
    fn durations_are_read() {
        let line = "        PASS [  12.504s] ( 1/302) ioalign::it fix::killed::often";
        assert_eq!(
            parse_duration(line),
            Some((12.504, "ioalign::it fix::killed::often".to_owned()))
        );
        assert_eq!(
            parse_duration("        SLOW [> 60.000s] ioalign::it a"),
            None
        );
    }
}
