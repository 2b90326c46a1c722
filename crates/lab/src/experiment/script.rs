//! The script of a guest: the functions, then the calls of one arm.

use super::{LabArm, LabExperiment, LabLoad};

/// The functions.
const FUNCTIONS: &str = include_str!("../../guest/lab.sh");

/// The name under which the check of an arm comes back.
pub const CHECK: &str = "check";

/// What builds an arm, with everything that its results depend on.
pub fn built(experiment: &LabExperiment, arm: &LabArm) -> String {
    let mut text = String::from(FUNCTIONS);
    let disks = arm.disks.as_ref().unwrap_or(&experiment.guest.disks);
    text.push_str(&format!("disks {}\n", words(disks)));
    for (name, value) in [
        ("grid", experiment.grid.as_ref()),
        ("model", arm.model.as_ref().or(experiment.model.as_ref())),
    ] {
        if let Some(value) = value {
            text.push_str(&format!("{name}={}\n", quoted(value)));
        }
    }
    for layer in &arm.layers {
        text.push_str(&format!("layer {}\n", words(layer)));
    }
    text
}

/// The call that checks it.
pub fn checked(arm: &LabArm) -> String {
    let then = arm
        .then
        .iter()
        .map(|layer| format!("layer {}\n", words(layer)));
    format!(
        "checked {CHECK} {}\n{}",
        arm.check,
        then.collect::<String>()
    )
}

/// The call of one cell.
pub fn cell(key: &str, load: &LabLoad, seconds: u64, seed: u64) -> String {
    let run = load
        .run
        .replace("{seconds}", &seconds.to_string())
        .replace("{seed}", &seed.to_string());
    format!("cell {key} {}\n", words(&run))
}

/// Words as the shell takes them: as they are typed, for quotes of an experiment are the shell's.
fn words(text: &str) -> &str {
    text.trim()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_one_call() {
        let load = LabLoad {
            name: "reads".to_owned(),
            run: "measure read random 16k 8 {seconds} {seed} 256M".to_owned(),
            op: "read".to_owned(),
            io_bytes: Some(16384),
        };
        let call = cell("c3", &load, 20, 7);
        assert_eq!(call, "cell c3 measure read random 16k 8 20 7 256M\n");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
