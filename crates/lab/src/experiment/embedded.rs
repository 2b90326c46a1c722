//! The experiments that the program brings.

use super::LabExperiment;
use crate::error::{LabError, Result};

/// One that is built in.
macro_rules! built_in {
    ($($name:literal),+ $(,)?) => {
        [$(($name, include_str!(concat!("../../experiments/", $name, ".toml")))),+]
    };
}

/// In the order of `lab list`.
const TEXTS: [(&str, &str); 16] = built_in![
    "raid10-six-scenarios",
    "raid10-write-back",
    "vmfs-matrix",
    "fio-1m-writes",
    "iostat-misleads",
    "lun-8k-before-after",
    "oltp",
    "raid5-small-writes",
    "lvm-second-lv",
    "thin-chunk",
    "luks1-payload",
    "guest-in-host",
    "nvme-iu",
    "bogus-opt-io",
    "lowest-aligned-7",
    "misaligned-discard",
];

/// All of them.
///
/// # Errors
///
/// One of them is damaged.
pub fn embedded() -> Result<Vec<LabExperiment>> {
    TEXTS
        .iter()
        .map(|(name, text)| LabExperiment::parse(name, text))
        .collect()
}

/// One by its name.
///
/// # Errors
///
/// There is none of this name.
pub fn named(name: &str) -> Result<LabExperiment> {
    let known = TEXTS.iter().find(|(known, _)| *known == name);
    let Some((_, text)) = known else {
        let names: Vec<_> = TEXTS.iter().map(|(name, _)| *name).collect();
        let text = format!(
            "there is no experiment `{name}`; there are {}",
            names.join(", ")
        );
        return Err(LabError::new(text));
    };
    LabExperiment::parse(name, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_experiment_is_one() {
        for experiment in embedded().unwrap() {
            let name = &experiment.name;
            assert!(
                experiment.about.ends_with('.') || !experiment.about.is_empty(),
                "{name}"
            );
            assert!(experiment.quick.takes_seconds < 120, "{name}");
            let quick = experiment.clone().quick();
            assert!(!quick.arms.is_empty(), "{name}");
            assert_eq!(
                quick.compares.is_empty(),
                experiment.compares.is_empty(),
                "{name}"
            );
        }
        assert!(
            named("x")
                .unwrap_err()
                .to_string()
                .contains("raid10-six-scenarios")
        );
    }

    #[test]
    fn names_that_are_not_there_are_refused() {
        let (name, text) = TEXTS[0];
        for (from, to) in [
            ("about =", "abut ="),
            ("misaligned = \"", "misaligned = \"no "),
        ] {
            let text = text.replacen(from, to, 1);
            assert!(LabExperiment::parse(name, &text).is_err(), "{from}");
        }
    }
}
