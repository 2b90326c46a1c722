//! Days of the calendar, in UTC. Reading `YYYY-MM-DD` and comparing needs no library.

use std::fmt;
use std::str::FromStr;

use crate::time::date;

/// Year, month and day; ordered.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(u64, u64, u64);

impl Day {
    /// The day of a second since 1970.
    pub const fn at(seconds: u64) -> Self {
        let (year, month, day) = date(seconds / 86_400);
        Self(year, month, day)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.0, self.1, self.2)
    }
}

impl FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no day: write YYYY-MM-DD");
        let parts: Vec<&str> = text.split('-').collect();
        let &[year, month, day] = parts.as_slice() else {
            return Err(wrong());
        };
        let number = |part: &str, digits: usize| {
            let plain = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| part.parse().ok()).flatten()
        };
        let found = (number(year, 4), number(month, 2), number(day, 2));
        let (Some(year), Some(month), Some(day)) = found else {
            return Err(wrong());
        };
        if (1..=days_of(year, month)).contains(&day) {
            Ok(Self(year, month, day))
        } else {
            Err(wrong())
        }
    }
}

/// How many days a month has; none when there is no such month.
const fn days_of(year: u64, month: u64) -> u64 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_strictly_and_compared() {
        let day = |text: &str| text.parse::<Day>();
        assert!(day("2026-12-31").unwrap() < day("2027-01-01").unwrap());
        assert_eq!(day("2028-02-29").unwrap().to_string(), "2028-02-29");
        for wrong in [
            "2027-02-29",
            "2027-13-01",
            "2027-1-1",
            "31.12.2027",
            "",
            "2100-02-29",
            "2027-04-31",
            "+027-01-01",
        ] {
            assert!(day(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Day::at(1_709_251_199), day("2024-02-29").unwrap());
        assert!(Day::at(1_709_251_200) > day("2024-02-29").unwrap());
    }
}
