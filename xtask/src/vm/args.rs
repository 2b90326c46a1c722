//! Options of a microVM, from the command line and from the script's own `#:` lines.
//!
//! A script that needs four disks says so itself, so that `cargo xtask vm SCRIPT` is enough.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ioalign_lab::rig::{GuestOptions, GuestProgram, ScratchDisk};

/// Splits off the script.
pub fn script(args: &[String]) -> Result<(PathBuf, &[String])> {
    match args.split_first() {
        Some((script, rest)) if !script.starts_with('-') => Ok((PathBuf::from(script), rest)),
        _ => bail!("usage: cargo xtask vm SCRIPT [OPTIONS]"),
    }
}

/// Those that the script names, then those of the command line.
pub fn from_script(script: &Path, args: &[String]) -> Result<GuestOptions> {
    let text =
        fs::read_to_string(script).with_context(|| format!("cannot read {}", script.display()))?;
    let mut options = GuestOptions::default();
    add(&mut options, &embedded(&text))?;
    add(&mut options, args)?;
    Ok(options)
}

/// Adds arguments.
fn add(options: &mut GuestOptions, args: &[String]) -> Result<()> {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().with_context(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--disk" => options.disks.push(disk(value()?)?),
            "--nvme" => options.nvme.push(disk(value()?)?),
            "--out" => options.out = Some(PathBuf::from(value()?)),
            "--program" => options.programs.push(value()?.clone()),
            "--file" => {
                let path = PathBuf::from(value()?);
                let program = GuestProgram::file(&path).context("--file needs a file")?;
                options.files.push(program);
            }
            "--module" => options.modules.push(value()?.clone()),
            "--memory" => options.memory = number(value()?)?,
            "--timeout" => options.timeout = Duration::from_secs(number(value()?)?),
            "--icount" => options.icount = true,
            "--kvm" => options.kvm = true,
            other => bail!("unknown option {other}"),
        }
    }
    Ok(())
}

/// The words of all lines that start with `#:`.
fn embedded(script: &str) -> Vec<String> {
    let lines = script.lines().filter_map(|line| line.strip_prefix("#:"));
    lines
        .flat_map(str::split_whitespace)
        .map(str::to_owned)
        .collect()
}

/// `PATH=SIZE[,logical=N][,physical=N][,min=N][,opt=N][,serial=NAME][,ocp]`
fn disk(text: &str) -> Result<ScratchDisk> {
    let mut parts = text.split(',');
    let first = parts.next().unwrap_or_default();
    let (path, size) = first
        .rsplit_once('=')
        .with_context(|| format!("--disk {text}: PATH=SIZE is wanted"))?;
    let properties = parts.map(property).collect::<Result<Vec<_>>>()?;
    Ok(ScratchDisk {
        path: (path != "-").then(|| PathBuf::from(path)),
        size: size_of_text(size)?,
        properties,
    })
}

fn property(text: &str) -> Result<String> {
    if text == "ocp" {
        return Ok("ocp=on".to_owned());
    }
    let (name, value) = text
        .split_once('=')
        .with_context(|| format!("{text}: NAME=BYTES is wanted"))?;
    if name == "serial" {
        let is_plain = value.chars().all(|c| c.is_ascii_alphanumeric());
        return match is_plain && !value.is_empty() {
            true => Ok(format!("serial={value}")),
            false => bail!("{text}: a serial number is of letters and digits"),
        };
    }
    let name = match name {
        "logical" => "logical_block_size",
        "physical" => "physical_block_size",
        "min" => "min_io_size",
        "opt" => "opt_io_size",
        other => {
            bail!(
                "a disk has no property {other}; logical, physical, min, opt, serial and ocp exist"
            )
        }
    };
    Ok(format!("{name}={}", size_of_text(value)?))
}

/// `512`, `64K`, `160M`, `2G`, `1T`: binary.
fn size_of_text(text: &str) -> Result<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text.get(digits.len()..).unwrap_or_default();
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" => 0,
        "K" | "KIB" => 10,
        "M" | "MIB" => 20,
        "G" | "GIB" => 30,
        "T" | "TIB" => 40,
        _ => bail!("{text} is not a size"),
    };
    let size = number(digits)?.checked_mul(1 << shift);
    size.with_context(|| format!("{text} is too large"))
}

fn number(text: &str) -> Result<u64> {
    text.parse()
        .with_context(|| format!("{text} is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_disk_has_path_size_and_topology() {
        let found = disk("a=b.img=64M,physical=4k,opt=192K,serial=one").unwrap();
        assert_eq!(found.path, Some(PathBuf::from("a=b.img")));
        assert_eq!(found.size, 64 << 20);
        assert_eq!(
            found.properties,
            [
                "physical_block_size=4096",
                "opt_io_size=196608",
                "serial=one"
            ]
        );
    }

    #[test]
    fn a_drive_may_count_what_it_writes() {
        let mut options = GuestOptions::default();
        add(&mut options, &words("--nvme -=64M,ocp,logical=4k")).unwrap();
        assert!(options.disks.is_empty());
        let properties = ["ocp=on", "logical_block_size=4096"];
        assert_eq!(options.nvme[0].properties, properties);
    }

    #[test]
    fn a_dash_is_a_disk_that_is_thrown_away() {
        assert_eq!(disk("-=1G").unwrap().path, None);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "a",
            "a=",
            "a=1X",
            "a=16777216T",
            "a=1M,width=3",
            "a=1M,min",
            "a=1M,serial=,x",
        ] {
            assert!(disk(text).is_err(), "{text}");
        }
        assert!(add(&mut GuestOptions::default(), &words("--disk")).is_err());
        assert!(add(&mut GuestOptions::default(), &words("--speed 3")).is_err());
        assert!(script(&words("--out x")).is_err());
    }

    #[test]
    fn a_script_brings_its_own_options() {
        let text = "#!/bin/sh\n#: --disk -=160M --module raid456\n# note\n#: --memory 768\necho\n";
        let mut options = GuestOptions::default();
        add(&mut options, &embedded(text)).unwrap();
        add(&mut options, &words("--timeout 20 --icount")).unwrap();
        assert_eq!(options.disks.len(), 1);
        assert_eq!(options.modules, ["raid456"]);
        assert_eq!(options.memory, 768);
        assert_eq!(options.timeout, Duration::from_secs(20));
        assert!(options.icount && !options.kvm);
    }
}
