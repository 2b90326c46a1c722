//! Shares in few characters.

/// `12 %`, `0.6 %`, `0 %`.
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    if value.abs() >= 9.95 {
        return format!("{value:.0} %");
    }
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    format!("{} %", if text == "-0" { "0" } else { text })
}

/// `8 to 15 %`; one number where both ends look alike.
pub fn range(low: f64, high: f64) -> String {
    let (low, high) = (percent(low), percent(high));
    if low == high {
        low
    } else {
        format!("{} to {high}", low.trim_end_matches(" %"))
    }
}

/// What a count belongs to: `1 cell`, `3 cells`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_short() {
        assert_eq!(percent(0.123), "12 %");
        assert_eq!(percent(0.0061), "0.6 %");
        assert_eq!(percent(-0.0001), "0 %");
        assert_eq!(range(0.08, 0.151), "8 to 15 %");
        assert_eq!(range(0.121, 0.122), "12 %");
        assert_eq!(counted(1, "cell"), "1 cell");
    }
}
