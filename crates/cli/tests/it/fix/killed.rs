//! Killed at any moment, interrupted, resumed, rolled back: no byte is lost, and it says what to do.

use super::*;

/// Slow enough to be hit, with many windows.
const SLOW: [&str; 4] = ["--limit", "16M", "--chunk", "1M"];

fn slow(image: &Image) -> Child {
    let begun = started(&[&[text(image.path()), "--apply"], &SLOW[..]].concat());
    until("the journal is made", || image.journal().exists());
    begun
}

#[test]
fn a_kill_at_any_moment_can_be_resumed_and_rolled_back() {
    needs!(Packages);
    let mut random = Random(7);
    let mut hit = 0;
    for trial in 0..16 {
        let image = Image::old();
        let before = image.whole();
        let mut child = slow(&image);
        std::thread::sleep(Duration::from_millis(random.below_u64(1800)));
        child.kill().unwrap();
        child.wait().unwrap();
        if !image.journal().exists() {
            image.is_fixed(MIB);
            continue;
        }
        hit += 1;
        let path = text(image.path());
        refused(&[path], 65, &["--resume", "--rollback"]);
        refused(&[path, "--apply"], 65, &["--resume", "--rollback"]);
        if trial % 2 == 0 {
            done(&[path, "--resume"]);
            image.is_fixed(MIB);
        } else {
            let answer = document(&[path, "--rollback"]);
            assert_eq!(answer["result"], "rolled-back");
            image.holds();
            let after = image.whole();
            for part in &image.parts {
                let line = image
                    .table()
                    .into_iter()
                    .find(|line| line.number == part.number);
                assert_ne!(line.unwrap().start % MIB, 0);
            }
            assert!(after[..512] == before[..512]);
            assert!(!image.journal().exists());
        }
    }
    assert!(hit > 8, "only {hit} kills came in time");
}

#[test]
fn ctrl_c_stops_at_a_safe_place_and_says_how_to_go_on() {
    needs!(Packages);
    let image = Image::old();
    let before = image.first_sector();
    let child = slow(&image);
    until("the move begins", || image.first_sector() != before);
    let id = child.id().to_string();
    tool("kill", &["-INT", &id]);
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{errors}");
    let call = format!("ioalign fix {} --resume", text(image.path()));
    assert!(
        errors.contains(&call) && errors.contains("--rollback"),
        "{errors}"
    );
    assert!(output.stdout.is_empty());
    done(&[text(image.path()), "--rollback", "--quiet"]);
    image.holds();
    done(&[text(image.path()), "--apply", "--verify", "sampled"]);
    image.is_fixed(MIB);
}

#[test]
fn a_journal_may_have_a_place_of_its_own() {
    needs!(Packages);
    let image = Image::old();
    let journal = image.disk.folder().join("elsewhere");
    let (path, place) = (text(image.path()), text(&journal));
    let before = image.first_sector();
    let arguments = [&[path, "--apply", "--journal", place], &SLOW[..]].concat();
    let mut child = started(&arguments);
    until("the move begins", || image.first_sector() != before);
    child.kill().unwrap();
    child.wait().unwrap();
    // A user who forgets the journal must not plan again over data in flight: the marker on the disk names it.
    for call in [&[path][..], &[path, "--apply"]] {
        refused(call, 65, &["being moved", place, "--resume"]);
    }
    done(&[path, "--resume"]);
    image.is_fixed(MIB);
    assert!(!journal.exists());
}
