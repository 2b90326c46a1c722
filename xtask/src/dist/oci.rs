//! The image for containers: the program alone, as an archive in the layout of OCI.

use std::path::Path;

use anyhow::Result;

use super::facts::{Architecture, HOMEPAGE, LICENSE, ReleaseFacts, SUMMARY};
use super::{archives, stable};
use crate::run;

/// `ioalign-VERSION-ARCHITECTURE.oci.tar.gz`, by umoci.
pub fn image(
    facts: &ReleaseFacts,
    architecture: Architecture,
    program: &Path,
    work: &Path,
    folder: &Path,
) -> Result<()> {
    let layout = work.join("oci");
    let image = format!("{}:{}", layout.display(), facts.version);
    let umoci = |args: &[&str]| run::output(stable(facts, "umoci").args(args));
    let layout_text = layout.display().to_string();
    umoci(&["init", "--layout", &layout_text])?;
    umoci(&["new", "--image", &image])?;
    let time = run::output(
        run::command("date")
            .args(["-u", "-d"])
            .arg(format!("@{}", facts.seconds))
            .arg("+%FT%TZ"),
    )?;
    let time = time.trim();
    let alone = work.join("ioalign");
    std::fs::copy(program, &alone)?;
    run::output(run::command("touch").args(["-d", time]).arg(&alone))?;
    umoci(&[
        "insert",
        "--rootless",
        "--image",
        &image,
        "--history.created",
        time,
        &alone.display().to_string(),
        "/ioalign",
    ])?;
    let label = |name: &str, value: &str| format!("org.opencontainers.image.{name}={value}");
    umoci(&[
        "config",
        "--image",
        &image,
        "--os",
        "linux",
        "--architecture",
        architecture.debian(),
        "--created",
        time,
        "--history.created",
        time,
        "--config.entrypoint",
        "/ioalign",
        "--config.label",
        &label("title", "ioalign"),
        "--config.label",
        &label("description", SUMMARY),
        "--config.label",
        &label("version", facts.version),
        "--config.label",
        &label("revision", &facts.commit),
        "--config.label",
        &label("licenses", LICENSE),
        "--config.label",
        &label("source", HOMEPAGE),
    ])?;
    umoci(&["gc", "--layout", &layout_text])?;
    let name = format!(
        "ioalign-{}-{}.oci.tar.gz",
        facts.version,
        architecture.rust()
    );
    archives::tar(facts, &layout, ".", &folder.join(name))
}
