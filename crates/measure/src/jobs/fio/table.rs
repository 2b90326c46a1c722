//! The treatment of each key of fio: `keys.txt`, which is also the table of the documentation.

use std::sync::LazyLock;

/// The table itself.
const TEXT: &str = include_str!("keys.txt");

/// The treatment of a key.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Handling {
    /// It is read, and has its effect.
    Taken,
    /// It asks for what is done here anyway, or changes nothing of what is sent.
    AsHere,
    /// It is left behind, and said.
    Named,
    /// Without it this would be another job.
    Refused,
}

impl Handling {
    /// Its word in the table.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::AsHere => "as-here",
            Self::Named => "named",
            Self::Refused => "refused",
        }
    }
}

/// A key of fio.
#[derive(Clone, Debug)]
pub struct FioKey {
    /// Its name, and others that mean the same.
    pub names: Vec<&'static str>,
    /// Its treatment.
    pub handling: Handling,
    /// Values that ask for nothing.
    pub idle: Vec<&'static str>,
    /// How, or why not.
    pub why: &'static str,
}

impl FioKey {
    /// Its first name.
    pub fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }

    /// Whether a value is that of a job without the key.
    pub fn is_idle(&self, value: &str) -> bool {
        (value == "0" && !self.idle.contains(&"!0")) || self.idle.contains(&value)
    }
}

/// All of them.
pub fn all() -> &'static [FioKey] {
    static ALL: LazyLock<Vec<FioKey>> = LazyLock::new(|| TEXT.lines().filter_map(line).collect());
    &ALL
}

/// The key of this name.
pub fn find(name: &str) -> Option<&'static FioKey> {
    all().iter().find(|key| key.names.contains(&name))
}

fn line(text: &'static str) -> Option<FioKey> {
    let text = (!text.starts_with('#')).then_some(text)?;
    let mut columns = text.split('|').map(str::trim);
    let words = |text: &'static str| text.split(", ").filter(|word| !word.is_empty()).collect();
    let names = words(columns.next()?);
    let handling = match columns.next()? {
        "taken" => Handling::Taken,
        "as-here" => Handling::AsHere,
        "named" => Handling::Named,
        _ => Handling::Refused,
    };
    Some(FioKey {
        names,
        handling,
        idle: words(columns.next()?),
        why: columns.next()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_key() {
        let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(lines.count(), all().len());
        for key in all() {
            assert!(!key.name().is_empty() && !key.why.is_empty(), "{key:?}");
            assert!(TEXT.contains(&format!("| {} |", key.handling.word())));
            let twice = all()
                .iter()
                .filter(|other| other.names.contains(&key.name()));
            assert_eq!(twice.count(), 1, "{key:?}");
        }
        assert_eq!(find("timeout").unwrap().name(), "runtime");
        assert!(find("verify").unwrap().is_idle("0") && !find("verify").unwrap().is_idle("md5"));
        assert!(!find("stats").unwrap().is_idle("0"));
    }
}
