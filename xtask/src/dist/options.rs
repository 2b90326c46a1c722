//! What is to be built.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::facts::Architecture;
use crate::paths;

/// A part of a release, as `--only` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Deb,
    Rpm,
    /// The tarball, with the static program.
    Static,
    Oci,
    Wheel,
    Sbom,
    Book,
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::Deb,
        Self::Rpm,
        Self::Static,
        Self::Oci,
        Self::Wheel,
        Self::Sbom,
        Self::Book,
    ];
    /// Those that hold the static program.
    pub const OF_THE_PROGRAM: [Self; 4] = [Self::Deb, Self::Rpm, Self::Static, Self::Oci];

    const fn name(self) -> &'static str {
        match self {
            Self::Deb => "deb",
            Self::Rpm => "rpm",
            Self::Static => "static",
            Self::Oci => "oci",
            Self::Wheel => "wheel",
            Self::Sbom => "sbom",
            Self::Book => "book",
        }
    }

    fn named(name: &str) -> Result<Self> {
        match Self::ALL.into_iter().find(|kind| kind.name() == name) {
            Some(kind) => Ok(kind),
            None => {
                let names = Self::ALL.map(Self::name).join(", ");
                bail!("a release has no {name}; --only takes {names}")
            }
        }
    }
}

/// The arguments of `cargo xtask dist`.
pub struct Options {
    pub architectures: Vec<Architecture>,
    /// Empty: all.
    only: Vec<Kind>,
    /// Of cargo.
    pub profile: String,
    pub out: PathBuf,
    pub prove: bool,
    pub reproduce: bool,
}

impl Options {
    pub fn parse(args: &[String]) -> Result<Self> {
        let mut options = Self {
            architectures: Vec::new(),
            only: Vec::new(),
            profile: "dist".to_owned(),
            out: paths::target().join("packages"),
            prove: false,
            reproduce: false,
        };
        let mut rest = args.iter();
        while let Some(argument) = rest.next() {
            let mut value = || {
                rest.next()
                    .with_context(|| format!("{argument} needs a value"))
            };
            match argument.as_str() {
                "--prove" => options.prove = true,
                "--reproduce" => options.reproduce = true,
                "--out" => options.out = std::path::absolute(value()?)?,
                "--profile" => options.profile.clone_from(value()?),
                "--arch" => options.architectures.push(Architecture::named(value()?)?),
                "--only" => options.only.push(Kind::named(value()?)?),
                other => bail!("dist does not take {other}; `cargo xtask help` shows its options"),
            }
        }
        if options.prove && !options.only.is_empty() {
            bail!("--prove needs all packages: leave --only out");
        }
        if options.architectures.is_empty() {
            options.architectures = Architecture::ALL.to_vec();
        }
        Ok(options)
    }

    /// Whether this part is built.
    pub fn makes(&self, kind: Kind) -> bool {
        self.only.is_empty() || self.only.contains(&kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words)
    }

    #[test]
    fn all_parts_are_built_or_those_that_are_named() {
        let all = parse("").unwrap();
        assert!(Kind::ALL.iter().all(|kind| all.makes(*kind)));
        assert_eq!(all.architectures, Architecture::ALL);
        let some = parse("--only deb --only wheel --arch x86_64").unwrap();
        let made: Vec<&str> = Kind::ALL
            .into_iter()
            .filter(|kind| some.makes(*kind))
            .map(Kind::name)
            .collect();
        assert_eq!(made, ["deb", "wheel"]);
        assert_eq!(some.architectures, [Architecture::X86]);
    }

    #[test]
    fn what_is_no_part_and_half_a_proof_are_refused() {
        let said = |line| parse(line).map(|_| ()).unwrap_err().to_string();
        assert!(said("--only snap").contains("deb, rpm, static, oci, wheel, sbom, book"));
        assert!(said("--prove --only deb").contains("--prove"));
        assert!(said("--only").contains("needs a value"));
    }
}
