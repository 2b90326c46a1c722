//! The device itself: data, where they lie, times, file systems.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Stdio;

use ioalign_testkit::MountGuard;
use ioalign_testkit::run::{command, device_bytes, text, tool, wait_until};
use serde_json::Value;

use super::{PROGRAM, ServedArray, soon};

#[test]
fn a_block_device_a_file_and_a_socket_are_one_device() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("array.img");
    let arguments = [
        "raid5:4x64k:md",
        "--start",
        "63s",
        "--size",
        "64M",
        "--service",
        "0ms",
    ];
    let arguments = [&arguments[..], &["--data", text(&data)]].concat();
    let served = ServedArray::start(folder.path(), &arguments);
    let keys: Vec<_> = served.ready.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["device", "file", "nbd_socket"]);
    let device = OpenOptions::new()
        .read(true)
        .write(true)
        .open(served.device())
        .unwrap();
    device.write_all_at(&[7; 8192], 1 << 20).unwrap();
    device.sync_all().unwrap();
    let mut found = [0; 8192];
    let file = File::open(served.path("file")).unwrap();
    file.read_exact_at(&mut found, 1 << 20).unwrap();
    assert_eq!(
        (found, file.metadata().unwrap().len()),
        ([7; 8192], 64 << 20)
    );
    let uri = format!(
        "nbd+unix:///?socket={}",
        served.ready["nbd_socket"].as_str().unwrap()
    );
    tool("qemu-io", &["-f", "raw", "-c", "read -P 7 1M 8k", &uri]);
    let name = served.device().file_name().unwrap().to_owned();
    let sysfs = Path::new("/sys/block").join(name);
    let of = |file: &str| std::fs::read_to_string(sysfs.join(file)).unwrap();
    assert_eq!((of("size").trim(), of("loop/dio").trim()), ("131072", "1"));
    assert_eq!(of("queue/logical_block_size").trim(), "512");
    drop((device, file));
    assert_eq!(served.end("INT"), (Some(0), String::new()));
    // The data outlive the server, and are served again.
    let found = std::fs::read(&data).unwrap();
    assert_eq!((found.len(), found[1 << 20]), (64 << 20, 7));
    let served = ServedArray::start(folder.path(), &["single", "--data", text(&data)]);
    let device = File::open(served.device()).unwrap();
    let mut again = [0; 512];
    device.read_exact_at(&mut again, 1 << 20).unwrap();
    assert_eq!(again, found[1 << 20..][..512]);
    drop(device);
    assert_eq!(served.end("TERM").0, Some(0));
}

/// The rates of the model in the mean of some seconds. The machine of the tests may be busy, which makes it slower and
/// never faster; `benches/serve.sh` holds it to 3 %.
#[test]
fn fio_finds_the_rates_of_the_model() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    for (array, start, rw) in [
        ("raid10:4x64k", "63s", "randread"),
        ("raid5:4x64k", "2048s", "randwrite"),
    ] {
        let served = ServedArray::start(
            folder.path(),
            &[array, "--start", start, "--service", "20ms"],
        );
        let device = format!("--filename={}", served.ready["device"].as_str().unwrap());
        let rw_of = format!("--rw={rw}");
        let out = tool(
            "fio",
            &[
                "--name=a",
                &device,
                "--direct=1",
                "--ioengine=libaio",
                &rw_of,
                "--bs=16k",
                "--iodepth=16",
                "--time_based",
                "--runtime=3",
                "--output-format=json",
            ],
        );
        let found: Value = serde_json::from_str(&out).unwrap();
        let kind = if rw == "randread" { "read" } else { "write" };
        let found = found["jobs"][0][kind]["iops"].as_f64().unwrap();
        let workload = format!("{rw}:16k:qd16");
        let model = tool(
            PROGRAM,
            &[
                "simulate",
                "run",
                array,
                &workload,
                "--start",
                start,
                "--service",
                "20ms",
                "--json",
            ],
        );
        let model: Value = serde_json::from_str(&model).unwrap();
        let model = model["arms"][0]["iops"].as_f64().unwrap();
        let share = found / model;
        assert!(
            (0.8..1.08).contains(&share),
            "{array} {rw}: {found} of {model}"
        );
    }
}

#[test]
fn file_systems_are_clean_after_their_writer_was_killed() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    for (make, check) in [
        (&["mkfs.ext4", "-q"][..], &["e2fsck", "-f", "-n"][..]),
        (&["mkfs.xfs", "-q"], &["xfs_repair", "-n"]),
    ] {
        let arguments = ["raid10:4x64k", "--size", "400M", "--service", "50us"];
        let served = ServedArray::start(folder.path(), &arguments);
        let device = served.device();
        let device = text(&device);
        tool(make[0], &[&make[1..], &[device]].concat());
        let mount = MountGuard::new(&[device], &folder.path().join("mount"));
        let file = format!("--directory={}", text(mount.path()));
        let mut writer = command("fio");
        writer.args([
            "--name=a",
            &file,
            "--size=64M",
            "--rw=randwrite",
            "--bs=8k",
            "--fsync=8",
            "--numjobs=2",
            "--thread",
            "--time_based",
            "--runtime=60",
        ]);
        let mut writer = writer.stdout(Stdio::null()).spawn().unwrap();
        wait_until("it writes", || device_bytes(writer.id()) > 8 << 20);
        writer.kill().unwrap();
        writer.wait().unwrap();
        mount.try_unmount().unwrap();
        tool(check[0], &[&check[1..], &[device]].concat());
        assert_eq!(served.end("TERM"), (Some(0), String::new()));
    }
}

#[test]
fn a_loss_of_power_keeps_what_was_flushed() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "raid10:4x64k",
        "--size",
        "16M",
        "--service",
        "0ms",
        "--lose-unflushed",
    ];
    let served = ServedArray::start(folder.path(), &arguments);
    let device = served.device();
    write(&device, 1, 0, "conv=fsync");
    write(&device, 2, 0, "conv=notrunc");
    write(&device, 3, 1, "conv=notrunc");
    served.signal("USR1");
    assert!(soon(|| read(&device, 0).is_none()));
    served.signal("USR2");
    assert!(soon(|| read(&device, 0).is_some()));
    assert_eq!(read(&device, 0).unwrap(), [1; 4096]);
    assert_eq!(read(&device, 1).unwrap(), [0; 4096]);
    let (code, said) = served.end("INT");
    assert_eq!(code, Some(0));
    assert!(
        said.contains("0 writes in flight") && said.contains("2 not flushed, of which 2 are lost"),
        "{said}"
    );
}

/// A block of 4 KiB, past the page cache.
fn write(device: &Path, value: u8, block: u64, conversion: &str) {
    let mut dd = command("dd");
    dd.arg(format!("of={}", text(device)))
        .arg(format!("seek={block}"));
    dd.args([
        "bs=4k",
        "iflag=fullblock",
        "oflag=direct",
        "status=none",
        conversion,
    ]);
    let mut dd = dd.stdin(Stdio::piped()).spawn().unwrap();
    dd.stdin.take().unwrap().write_all(&[value; 4096]).unwrap();
    assert!(dd.wait().unwrap().success());
}

/// The same block; `None`: the device gives an error.
fn read(device: &Path, block: u64) -> Option<Vec<u8>> {
    let mut dd = command("dd");
    dd.arg(format!("if={}", text(device)))
        .arg(format!("skip={block}"));
    dd.args(["bs=4k", "count=1", "iflag=direct", "status=none"]);
    let output = dd.output().unwrap();
    output.status.success().then_some(output.stdout)
}
