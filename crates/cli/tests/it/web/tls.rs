//! TLS, and the certificates of clients. The client is openssl.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ioalign_testkit::run::{text, tool};

use super::ServedHost;

/// An authority, and certificates that it signs, in a folder.
struct TestAuthority {
    folder: PathBuf,
    name: &'static str,
}

impl TestAuthority {
    fn new(folder: &Path, name: &'static str) -> Self {
        let made = Self {
            folder: folder.to_owned(),
            name,
        };
        let (key, pem) = (made.file("key"), made.file("pem"));
        let subject = format!("/CN={name}");
        let whole = [
            "-x509", "-days", "2", "-subj", &subject, "-keyout", &key, "-out", &pem,
        ];
        tool("openssl", &[&NEW[..], &whole[..]].concat());
        made
    }

    fn file(&self, ending: &str) -> String {
        text(&self.folder.join(format!("{}.{ending}", self.name))).to_owned()
    }

    /// A certificate and its key.
    fn signed(&self, name: &str) -> [String; 2] {
        let place = |ending: &str| text(&self.folder.join(format!("{name}.{ending}"))).to_owned();
        let (key, request, pem) = (place("key"), place("csr"), place("pem"));
        let subject = format!("/CN={name}");
        let names = "subjectAltName=DNS:localhost";
        let wish = [
            "-subj", &subject, "-addext", names, "-keyout", &key, "-out", &request,
        ];
        tool("openssl", &[&NEW[..], &wish[..]].concat());
        let (authority, its_key) = (self.file("pem"), self.file("key"));
        let sign = [
            "x509",
            "-req",
            "-days",
            "2",
            "-copy_extensions",
            "copy",
            "-CAcreateserial",
        ];
        let files = [
            "-in", &request, "-CA", &authority, "-CAkey", &its_key, "-out", &pem,
        ];
        tool("openssl", &[&sign[..], &files[..]].concat());
        [pem, key]
    }
}

/// A request for a certificate with a new key on P-256.
const NEW: [&str; 6] = [
    "req",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
];

/// What the server answers to `/healthz` by TLS; empty where it does not.
fn asked(served: &ServedHost, authority: &TestAuthority, own: Option<&[String; 2]>) -> String {
    let port = served.address().rsplit(':').next().unwrap();
    let (place, trusted) = (format!("127.0.0.1:{port}"), authority.file("pem"));
    let mut command = Command::new("openssl");
    command.args([
        "s_client",
        "-quiet",
        "-verify_return_error",
        "-servername",
        "localhost",
    ]);
    command.args(["-connect", &place, "-CAfile", &trusted]);
    if let Some([pem, key]) = own {
        command.args(["-cert", pem, "-key", key]);
    }
    let command = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let head =
        format!("GET /healthz HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n");
    // A server that refused the certificate has hung up.
    let _ = child.stdin.as_mut().unwrap().write_all(head.as_bytes());
    let output = child.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn only_clients_with_a_certificate_of_the_authority_are_answered() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let [ours, others] = ["ours", "others"].map(|name| TestAuthority::new(folder.path(), name));
    let [certificate, key] = ours.signed("server");
    let (client, stranger) = (ours.signed("client"), others.signed("stranger"));
    let authority = ours.file("pem");
    let tls = ["--tls-cert", &certificate, "--tls-key", &key];
    let every = ["--listen", "0.0.0.0:0", "--tls-client-ca", &authority];
    let served = ServedHost::start(&[&tls[..], &every[..]].concat());
    assert!(served.url.starts_with("https://0.0.0.0:"), "{}", served.url);
    let answer = asked(&served, &ours, Some(&client));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(asked(&served, &ours, Some(&stranger)), "");
    assert_eq!(asked(&served, &ours, None), "");
    drop(served);
    // Without an authority of clients a certificate hides what is sent, and lets everybody ask.
    let served = ServedHost::start(&tls);
    assert!(asked(&served, &ours, None).starts_with("HTTP/1.1 200"));
}
