//! Kernel releases, as far as rules depend on them.

use std::fmt;

/// The first two numbers of a release: 6.18 of `6.18.44-generic`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelRelease(pub u32, pub u32);

impl KernelRelease {
    /// `None` where the text begins with no release.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('.');
        let major = parts.next()?.parse().ok()?;
        let minor = parts.next()?;
        let digits = minor.find(|c: char| !c.is_ascii_digit());
        let minor = minor.get(..digits.unwrap_or(minor.len()))?.parse().ok()?;
        Some(Self(major, minor))
    }
}

impl fmt::Display for KernelRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_of_distributions() {
        for (text, release) in [
            ("6.18.44-fc", Some(KernelRelease(6, 18))),
            ("6.8.0-45-generic", Some(KernelRelease(6, 8))),
            ("6.12-rc1", Some(KernelRelease(6, 12))),
            ("5.14.0-503.el9.x86_64", Some(KernelRelease(5, 14))),
            ("6", None),
            ("", None),
            ("x.y", None),
        ] {
            assert_eq!(KernelRelease::parse(text), release, "{text}");
        }
        assert!(KernelRelease(6, 9) < KernelRelease(6, 16));
    }
}
