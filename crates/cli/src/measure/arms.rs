//! The compared arms: offsets on one target, two layouts, two targets.

use std::path::{Path, PathBuf};

use anyhow::Result;
use ioalign_core::comparison::{Arm, offset_of};
use ioalign_device::are_aliases;

use super::{layout, start};
use crate::args::ArmArgs;
use crate::exit::UsageError;

/// A page of the kernel, the block of nearly every disk: what is on it is called aligned.
const BLOCK: u64 = 4096;

/// Arms with the target of each.
#[derive(Debug, Default)]
pub struct Arms {
    /// The baseline first.
    pub list: Vec<Arm>,
    /// The targets of all arms, each once.
    pub targets: Vec<PathBuf>,
    /// The offsets are those of the verb: no argument says which.
    pub are_usual: bool,
}

impl Arms {
    /// By the arguments; `usual` are the offsets where none are typed.
    pub fn new(target: &Path, arguments: &ArmArgs, usual: &[u64]) -> Result<Self> {
        let mut are_usual = false;
        let list = if let Some(other) = &arguments.vs {
            targets(target, other, &arguments.offsets)?
        } else {
            let begins = start::on_disk(target);
            match (&arguments.layout_a, &arguments.layout_b) {
                (Some(a), Some(b)) => layouts([a, b], arguments.partition, begins)?,
                _ if arguments.offsets.is_empty() => {
                    are_usual = true;
                    offsets(usual, begins)?
                }
                _ => offsets(&arguments.offsets, begins)?,
            }
        };
        let mut paths = vec![target.to_owned()];
        paths.extend(arguments.vs.clone());
        Ok(Self {
            list,
            targets: paths,
            are_usual,
        })
    }

    /// The index of an arm's target.
    pub fn target_of(&self, arm: &Arm) -> usize {
        let named = arm.target.as_ref();
        let found = named.and_then(|name| {
            let mut paths = self.targets.iter();
            paths.position(|path| path.display().to_string() == *name)
        });
        found.unwrap_or(0)
    }
}

fn offsets(all: &[u64], begins: Option<u64>) -> Result<Vec<Arm>> {
    let mut arms: Vec<Arm> = Vec::new();
    for offset in all {
        if arms.iter().any(|arm| arm.offset_bytes == *offset) {
            let what = format!("--offsets: {offset} is given twice");
            return Err(UsageError(what).into());
        }
        arms.push(at(*offset, begins));
    }
    if arms.len() < 2 {
        let what = "--offsets: one alone has nothing to be compared with";
        return Err(UsageError(what.to_owned()).into());
    }
    Ok(arms)
}

/// The arm at an offset in a target that begins there.
pub fn at(offset: u64, begins: Option<u64>) -> Arm {
    Arm {
        name: name(offset, begins),
        offset_bytes: offset,
        start_bytes: begins.map(|start| start + offset),
        ..Arm::default()
    }
}

fn name(offset: u64, begins: Option<u64>) -> String {
    let start = begins.unwrap_or(0);
    match offset {
        0 if start.is_multiple_of(BLOCK) => "aligned".to_owned(),
        _ => format!("+{offset}"),
    }
}

fn layouts(files: [&PathBuf; 2], partition: Option<u32>, begins: Option<u64>) -> Result<Vec<Arm>> {
    let arm = |file: &PathBuf, letter: &str| {
        let bytes = layout::start(file, partition)?;
        Ok(Arm {
            name: format!("{letter}: {bytes}"),
            offset_bytes: offset_of(bytes, begins.unwrap_or(0)),
            start_bytes: Some(bytes),
            ..Arm::default()
        })
    };
    let [a, b] = files;
    let arms: Result<Vec<_>> = [arm(a, "a"), arm(b, "b")].into_iter().collect();
    let arms = arms?;
    if let [a, b] = arms.as_slice()
        && a.offset_bytes == b.offset_bytes
    {
        let what = format!("both layouts start at byte {}", a.offset_bytes);
        return Err(UsageError(what).into());
    }
    Ok(arms)
}

fn targets(first: &Path, other: &Path, offsets: &[u64]) -> Result<Vec<Arm>> {
    let offset = match offsets {
        [] => 0,
        [one] => *one,
        _ => {
            let what = "--vs compares two targets at one offset: name one, or none";
            return Err(UsageError(what.to_owned()).into());
        }
    };
    let arm = |path: &Path| Arm {
        name: path.display().to_string(),
        offset_bytes: offset,
        target: Some(path.display().to_string()),
        start_bytes: start::on_disk(path).map(|start| start + offset),
    };
    if are_aliases(first, other) {
        let what = format!("--vs {}: it is the same target", other.display());
        return Err(UsageError(what).into());
    }
    Ok(vec![arm(first), arm(other)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_an_offset_is() {
        assert_eq!(name(0, None), "aligned");
        assert_eq!(name(0, Some(1 << 20)), "aligned");
        assert_eq!(name(0, Some(32256)), "+0");
        assert_eq!(name(512, Some(32256)), "+512");
    }

    #[test]
    fn arms_are_different() {
        assert!(offsets(&[0], None).is_err());
        assert!(offsets(&[0, 0], None).is_err());
        assert_eq!(offsets(&[0, 512], None).unwrap().len(), 2);
        assert!(targets(Path::new("a"), Path::new("./a"), &[]).is_err());
    }
}
