//! Bytes that a client sends to be judged: hostile ones too, and none of them leads to a file.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use ioalign_testkit::bundle::BundleBuilder;
use ioalign_testkit::{Disk, mbr};
use serde_json::Value;

use super::ServedHost;

impl ServedHost {
    /// `POST /api/v1/check?name=…` with these bytes.
    fn check(&self, name: &str, bytes: &[u8]) -> (u16, String) {
        let address = self.address();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(super::PATIENCE)).unwrap();
        let head = format!(
            "POST /api/v1/check?name={name} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            bytes.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(bytes).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        super::parts(&text)
    }

    fn judged(&self, name: &str, bytes: &[u8]) -> Value {
        let (status, body) = self.check(name, bytes);
        assert_eq!(status, 200, "{body}");
        let document: Value = serde_json::from_str(&body).unwrap();
        crate::schema::valid(&document, "check-1.schema.json");
        document["targets"][0].clone()
    }
}

/// An image, a text and a bundle are judged as `check` judges a file of that name.
#[test]
fn images_texts_and_bundles_are_judged() {
    let served = ServedHost::start(&[]);
    let image = mbr::disk("winxp.img", 32, &[(0x83, 63, 50_000)]);
    let bytes = std::fs::read(image.path()).unwrap();
    let sent = served.judged("winxp.img", &bytes);
    assert_eq!(
        (&sent["target"], &sent["verdict"]),
        (&"winxp.img".into(), &"misaligned".into())
    );
    let steps = sent["findings"][0]["do"].to_string();
    assert!(steps.contains("ioalign fix winxp.img"), "{steps}");
    let text = std::fs::read(fuzz("fdisk-1.txt")).unwrap();
    let sent = served.judged("fdisk.txt", &text);
    assert_eq!(
        (&sent["target"], &sent["source"]),
        (&"fdisk.txt".into(), &"capture".into())
    );
    let bundle = BundleBuilder::new("sosreport-a-2026").file("sos_commands/block/fdisk_-l", text);
    let sent = served.judged("sos.tar", &bundle.tar());
    assert_eq!(sent["source"], "capture", "{sent}");
}

fn fuzz(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/texts")
        .join(name)
}

/// A qcow2 that names a file of the server as its backing file is judged without it.
#[test]
fn no_name_in_the_bytes_leads_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let secret = mbr::disk("secret.img", 64, &[(0x83, 63, 100_000)]);
    std::fs::copy(secret.path(), folder.path().join("secret.img")).unwrap();
    let served = ServedHost::start(&["--reports", folder.path().to_str().unwrap()]);
    for backing in [
        "secret.img".to_owned(),
        folder.path().join("secret.img").display().to_string(),
        "/proc/self/environ".to_owned(),
        "../etc/passwd".to_owned(),
    ] {
        let sent = served.judged("overlay.qcow2", &qcow2_over(&backing));
        let layers = sent["layers"].to_string();
        assert!(!layers.contains("\"partition\""), "{backing}: {layers}");
        assert_ne!(sent["verdict"], "ok", "{backing}");
    }
}

/// An empty qcow2 of version 2 on a backing file (docs/interop/qcow2.txt of QEMU).
fn qcow2_over(backing: &str) -> Vec<u8> {
    let mut bytes = vec![0; 4 * 65536];
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(0, b"QFI\xfb");
    put(4, &2_u32.to_be_bytes());
    put(8, &72_u64.to_be_bytes());
    put(16, &u32::try_from(backing.len()).unwrap().to_be_bytes());
    put(20, &16_u32.to_be_bytes());
    put(24, &(64_u64 << 20).to_be_bytes());
    put(36, &1_u32.to_be_bytes());
    put(40, &65536_u64.to_be_bytes());
    put(48, &131_072_u64.to_be_bytes());
    put(56, &1_u32.to_be_bytes());
    put(72, backing.as_bytes());
    bytes
}

/// Every text of the fuzzer's corpus and damaged images, one after the other: each gets an answer.
#[test]
fn hostile_bytes_get_an_answer() {
    let served = ServedHost::start(&[]);
    let mut all: Vec<Vec<u8>> = Vec::new();
    for entry in std::fs::read_dir(fuzz("")).unwrap() {
        let text = std::fs::read(entry.unwrap().path()).unwrap();
        let half = text.get(..text.len() / 2).unwrap().to_vec();
        all.extend([text, half]);
    }
    let disk = mbr::disk("a.img", 8, &[(0x83, 63, 10_000)]);
    let image = std::fs::read(disk.path()).unwrap();
    let qcow2 = qcow2_over("x");
    let tar = BundleBuilder::new("h")
        .file("../../etc/passwd", "x")
        .link("h/sys", "/etc")
        .tar();
    for bytes in [image, qcow2, tar] {
        for step in [1, 7, 64, 511, 513, 4096] {
            let mut cut = bytes.clone();
            cut.iter_mut()
                .step_by(step)
                .take(4096)
                .for_each(|byte| *byte = 0xff);
            all.extend([cut, bytes.get(..bytes.len() / step).unwrap().to_vec()]);
        }
    }
    all.push(vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);
    all.push(b"{\"schema\":\"ioalign.check/1\",".repeat(1000));
    all.push(vec![b'['; 1 << 20]);
    for (number, bytes) in all
        .iter()
        .enumerate()
        .filter(|(_, bytes)| !bytes.is_empty())
    {
        let (status, body) = served.check("x", bytes);
        assert_eq!(status, 200, "{number}: {body}");
        assert!(
            serde_json::from_str::<Value>(&body).is_ok(),
            "{number}: {body}"
        );
    }
    let (code, errors) = served.end();
    assert_eq!(code, Some(0), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
}

/// What is sent is not kept: nothing of it is in a folder that the server could write to.
#[test]
fn nothing_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let served = ServedHost::start(&["--reports", folder.path().to_str().unwrap()]);
    let disk = Disk::new("a.img", 1 << 20);
    served.judged("a.img", &std::fs::read(disk.path()).unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    // A caller may leave files open that every process below it inherits.
    let inherited = open_files("self");
    let mut files = open_files(&served.child.id().to_string());
    files.retain(|name| name.starts_with("/tmp") || name.starts_with("/dev/shm"));
    files.retain(|name| !inherited.contains(name));
    assert_eq!(files, Vec::<PathBuf>::new());
}

fn open_files(process: &str) -> Vec<PathBuf> {
    let open = std::fs::read_dir(format!("/proc/{process}/fd")).unwrap();
    let names = open.flatten().map(|entry| std::fs::read_link(entry.path()));
    names.flatten().collect()
}
