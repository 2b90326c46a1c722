//! The commands of Icinga 2 and Nagios, parsed out of their files and run.

use ioalign_testkit::run::text;

use super::{bad, good, out, read, run};

/// The words of the array behind `command =`.
fn icinga_command(config: &str) -> Vec<String> {
    let (_, rest) = config.split_once("command = [").unwrap();
    let (array, _) = rest.split_once(']').unwrap();
    let quoted = array.split('"').skip(1).step_by(2);
    quoted.map(str::to_owned).collect()
}

fn check_codes(words: &[&str]) {
    let (bad, good) = (bad(), good());
    for (target, code, word) in [
        (text(good.path()), 0, "OK"),
        (text(bad.path()), 1, "WARNING"),
        ("/nonexistent", 3, "UNKNOWN"),
    ] {
        let output = run(words, &[target]);
        assert_eq!(output.status.code(), Some(code), "{target}");
        let said = out(&output);
        assert!(said.starts_with(&format!("IOALIGN {word} - ")), "{said}");
        assert!(
            said.lines().next().unwrap().contains(" | misaligned="),
            "{said}"
        );
    }
}

#[test]
fn the_icinga_command_runs() {
    let config = read("contrib/icinga2/ioalign.conf");
    let command = icinga_command(&config);
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let words = words.strip_prefix(&["/usr/bin/sudo", "-n"]).unwrap();
    check_codes(words);
    assert_eq!(config.matches('{').count(), config.matches('}').count());
    // Every option that the file hands on is one of ours.
    let help = out(&run(&["/usr/bin/ioalign", "check", "--help"], &[]));
    let arguments = config
        .lines()
        .filter_map(|line| line.trim().strip_prefix('"'));
    for option in arguments.filter(|line| line.starts_with("--")) {
        let (option, _) = option.split_once('"').unwrap();
        assert!(help.contains(&format!("{option} ")), "{option}");
    }
}

#[test]
fn the_nagios_command_runs() {
    let config = read("contrib/nagios/ioalign.cfg");
    let line = config
        .lines()
        .find_map(|line| line.trim().strip_prefix("command_line"))
        .unwrap();
    let words: Vec<&str> = line
        .split_whitespace()
        .filter(|word| *word != "$ARG1$")
        .collect();
    check_codes(&words);
}
