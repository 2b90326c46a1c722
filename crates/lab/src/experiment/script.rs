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
    text.push_str(&layers(experiment, &arm.layers));
    text
}

/// The call that checks it, and the layers behind it.
pub fn checked(experiment: &LabExperiment, arm: &LabArm) -> String {
    let then = layers(experiment, &arm.then);
    format!("checked {CHECK} {}\n{then}", arm.check)
}

/// Calls of layers.
pub fn layers(experiment: &LabExperiment, layers: &[String]) -> String {
    let rows = experiment.rows.to_string();
    let calls = layers
        .iter()
        .map(|layer| format!("layer {}\n", words(layer).replace("{rows}", &rows)));
    calls.collect()
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
            ..LabLoad::default()
        };
        let call = cell("c3", &load, 20, 7);
        assert_eq!(call, "cell c3 measure read random 16k 8 20 7 256M\n");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
