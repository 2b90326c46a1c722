//! The `.rpm`, by rpmbuild from the same files.

use std::path::Path;

use anyhow::Result;

use super::facts::{Architecture, DESCRIPTION, HOMEPAGE, LICENSE, ReleaseFacts, SUMMARY};
use super::{stable, write};
use crate::run;

/// `ioalign-VERSION-1.ARCHITECTURE.rpm`.
pub fn package(
    facts: &ReleaseFacts,
    architecture: Architecture,
    tree: &Path,
    work: &Path,
    folder: &Path,
) -> Result<()> {
    let spec = work.join("ioalign.spec");
    write(&spec, text(facts, tree))?;
    let top = work.join("rpm");
    let define = |name: &str, value: &str| format!("--define={name} {value}");
    let mut build = stable(facts, "rpmbuild");
    build
        .args(["-bb", "--quiet", "--target", architecture.rust()])
        .arg(define("_topdir", &top.display().to_string()))
        .arg(define("_rpmdir", &folder.display().to_string()))
        .arg(define(
            "_rpmfilename",
            "%{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm",
        ))
        .arg(define("_dbpath", &top.join("db").display().to_string()))
        .arg(define("_buildhost", "localhost"))
        .arg(define("use_source_date_epoch_as_buildtime", "1"))
        .arg(define("clamp_mtime_to_source_date_epoch", "1"))
        .arg(define("_build_id_links", "none"))
        .arg(&spec);
    run::output(&mut build)?;
    Ok(())
}

fn text(facts: &ReleaseFacts, tree: &Path) -> String {
    let description = DESCRIPTION.join("\n");
    format!(
        "Name: ioalign\nVersion: {}\nRelease: 1\nSummary: {}\nLicense: {LICENSE}\nURL: {HOMEPAGE}\nAutoReqProv: no\n\
         %global __os_install_post %{{nil}}\n%global debug_package %{{nil}}\n%description\n{description}\n\
         %install\nmkdir -p %{{buildroot}}\ncp -a {}/. %{{buildroot}}\n\
         mv %{{buildroot}}/usr/share/zsh/vendor-completions %{{buildroot}}/usr/share/zsh/site-functions\n\
         %files\n%defattr(-,root,root)\n/usr/bin/ioalign\n/usr/lib/systemd/system/*\n%doc /usr/share/doc/ioalign\n\
         /usr/share/man/man1/*\n/usr/share/bash-completion/completions/ioalign\n/usr/share/zsh/site-functions/_ioalign\n\
         /usr/share/fish/vendor_completions.d/ioalign.fish\n",
        facts.version,
        capital(SUMMARY),
        tree.display(),
    )
}

/// Debian wants a summary that begins small, RPM one that begins large.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
