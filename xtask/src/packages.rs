//! The programs that builds and tests need, listed in `packages.txt`. `./dev` brings them; here they are only
//! looked for, and what is missing is named.

use std::path::Path;

use anyhow::{Result, bail};

use ioalign_lab::host::which;
use ioalign_lab::rig::kernel;

const LIST: &str = include_str!("../packages.txt");
/// The pattern that stands for the guest's kernel.
const KERNEL: &str = "/boot/vmlinuz-";

/// What a line of the list needs.
struct Need<'a> {
    purpose: &'a str,
    /// A program, a path, or a pattern of paths.
    thing: &'a str,
    package: &'a str,
}

fn needs(list: &str) -> impl Iterator<Item = Need<'_>> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut words = line.split_whitespace();
        Some(Need {
            purpose: words.next()?,
            thing: words.next()?,
            package: words.next()?,
        })
    })
}

/// An error that names the packages of a purpose (`build`, `test`) whose programs are missing.
pub fn ensure(purpose: &str) -> Result<()> {
    let packages = missing(LIST, purpose);
    if packages.is_empty() {
        return Ok(());
    }
    let wanted = packages.join(" ");
    bail!(
        "programs of these Debian packages are missing: {wanted}; `./dev` in place of `cargo xtask` brings them"
    )
}

fn missing<'a>(list: &'a str, purpose: &str) -> Vec<&'a str> {
    let wanted = needs(list).filter(|need| need.purpose == purpose && !is_present(need.thing));
    let mut packages: Vec<_> = wanted.map(|need| need.package).collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

fn is_present(thing: &str) -> bool {
    if thing.starts_with(KERNEL) {
        kernel::newest().is_some()
    } else if thing.starts_with('/') {
        Path::new(thing).exists()
    } else {
        which(thing).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::{LIST, missing, needs};

    #[test]
    fn only_what_is_absent_is_listed_once() {
        let list = "# a comment\ntest / there x\ntest /no/such/a one x\ntest no-such-program one x\nbuild /no two x";
        assert_eq!(missing(list, "test"), ["one"]);
        assert_eq!(missing(list, "build"), ["two"]);
    }

    #[test]
    fn every_line_of_the_list_is_whole() {
        let lines = LIST.lines().filter(|line| !line.starts_with('#'));
        assert!(
            lines
                .clone()
                .all(|line| line.split_whitespace().count() >= 4)
        );
        assert_eq!(needs(LIST).count(), lines.count());
    }
}
