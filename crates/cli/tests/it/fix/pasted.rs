//! The commands that a plan prints, as a person pastes them into a shell.

use super::*;

/// Runs a printed line in the folder of the image, with the program as `ioalign`.
fn pasted(folder: &Path, line: &str) -> Output {
    let program = Path::new(PROGRAM).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut shell = command("sh");
    shell
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", program.display()));
    shell.output().unwrap()
}

/// The program in the folder of an image: names are relative, as most people type them.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut program = command(PROGRAM);
    program.arg("fix").args(arguments).current_dir(folder);
    program.output().unwrap()
}

fn next_of(output: &Output) -> String {
    let shown = String::from_utf8(output.stdout.clone()).unwrap();
    let lines = shown.lines().map(str::trim);
    let mut calls = lines.filter(|line| line.starts_with("ioalign fix "));
    calls
        .next_back()
        .unwrap_or_else(|| panic!("{output:?}"))
        .to_owned()
}

#[test]
fn names_that_mean_something_to_a_shell_stay_names() {
    needs!(Packages);
    for name in [
        "a;touch X;.img",
        "sp ace.img",
        "-dash.img",
        "$(touch X).img",
        "it's.img",
    ] {
        let image = Image::old();
        let folder = image.disk.folder();
        std::fs::rename(image.path(), folder.join(name)).unwrap();
        let line = next_of(&run(folder, &["--", name]));
        let done = pasted(folder, &line);
        assert_eq!(done.status.code(), Some(0), "{line}: {done:?}");
        assert!(!folder.join("X").exists(), "{line}");
        let starts = table(&folder.join(name), 512);
        assert!(starts.iter().all(|line| line.start % MIB == 0), "{line}");
        // What is done names the check, in the same way.
        let said = String::from_utf8(done.stdout).unwrap();
        let check = said
            .lines()
            .find_map(|line| line.strip_prefix("Next: "))
            .unwrap();
        let judged = pasted(folder, check);
        assert_eq!(judged.status.code(), Some(0), "{check}: {judged:?}");
    }
}

#[test]
fn options_are_repeated_so_that_the_plan_is_the_same() {
    needs!(Packages);
    let options: [&[&str]; 5] = [
        &["--align", "4k", "--partition", "2,3"],
        &["--grid", "192k:stripe:preference", "--verify", "sampled"],
        &[
            "--profile-grid",
            "zfs-8k",
            "--journal",
            "my journal",
            "--chunk",
            "4M",
        ],
        &[
            "--sector-size",
            "512",
            "--limit",
            "500M",
            "--read-errors",
            "map",
        ],
        &["--output", "a new one.qcow2", "--align", "64k"],
    ];
    for typed in options {
        let image = Image::old();
        let folder = image.disk.folder();
        let arguments = [&["disk.img", "--plan"], typed].concat();
        let line = next_of(&run(folder, &arguments));
        let done = pasted(folder, &line);
        assert_eq!(done.status.code(), Some(0), "{line}: {done:?}");
        for word in typed.iter().filter(|word| word.starts_with("--")) {
            assert!(line.contains(word), "{line}");
        }
    }
}

#[test]
fn a_plan_that_would_be_refused_ends_so() {
    needs!(Packages, Root);
    // Nothing to do is no failure; with --exit-code the code says that something is to be done.
    let image = Image::old();
    let path = text(image.path());
    assert_eq!(fix(&[path, "--exit-code"]).status.code(), Some(1));
    assert_eq!(fix(&[path]).status.code(), Some(0));
    done(&[path, "--apply"]);
    for arguments in [&[path][..], &[path, "--exit-code"], &[path, "--apply"]] {
        assert_eq!(fix(arguments).status.code(), Some(0), "{arguments:?}");
        let answer = document(arguments);
        assert_eq!(answer["needed"], false, "{answer:#}");
    }
    // A new image whose name is taken, and an image that a machine runs on.
    let image = Image::old();
    let path = text(image.path());
    let taken = [path, "--plan", "--output", path];
    refused(&taken, 65, &["there already"]);
    let device = ioalign_testkit::Loop::new(image.path(), &[]);
    let shown = fix(&[path]);
    let errors = String::from_utf8_lossy(&shown.stderr);
    assert_eq!(shown.status.code(), Some(65), "{errors}");
    assert!(errors.contains(device.text()), "{errors}");
    assert!(String::from_utf8_lossy(&shown.stdout).contains("--apply --expect"));
}

#[test]
fn a_plan_says_what_to_know_before_and_fits_the_screen() {
    needs!(Packages);
    let image = Image::old();
    let path = text(image.path());
    for columns in [60, 80, 140] {
        let mut program = command(PROGRAM);
        program
            .args(["fix", path])
            .env("COLUMNS", columns.to_string());
        let shown = String::from_utf8(program.output().unwrap().stdout).unwrap();
        for line in shown.lines() {
            // Commands are not broken, so that they can be pasted, and a name may be longer than a line.
            let is_whole = line.contains("ioalign fix") || line.contains(path);
            assert!(
                is_whole || line.chars().count() <= columns,
                "{columns}: {line}"
            );
        }
        for words in [
            "Back it up",
            "do not mount it",
            "power cut",
            "--resume",
            "--rollback",
        ] {
            let flat = shown.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(flat.contains(words), "no «{words}» in: {shown}");
        }
    }
    let plan = document(&[path]);
    assert!(plan["plan"]["precautions"].as_array().unwrap().len() >= 3);
    assert!(
        plan["next"][0]
            .as_str()
            .unwrap()
            .contains("--apply --expect")
    );
}
