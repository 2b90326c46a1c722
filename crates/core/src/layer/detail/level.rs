//! The level of an array.

/// The level of an array, under the name that its maker gives it: `raid5`, `raid6_zr`, `striped`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayLevel {
    name: String,
    redundancy: ArrayRedundancy,
}

/// How an array does without one of its members.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ArrayRedundancy {
    /// It does not, or is not known to.
    None,
    /// Others have a copy.
    Copies,
    /// It is computed from the others.
    Parity,
}

impl ArrayLevel {
    /// The level of this name, in the words of md, LVM and controllers.
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        let number = name.strip_prefix("raid").unwrap_or_default();
        let digits = number.find(|c: char| !c.is_ascii_digit());
        let redundancy = match &number[..digits.unwrap_or(number.len())] {
            "1" | "10" => ArrayRedundancy::Copies,
            // 50 and 60 are stripes over such arrays.
            "4" | "5" | "6" | "50" | "60" => ArrayRedundancy::Parity,
            _ => ArrayRedundancy::None,
        };
        Self { name, redundancy }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a write of a part of a stripe reads the rest.
    pub fn has_parity(&self) -> bool {
        self.redundancy == ArrayRedundancy::Parity
    }

    /// Whether it does without a member.
    pub fn is_redundant(&self) -> bool {
        self.redundancy != ArrayRedundancy::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_all_makers() {
        let of = |name: &str| {
            let level = ArrayLevel::new(name);
            (level.has_parity(), level.is_redundant())
        };
        for name in [
            "raid4",
            "raid5",
            "raid5_ls",
            "raid6_n_6",
            "raid50",
            "raid60",
        ] {
            assert_eq!(of(name), (true, true), "{name}");
        }
        for name in ["raid1", "raid10", "raid10_near"] {
            assert_eq!(of(name), (false, true), "{name}");
        }
        for name in [
            "raid0",
            "raid0_meta",
            "striped",
            "linear",
            "raid",
            "",
            "raid-5",
        ] {
            assert_eq!(of(name), (false, false), "{name}");
        }
    }
}
