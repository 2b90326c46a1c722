//! Reads the `test result:` lines of libtest and adds them up.

/// Tests that passed and that failed.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Counts {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed, and steps other than tests that failed.
    pub failed: u64,
}

impl Counts {
    /// Adds a line of output, if it is one that counts.
    pub fn line(&mut self, line: &str) {
        if let Some(more) = parse(line) {
            self.passed += more.passed;
            self.failed += more.failed;
        }
    }

    /// The one line that CI looks for.
    pub fn summary(self) -> String {
        format!("{} passed, {} failed", self.passed, self.failed)
    }
}

/// `test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; …`
fn parse(line: &str) -> Option<Counts> {
    let (_, numbers) = line
        .trim()
        .strip_prefix("test result: ")?
        .split_once(". ")?;
    Some(Counts {
        passed: number(numbers, "passed")?,
        failed: number(numbers, "failed")?,
    })
}

fn number(numbers: &str, name: &str) -> Option<u64> {
    let part = numbers
        .split(';')
        .find(|part| part.trim().ends_with(name))?;
    part.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Counts, parse};

    #[test]
    fn result_lines_are_summed() {
        let mut counts = Counts::default();
        for line in [
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "running 3 tests",
            "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
        ] {
            counts.line(line);
        }
        assert_eq!(
            counts,
            Counts {
                passed: 14,
                failed: 1
            }
        );
        assert_eq!(counts.summary(), "14 passed, 1 failed");
    }

    #[test]
    fn other_lines_do_not_count() {
        assert_eq!(parse("test result::ok ... ok"), None);
        assert_eq!(parse("test result: ok."), None);
        assert_eq!(parse("test result: ok. many passed; 0 failed"), None);
        assert_eq!(parse("12 passed; 0 failed"), None);
    }
}
