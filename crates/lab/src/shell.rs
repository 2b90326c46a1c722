//! A guest for a person: the layers of an arm, then a shell.

use std::path::Path;
use std::process::Stdio;

use crate::error::{LabError, Result, Tried};
use crate::experiment::{LabArm, LabExperiment, script};
use crate::rig::{GuestOptions, GuestProgram, GuestRun};

/// Boots a guest with this arm built, in real time, and gives it the terminal until it ends.
///
/// # Errors
///
/// Something is missing on this machine, or QEMU fails.
pub fn shell(experiment: &LabExperiment, arm: &LabArm, program: &Path, cache: &Path) -> Result<()> {
    let mut text = script::built(experiment, arm);
    text.push_str(&script::layers(experiment, &arm.then));
    text.push_str("echo \"array=$array top=$top; the end of this shell ends the guest\"\n");
    text.push_str("export array top\nset +e\nsetsid cttyhack sh\n");
    let options = GuestOptions {
        programs: experiment.guest.programs.clone(),
        files: vec![GuestProgram::ioalign(program)],
        copies: experiment.guest.files.clone(),
        modules: experiment.guest.modules.clone(),
        memory: experiment.guest.memory_mib,
        ..GuestOptions::default()
    };
    let guest = GuestRun {
        script: text.as_bytes(),
        options: &options,
        cache,
        interrupt: &|| false,
    };
    let (mut command, _scratch) = guest.command()?;
    command.stdin(Stdio::inherit());
    let status = command.status().tried(|| "cannot start QEMU".to_owned())?;
    match status.success() {
        true => Ok(()),
        false => Err(LabError::new(format!("QEMU ended with {status}"))),
    }
}
