//! Values of workloads as people type them, in job files and on the command line.

use ioalign_core::SectorSize;
use ioalign_core::units::parse_size;
use ioalign_core::workload::{Pattern, SizeShare};

/// `4k`, `1536`, `63s`.
pub fn size(text: &str) -> Result<u64, String> {
    let size = parse_size(text, SectorSize::S512).map_err(|error| error.to_string())?;
    Ok(size.get())
}

/// A size of I/O: not 0, and not more than a gibibyte.
pub fn block(text: &str) -> Result<u64, String> {
    let bytes = size(text)?;
    let fits = (1..=1 << 30).contains(&bytes);
    fits.then_some(bytes)
        .ok_or_else(|| format!("`{text}` is no size of an I/O: 512 to 1G"))
}

/// How much of a target is used: not 0.
pub fn target_size(text: &str) -> Result<u64, String> {
    let bytes = size(text)?;
    let some = (bytes > 0).then_some(bytes);
    some.ok_or_else(|| "nothing of the target would be used".to_owned())
}

/// `4k:50,8k:30,64k:20`; without weights all are alike.
pub fn mix(text: &str) -> Result<Vec<SizeShare>, String> {
    let one = |part: &str| {
        let (bytes, weight) = part.rsplit_once(':').unwrap_or((part, "1"));
        let weight = weight.trim().trim_end_matches('%');
        let wrong = || format!("`{weight}` is no weight: a whole number above 0");
        let weight = weight.parse().ok().filter(|weight| *weight > 0);
        Ok(SizeShare {
            bytes: block(bytes.trim())?,
            weight: weight.ok_or_else(wrong)?,
        })
    };
    text.split(',').map(one).collect()
}

/// `70%`, `0.5%`, `0.7`: a ratio from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let (digits, unit) = match text.strip_suffix('%') {
        Some(percent) => (percent.trim(), 100.0),
        None => (text, 1.0),
    };
    let value = digits.parse::<f64>().ok().map(|value| value / unit);
    let value = value.filter(|value| (0.0..=1.0).contains(value));
    value.ok_or_else(|| format!("`{text}` is no share: 70%, 0.7"))
}

/// `read`, `write`, `read-70`: the share of reads.
pub fn op(text: &str) -> Result<f64, String> {
    match text.trim() {
        "read" => Ok(1.0),
        "write" => Ok(0.0),
        other => match other.strip_prefix("read-") {
            Some(percent) => share(&format!("{}%", percent.trim_end_matches('%'))),
            None => Err(format!("`{other}` is no operation: read, write, read-70")),
        },
    }
}

/// The word for a share of reads: the other way of [`op`].
pub fn op_word(read_ratio: f64) -> String {
    match read_ratio {
        r if r >= 1.0 => "read".to_owned(),
        r if r <= 0.0 => "write".to_owned(),
        r => format!("read-{}", (r * 1e4).round() / 100.0),
    }
}

/// `random`, `sequential`, `zipf`, `zipf:1.2`.
pub fn pattern(text: &str) -> Result<Pattern, String> {
    const USUAL: f64 = 1.2;
    let known = || format!("`{text}` is no pattern: random, sequential, zipf:1.2");
    match text.trim() {
        "random" => Ok(Pattern::Random),
        "sequential" => Ok(Pattern::Sequential),
        "zipf" => Ok(Pattern::Zipf { theta: USUAL }),
        other => {
            let theta = other.strip_prefix("zipf:").ok_or_else(known)?;
            let theta = theta
                .parse()
                .ok()
                .filter(|theta| (0.0..=5.0).contains(theta));
            Ok(Pattern::Zipf {
                theta: theta.ok_or_else(known)?,
            })
        }
    }
}

/// The word for a pattern: the other way of [`pattern`].
pub fn pattern_word(pattern: Pattern) -> String {
    match pattern {
        Pattern::Zipf { theta } => format!("zipf:{theta}"),
        other => other.word().to_owned(),
    }
}

/// Milliseconds: `500ms`, `60s`, `1.5s`, `4m`, `1h`; a plain number counts seconds.
pub fn millis(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 5] = [
        ("ms", 1.0),
        ("min", 60_000.0),
        ("m", 60_000.0),
        ("h", 3_600_000.0),
        ("s", 1_000.0),
    ];
    const YEAR_MS: f64 = 3.2e10;
    let text = text.trim();
    let unit = UNITS
        .iter()
        .find_map(|(name, factor)| Some((text.strip_suffix(name)?, *factor)));
    let (digits, factor) = unit.unwrap_or((text, 1_000.0));
    let value = digits
        .trim()
        .parse::<f64>()
        .ok()
        .map(|value| value * factor);
    let value = value.filter(|value| (0.0..YEAR_MS).contains(value));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within range
    value
        .map(|value| value.round() as u64)
        .ok_or_else(|| format!("`{text}` is no time: 500ms, 60s, 4m, 1h"))
}

/// Whole bytes in hexadecimal: `deadbeef`, `0xdeadbeef`.
pub fn hex(text: &str) -> Result<String, String> {
    let digits = text.trim();
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    let right = !digits.is_empty()
        && digits.len().is_multiple_of(2)
        && digits.len() <= 1024
        && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !right {
        return Err(format!(
            "`{text}` is no pattern of bytes in hexadecimal: deadbeef"
        ));
    }
    are_not_zeros(digits)
        .then(|| digits.to_ascii_lowercase())
        .ok_or_else(|| format!("`{text}` is zeros alone, which arrays do not store"))
}

/// Whether there is anything but zeros in hexadecimal digits.
pub(super) fn are_not_zeros(digits: &str) -> bool {
    digits.bytes().any(|digit| digit != b'0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_read() {
        assert_eq!(size("63s"), Ok(32256));
        assert_eq!(mix("4k:3,8k").unwrap().len(), 2);
        assert_eq!(share("0.5%"), Ok(0.005));
        assert_eq!(share("1"), Ok(1.0));
        assert_eq!(op("read-70"), Ok(0.7));
        assert_eq!(op_word(0.7), "read-70");
        assert_eq!(pattern("zipf:0.9"), Ok(Pattern::Zipf { theta: 0.9 }));
        assert_eq!(millis("4m"), Ok(240_000));
        assert_eq!(millis("1.5"), Ok(1500));
        assert_eq!(hex("0xDEAD"), Ok("dead".to_owned()));
        assert!(block("0").is_err() && mix("4k:0").is_err() && share("101%").is_err());
        assert!(hex("0000").unwrap_err().contains("zeros"));
        assert!(op("both").is_err() && pattern("zipf:x").is_err() && hex("abc").is_err());
        assert!(millis("-1s").is_err() && millis("1y").is_err() && millis("").is_err());
    }

    proptest! {
        #[test]
        fn no_text_stops_the_program(text in ".{0,20}") {
            let _ = (mix(&text), share(&text), op(&text), pattern(&text), millis(&text), hex(&text));
        }

        #[test]
        fn a_word_for_reads_says_their_share(percent in 0_u32..=100) {
            let ratio = f64::from(percent) / 100.0;
            prop_assert!((op(&op_word(ratio)).unwrap() - ratio).abs() < 1e-9);
        }
    }
}
