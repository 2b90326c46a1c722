//! Every page in a real browser: it opens without a complaint, shows the right numbers, and goes on by itself.

use std::process::{Command, Stdio};
use std::time::Duration;

use ioalign_core::numbers;
use ioalign_testkit::gpt::{self, LINUX};
use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{Disk, mbr};
use serde_json::json;

use super::ServedHost;
use super::browser::Browser;
use crate::watch::Memory;

/// What the server counts is on the page within the two seconds of a profile and the three of the page.
const SOON: Duration = Duration::from_secs(12);
/// A live figure.
const LIVE: Duration = Duration::from_secs(2);

/// 1024 writes of 4 KiB, one after the other, which begin 3584 bytes past a block: as on a partition at sector 63.
fn shifted_writes(disk: &Memory) {
    let device = format!("--filename={}", disk.device.text());
    let job = [
        "--name=shifted",
        "--rw=write",
        "--bs=4k",
        "--direct=1",
        "--ioengine=psync",
    ];
    let place = ["--offset=32256", "--size=4m", "--io_size=4m", &device];
    tool("fio", &[&job[..], &place[..]].concat());
}

#[test]
fn every_page_works_in_a_browser() {
    needs!(Root, Packages);
    let disk = Memory::new("pages", 64);
    mbr_at_63(&disk);
    let reports = tempfile::tempdir().unwrap();
    write_reports(&reports);
    let folder = text(reports.path());
    let served = ServedHost::start(&["--reports", folder, disk.name()]);
    let stack = served.json("/api/v1/stack");
    assert!(!stack["targets"][0]["layers"].as_array().unwrap().is_empty());
    let mut browser = Browser::start();
    devices(&mut browser, &served, &disk);
    the_stack(&mut browser, &served, &disk);
    reports_of_others(&mut browser, &served);
    pasted_text(&mut browser, &served);
    the_same_numbers(&mut browser);
}

fn mbr_at_63(disk: &Memory) {
    let image = mbr::disk("table.img", 64, &[(0x83, 63, 100_000)]);
    let from = format!("if={}", text(image.path()));
    let to = format!("of={}", disk.device.text());
    tool(
        "dd",
        &[&from, &to, "bs=512", "count=1", "conv=fsync", "status=none"],
    );
}

fn devices(browser: &mut Browser, served: &ServedHost, disk: &Memory) {
    let url = format!("{}device/{}", served.url, disk.name());
    browser.open(&url, 1280);
    browser.until(
        "document.getElementById('status').textContent === 'live'",
        SOON,
    );
    let name = browser.text("#title");
    assert_eq!(name, disk.name());
    // The first I/O is on the page before two seconds have passed.
    let from = format!("of={}", disk.device.text());
    let mut load = Command::new("dd")
        .args([
            "if=/dev/zero",
            &from,
            "bs=4k",
            "seek=1000",
            "count=1000000",
            "oflag=direct",
        ])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let took = browser.until(
        "document.getElementById('t-write').textContent !== '0/s'",
        SOON,
    );
    load.kill().unwrap();
    load.wait().unwrap();
    assert!(took < LIVE, "{took:?}");
    browser.until(
        "document.getElementById('c-iops').chart.data[2].some((v) => v > 0)",
        SOON,
    );
    browser.until(
        "document.getElementById('c-sizes').chart.data[1]?.length > 0",
        SOON,
    );
    let sizes = "Object.fromEntries([...document.querySelectorAll('#c-place tbody tr')].map((row) => \
                 [row.cells[0].textContent, row.cells[2].textContent]))";
    let before = browser.value(sizes);
    assert_eq!(before["3584 B"], "0");
    shifted_writes(disk);
    let counted = format!("({sizes})['3584 B'] === '1,024'");
    browser.until(&counted, SOON);
    // The bars are the numbers of the table.
    assert_eq!(
        browser.value("document.getElementById('c-place').chart.data[2][7]"),
        1024
    );
    let profile = served.json("/api/v1/profile");
    let write = &profile["devices"][0]["by_op"]["write"];
    assert_eq!(write["start_mod_4096"][7], 1024);
    let all: u64 = write["start_mod_4096"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_u64().unwrap())
        .sum();
    assert_eq!(Some(all), write["ios"].as_u64());
    browser.until(
        &format!(
            "document.getElementById('latency').textContent.includes('{}')",
            numbers::thousands(all)
        ),
        SOON,
    );
    let bursts = browser.text("#c-bursts");
    assert!(
        bursts.contains("a monitor that samples every 20 s"),
        "{bursts}"
    );
    browser.look("device");
}

fn the_stack(browser: &mut Browser, served: &ServedHost, disk: &Memory) {
    browser.open(&served.url, 1280);
    browser.until(
        "document.querySelectorAll('#picture [data-layer]').length > 0",
        SOON,
    );
    let link = format!(
        "document.querySelector('#picture a[href=\"/device/{}\"]') !== null",
        disk.name()
    );
    browser.until(&link, SOON);
    shifted_writes(disk);
    let row = format!(
        "document.querySelector('#devices a[href=\"/device/{}\"]') !== null",
        disk.name()
    );
    browser.until(&row, LIVE);
    let findings = browser.text("#findings");
    assert!(findings.contains("sector 63"), "{findings}");
    browser.look("stack");
}

fn write_reports(folder: &tempfile::TempDir) {
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let image = mbr::disk("bad.img", 64, &[(0x83, 63, 100_000)]);
    let check = Command::new(super::PROGRAM)
        .args(["check", "--no-policy", "--json", text(image.path())])
        .output()
        .unwrap();
    write("check.json", &String::from_utf8(check.stdout).unwrap());
    let simulation = tool(
        super::PROGRAM,
        &[
            "simulate",
            "compare",
            "raid5:4x64k",
            "randwrite:64k:qd4",
            "--starts",
            "63s,2048s",
            "--ios",
            "2000",
            "--json",
        ],
    );
    write("simulation.json", &simulation);
    write("notes.txt", "not a report");
}

fn reports_of_others(browser: &mut Browser, served: &ServedHost) {
    browser.open(&format!("{}reports", served.url), 1280);
    browser.until("document.querySelectorAll('#list li').length === 2", SOON);
    browser.value("document.querySelector('[data-report=\"check.json\"] button').click()");
    browser.until(
        "document.querySelector('#body [data-verdict]') !== null",
        SOON,
    );
    assert_eq!(
        browser.value("document.querySelector('#body [data-verdict]').dataset.verdict"),
        "misaligned"
    );
    browser.value("document.querySelector('[data-report=\"simulation.json\"] button').click()");
    browser.until(
        "document.querySelector('#body pre')?.textContent.includes('raid5')",
        SOON,
    );
    browser.look("reports");
}

/// A text whose names are markup: they are shown, and nothing runs.
fn pasted_text(browser: &mut Browser, served: &ServedHost) {
    browser.open(&format!("{}check", served.url), 1280);
    let fdisk = "Disk /dev/sda: 10 GiB, 10737418240 bytes, 20971520 sectors\nUnits: sectors of 1 * 512 = 512 bytes\n\
                 Sector size (logical/physical): 512 bytes / 4096 bytes\nI/O size (minimum/optimal): 4096 bytes / 4096 bytes\n\
                 Disklabel type: dos\nDisk identifier: 0x1\n\nDevice     Boot Start      End  Sectors Size Id Type\n\
                 /dev/sda1          63 20971519 20971457  10G 83 Linux\n";
    browser.enter("#text", fdisk, "#go");
    browser.until("!document.getElementById('result').hidden", SOON);
    assert_eq!(
        browser.value("document.querySelector('#verdict [data-verdict]').dataset.verdict"),
        "misaligned"
    );
    let findings = browser.text("#findings");
    assert!(findings.contains("sector 63"), "{findings}");
    let disk = Disk::new("evil.img", 8 << 20);
    gpt::write(&disk, 512, &[(LINUX, 2048, 8192)]);
    let image = std::fs::read(disk.path()).unwrap();
    let name = "<img src=x onerror=document.title='evil'>.img";
    let bytes = json!(image.iter().take(2 << 20).collect::<Vec<_>>());
    browser.value(&format!(
        "(() => {{ const data = new DataTransfer(); data.items.add(new File([new Uint8Array({bytes})], {})); \
         const drop = new DragEvent('drop', {{ dataTransfer: data, cancelable: true }}); \
         document.getElementById('drop').dispatchEvent(drop); return true; }})()",
        json!(name)
    ));
    browser.until(
        "document.getElementById('verdict').textContent.includes('<img')",
        SOON,
    );
    assert_eq!(
        browser.value("document.querySelectorAll('main img').length"),
        0
    );
    assert_ne!(browser.value("document.title"), "evil");
    browser.look("check");
}

/// The pages write numbers as all other reports do.
fn the_same_numbers(browser: &mut Browser) {
    let values = [
        0.0,
        0.0037,
        0.5,
        1.0,
        9.994,
        9.996,
        12.34,
        99.94,
        99.96,
        1023.0,
        1024.0,
        5461.0,
        1_048_400.0,
        1_048_576.0,
        4.0e9,
        123_456_789.0,
    ];
    for value in values {
        let one = |browser: &mut Browser, form: &str| {
            let argument = if form == "percent" {
                value / 1e9
            } else {
                value
            };
            let call = format!("import('/pages/numbers.js').then((all) => all.{form}({argument}))");
            browser.value(&call).as_str().unwrap().to_owned()
        };
        assert_eq!(one(browser, "three"), numbers::three(value), "{value}");
        assert_eq!(one(browser, "size"), numbers::size(value), "{value}");
        assert_eq!(one(browser, "time"), numbers::time(value), "{value}");
        assert_eq!(
            one(browser, "percent"),
            numbers::percent(value / 1e9),
            "{value}"
        );
    }
    for bytes in [
        512_u64,
        3584,
        4096,
        32_256,
        65_536,
        1 << 20,
        1_000_204_886_016,
    ] {
        let call = format!("import('/pages/numbers.js').then((all) => all.about({bytes}))");
        assert_eq!(
            browser.value(&call),
            numbers::about(ioalign_core::Bytes::new(bytes))
        );
    }
}
