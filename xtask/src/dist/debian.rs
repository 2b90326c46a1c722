//! The `.deb`: the files, and what dpkg is to know. It has no maintainer scripts: units are installed, not enabled.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::facts::{Architecture, DESCRIPTION, HOMEPAGE, MAINTAINER, ReleaseFacts, SUMMARY};
use super::{stable, write};
use crate::run;

/// Why lintian is not to complain.
const OVERRIDES: &str = "\
# The same program is in the tarball, the .rpm and the image, and runs on every Linux.
ioalign: statically-linked-binary [usr/bin/ioalign]
# The package is made by its authors, not by Debian.
ioalign: initial-upload-closes-no-bugs
";

/// `ioalign_VERSION_ARCHITECTURE.deb`.
pub fn package(
    facts: &ReleaseFacts,
    architecture: Architecture,
    tree: &Path,
    work: &Path,
    folder: &Path,
) -> Result<()> {
    let root = work.join("debian");
    run::output(run::command("cp").arg("-a").arg(tree).arg(&root))?;
    changelog(facts, &root)?;
    write(&root.join("usr/share/lintian/overrides/ioalign"), OVERRIDES)?;
    let sums = run::output(
        run::command("sh")
            .args([
                "-c",
                "find usr -type f | LC_ALL=C sort | xargs -d '\\n' md5sum",
            ])
            .current_dir(&root),
    )?;
    write(&root.join("DEBIAN/md5sums"), sums)?;
    write(
        &root.join("DEBIAN/control"),
        control(facts, architecture, kib(&root)?),
    )?;
    run::output(run::command("chmod").args(["-R", "u=rwX,go=rX"]).arg(&root))?;
    let name = format!("ioalign_{}_{}.deb", version(facts), architecture.debian());
    let mut build = stable(facts, "dpkg-deb");
    build
        .args(["--root-owner-group", "-Zxz", "--build"])
        .arg(&root)
        .arg(folder.join(name));
    run::output(&mut build)?;
    Ok(())
}

/// The first package of a version.
fn version(facts: &ReleaseFacts) -> String {
    format!("{}-1", facts.version)
}

/// Of the package; that of the program lies beside it.
fn changelog(facts: &ReleaseFacts, root: &Path) -> Result<()> {
    let time = format!("@{}", facts.seconds);
    let date = run::output(stable(facts, "date").args(["-u", "-R", "-d", &time]))?;
    let text = format!(
        "ioalign ({}) unstable; urgency=medium\n\n  * Version {}: see changelog.gz.\n\n -- {MAINTAINER}  {date}",
        version(facts),
        facts.version,
    );
    let place = root.join("usr/share/doc/ioalign/changelog.Debian");
    write(&place, text)?;
    run::output(stable(facts, "gzip").arg("-9n").arg(&place))?;
    Ok(())
}

fn control(facts: &ReleaseFacts, architecture: Architecture, kib: u64) -> String {
    let description = DESCRIPTION.join("\n ");
    format!(
        "Package: ioalign\nVersion: {}\nArchitecture: {}\nMaintainer: {MAINTAINER}\nInstalled-Size: {kib}\n\
         Suggests: qemu-system-x86\nSection: admin\nPriority: optional\nHomepage: {HOMEPAGE}\nDescription: {SUMMARY}\n {description}\n",
        version(facts),
        architecture.debian(),
    )
}

/// Sizes as policy 5.6.20 counts them.
fn kib(folder: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        sum += if entry.file_type()?.is_dir() {
            1 + kib(&entry.path())?
        } else {
            entry.metadata()?.len().div_ceil(1024)
        };
    }
    Ok(sum)
}
