//! LUKS written by cryptsetup, read by `luksDump` and by us; BitLocker written here.

use std::path::{Path, PathBuf};
use std::process::Command;

use ioalign_core::Severity;
use ioalign_inspect::volumes::{self, Detail, VolumeMember};
use ioalign_testkit::Random;

use super::{field, flip_everywhere, probe, scratch, truncate_everywhere, view_of};
use crate::tools::run;

/// Runs cryptsetup on `path` with a passphrase and cheap key derivation.
fn cryptsetup(verb: &str, path: &Path, options: &[&str]) {
    let (_folder, key) = scratch(b"secret");
    let cheap = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"];
    run(Command::new("cryptsetup")
        .arg(verb)
        .args(["--batch-mode", "--key-file"])
        .arg(key)
        .args(cheap)
        .args(options)
        .arg(path));
}

/// A device of `size` bytes that luksFormat made.
fn formatted(size: usize, options: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let (folder, path) = scratch(&vec![0; size]);
    cryptsetup("luksFormat", &path, options);
    (folder, path)
}

fn dump(path: &Path) -> String {
    run(Command::new("cryptsetup").arg("luksDump").arg(path))
}

fn sector(member: &VolumeMember) -> u64 {
    match &member.detail {
        Detail::Crypt { sector } => sector.get(),
        other => panic!("not encrypted: {other:?}"),
    }
}

fn first_number(text: &str) -> u64 {
    text.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn luks1_payloads_start_where_cryptsetup_says() {
    needs!(Packages);
    let old = ["--cipher", "aes-cbc-essiv:sha256", "--key-size", "128"];
    for options in [
        [&old[..], &["--align-payload", "8"]].concat(),
        vec!["--key-size", "256", "--align-payload", "8"],
        vec!["--align-payload", "2049"],
        vec!["--align-payload", "4096"],
        vec![],
    ] {
        let options = [&["--type", "luks1"], &options[..]].concat();
        let (_folder, path) = formatted(8 << 20, &options);
        let stated = dump(&path);
        let member = probe(&std::fs::read(&path).unwrap()).unwrap();
        let start = 512 * first_number(&field(&stated, "Payload offset"));
        assert_eq!((member.kind, sector(&member)), ("luks1", 512));
        assert_eq!(member.data_start.get(), start);
        assert_eq!(member.data_size.unwrap().get(), (8 << 20) - start);
        assert_eq!(member.set, field(&stated, "UUID"));
        let cipher = [field(&stated, "Cipher name"), field(&stated, "Cipher mode")].join("-");
        assert_eq!(member.facts["cipher"], cipher);
        assert_eq!(member.remarks, []);
    }
}

#[test]
fn the_classic_payload_of_1032_sectors() {
    needs!(Packages);
    let options = [
        "--type",
        "luks1",
        "--cipher",
        "aes-cbc-essiv:sha256",
        "--key-size",
        "128",
    ];
    let (_folder, path) = formatted(4 << 20, &[&options[..], &["--align-payload", "1"]].concat());
    let member = probe(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(member.data_start.get(), 1032 * 512);
}

#[test]
fn luks2_segments_start_where_cryptsetup_says() {
    needs!(Packages);
    for (size, options) in [
        ("512", vec!["--offset", "32768"]),
        ("4096", vec!["--offset", "40960", "--label", "backup"]),
        (
            "2048",
            vec![
                "--luks2-metadata-size",
                "64k",
                "--luks2-keyslots-size",
                "1m",
            ],
        ),
    ] {
        let options = [&["--type", "luks2", "--sector-size", size], &options[..]].concat();
        let (_folder, path) = formatted(24 << 20, &options);
        let stated = dump(&path);
        let member = probe(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(
            (member.kind, sector(&member).to_string().as_str()),
            ("luks2", size)
        );
        assert_eq!(
            member.data_start.get(),
            first_number(&field(&stated, "offset"))
        );
        assert_eq!(member.facts["sector-size"], size);
        assert_eq!(sector(&member), first_number(&field(&stated, "sector")));
        assert_eq!(member.set, field(&stated, "UUID"));
        assert_eq!(member.facts["cipher"], field(&stated, "cipher"));
        let label = field(&stated, "Label").replace("(no label)", "");
        assert_eq!(member.name, label);
        assert_eq!(member.remarks, []);
    }
}

#[test]
fn detached_headers_tell_nothing_of_the_place_of_data() {
    needs!(Packages);
    for kind in ["luks1", "luks2"] {
        let (_data, data) = scratch(&vec![0; 1 << 20]);
        let (_folder, header) = scratch(&vec![0; 16 << 20]);
        let header_option = header.to_str().unwrap();
        cryptsetup(
            "luksFormat",
            &data,
            &["--type", kind, "--header", header_option],
        );
        let member = probe(&std::fs::read(&header).unwrap()).unwrap();
        assert!(matches!(member.detail, Detail::Opaque(_)), "{member:?}");
        assert_eq!((member.kind, member.data_size), (kind, None));
        assert!(probe(&std::fs::read(&data).unwrap()).is_none());
    }
}

#[test]
fn growing_to_an_odd_sector_locks_a_4096_byte_volume() {
    needs!(Packages);
    let (_folder, path) = formatted(17 << 20, &["--type", "luks2", "--sector-size", "4096"]);
    let mut bytes = std::fs::read(path).unwrap();
    bytes.extend([0; 7 * 512]);
    let member = probe(&bytes).unwrap();
    let remark = &member.remarks[0];
    assert_eq!(
        (remark.rule, remark.severity),
        ("luks-size-not-multiple", Severity::Broken)
    );
    assert!(remark.why.contains("3584 bytes over"), "{}", remark.why);
}

#[test]
fn a_reencryption_in_progress_is_remarked() {
    needs!(Packages);
    let (_folder, path) = formatted(24 << 20, &["--type", "luks2", "--sector-size", "512"]);
    let options = [
        "--init-only",
        "--force-offline-reencrypt",
        "--resilience",
        "checksum",
        "--sector-size",
        "4096",
    ];
    cryptsetup("reencrypt", &path, &options);
    let stated = dump(&path);
    assert!(stated.contains("online-reencrypt"), "{stated}");
    let member = probe(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(member.remarks[0].rule, "luks-reencrypt");
    assert!(
        member.remarks[0].why.contains("sectors of 4096 bytes"),
        "{:?}",
        member.remarks
    );
    assert_eq!((sector(&member), member.data_start.get()), (512, 16 << 20));
}

/// Only the two headers of a LUKS2 device: 32 KiB, with the data segment moved in behind them.
fn small_luks2() -> Vec<u8> {
    let (_folder, path) = formatted(17 << 20, &["--type", "luks2", "--sector-size", "4096"]);
    let mut bytes = std::fs::read(path).unwrap();
    bytes.truncate(64 << 10);
    replace(&bytes, "\"offset\":\"16777216\"", "\"offset\":\"00032768\"")
}

/// The same bytes with `from` replaced by `to`, of the same length, in both copies.
fn replace(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes.to_vec();
    let mut hits = 0;
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from.as_bytes()) {
            bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
            hits += 1;
        }
    }
    assert_eq!(hits, 2, "{from} stands in both copies");
    bytes
}

#[test]
fn either_luks2_header_alone_is_enough() {
    needs!(Packages);
    let bytes = small_luks2();
    assert_eq!(probe(&bytes).unwrap().remarks, []);
    let mut first_json = bytes.clone();
    first_json[4096] = b'x';
    let member = probe(&first_json).unwrap();
    assert_eq!((member.data_start.get(), sector(&member)), (32768, 4096));
    assert_eq!(member.remarks[0].rule, "luks-first-header-lost");
    let mut second = bytes.clone();
    second[16384..16390].fill(0);
    assert_eq!(
        probe(&second).unwrap().remarks[0].rule,
        "luks-headers-differ"
    );
    let mut newer = bytes;
    newer[16384 + 23] += 1;
    assert!(probe(&newer).unwrap().remarks[0].why.contains("is newer"));
    let mut none = first_json;
    none[16384 + 4096] = b'x';
    let error = volumes::probe(&view_of(&none)).unwrap_err();
    assert_eq!(
        (error.offset(), error.field_name()),
        (Some(4096), Some("JSON area"))
    );
}

#[test]
fn integrity_makes_it_opaque() {
    needs!(Packages);
    let bytes = small_luks2();
    let from = r#""iv_tweak":"0","encryption":"aes-xts-plain64""#;
    let to = r#""integrity":{"type":"hmac(s)"},"sector":    0"#;
    let width = from.len();
    let bytes = replace(&bytes, from, &format!("{to:<width$}"));
    let member = probe(&bytes).unwrap();
    assert!(matches!(&member.detail, Detail::Opaque(why) if why.contains("dm-integrity")));
}

#[test]
fn damaged_headers_are_survived() {
    needs!(Packages);
    let bytes = small_luks2();
    let mut noise = Random(4);
    flip_everywhere(&bytes, 0..600, 300, &mut noise);
    // In one copy only, the other being lost: what is read must come from the damaged text.
    let mut alone = bytes.clone();
    alone[16384..32768].fill(0);
    flip_everywhere(&alone, 4096..5200, 1500, &mut noise);
    truncate_everywhere(&bytes);
    let (_folder, path) = formatted(4 << 20, &["--type", "luks1"]);
    let mut old = std::fs::read(path).unwrap();
    old.truncate(8192);
    flip_everywhere(&old, 0..256, 500, &mut noise);
    truncate_everywhere(&old);
}

#[test]
fn an_unknown_version_is_said_so_and_an_interrupted_one_too() {
    let mut bytes = vec![0; 4096];
    bytes[..8].copy_from_slice(b"LUKS\xba\xbe\0\x03");
    let error = volumes::probe(&view_of(&bytes)).unwrap_err();
    assert_eq!(error.kind(), ioalign_inspect::ErrorKind::Unsupported);
    bytes[..8].copy_from_slice(b"LUKS\xde\xad\0\x01");
    assert_eq!(probe(&bytes).unwrap().remarks[0].rule, "luks-reencrypt");
}

/// A BitLocker boot sector with its metadata block at 64 KiB.
fn bitlocker() -> Vec<u8> {
    let mut bytes = vec![0; 128 << 10];
    bytes[..11].copy_from_slice(b"\xeb\x58\x90-FVE-FS-");
    bytes[11..13].copy_from_slice(&4096_u16.to_le_bytes());
    bytes[13] = 1;
    bytes[160..176]
        .copy_from_slice(b"\x3b\xd6\x67\x49\x29\x2e\xd8\x4a\x83\x99\xf6\xa3\x39\xe3\xd0\x01");
    bytes[176..184].copy_from_slice(&65536_u64.to_le_bytes());
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    bytes[65536..65544].copy_from_slice(b"-FVE-FS-");
    bytes[65536 + 80..65536 + 96].copy_from_slice(&(1..17).collect::<Vec<u8>>());
    bytes
}

#[test]
fn bitlocker_keeps_sectors_in_their_places() {
    let bytes = bitlocker();
    let member = probe(&bytes).unwrap();
    assert_eq!((member.kind, sector(&member)), ("bitlocker", 4096));
    assert_eq!(member.set, "04030201-0605-0807-090A-0B0C0D0E0F10");
    assert_eq!(member.data_start.get(), 0);
    let mut vista = bytes.clone();
    vista[160..176].fill(0);
    vista[56] = 16;
    let member = probe(&vista).unwrap();
    assert_eq!(
        (member.facts["variant"].as_str(), member.set.len()),
        ("Windows Vista", 36)
    );
    flip_everywhere(&bytes, 0..512, 300, &mut Random(5));
    truncate_everywhere(&bytes);
}
