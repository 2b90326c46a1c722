//! What is not served, in one line.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::{PROGRAM, ServedHost, said};

fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(PROGRAM);
    let output = command.arg("serve").args(arguments).output().unwrap();
    let text = said(&output);
    let lines = text
        .lines()
        .filter(|line| !line.contains("can read the token"));
    assert_eq!(lines.count(), 1, "{text}");
    (output.status.code(), text)
}

#[test]
fn others_reach_it_only_with_a_secret() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        let (code, text) = refused(&["--listen", address]);
        assert_eq!(code, Some(64), "{text}");
        assert!(text.contains("--token-file"), "{text}");
    }
    let (code, text) = refused(&["--listen", "127.0.0.1:0", "--tls-cert", "cert.pem"]);
    assert_eq!(code, Some(64), "{text}");
    assert!(text.contains("--tls-key"), "{text}");
    let (code, text) = refused(&["--listen", "nonsense"]);
    assert_eq!(code, Some(64), "{text}");
}

#[test]
fn tokens_that_protect_nothing_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    let path = file.to_str().unwrap();
    let with = |text: &str, mode: u32| {
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
        refused(&["--token-file", path])
    };
    let (code, text) = with("short", 0o600);
    assert_eq!(code, Some(65), "{text}");
    assert!(text.contains("16 to 1024 characters"), "{text}");
    let (code, text) = with("0123456789abcdef", 0o622);
    assert_eq!(code, Some(65), "{text}");
    assert!(text.contains("others can write"), "{text}");
    let (code, text) = with(&"x".repeat(2 << 20), 0o600);
    assert_eq!(code, Some(65), "{text}");
    let (code, text) = refused(&["--token-file", "/no/such/file"]);
    assert_eq!(code, Some(65), "{text}");
}

#[test]
fn an_address_that_is_taken_and_a_wrong_certificate() {
    let served = ServedHost::start(&[]);
    let (code, text) = refused(&["--listen", served.address()]);
    assert_eq!(code, Some(65), "{text}");
    assert!(text.contains("cannot serve on"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cert.pem");
    std::fs::write(&file, "no certificate").unwrap();
    let path = file.to_str().unwrap();
    let (code, text) = refused(&[
        "--listen",
        "127.0.0.1:0",
        "--tls-cert",
        path,
        "--tls-key",
        path,
    ]);
    assert_eq!(code, Some(65), "{text}");
    assert!(text.contains("no certificate is in the file"), "{text}");
}
