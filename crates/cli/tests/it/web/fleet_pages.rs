//! The pages of a fleet in a real browser, over hosts that pushed: one is moved in between, one is busy, one is waived.

use std::fs;
use std::time::Duration;

use ioalign_testkit::Sysroot;
use ioalign_testkit::run::{text, tool};
use ioalign_testkit::sysroot::SysrootDisk;

use super::browser::Browser;
use crate::fleet::{FleetProcess, MadeFleet, OWNER};

const SOON: Duration = Duration::from_secs(12);
/// The page has its rows, or says why it has none.
const ANSWERED: &str = "document.querySelector('#content table, #content dl, #content a') !== null";
/// The cells of the tables, without those that depend on the clock.
const CELLS: &str =
    "[...document.querySelectorAll('#content td')].map((cell) => cell.textContent).join('|')";

/// A host with one disk, whose partition starts there.
fn host(number: u32, name: &str, start: u64) -> Sysroot {
    let disk = SysrootDisk::new("sda", 1 << 21)
        .limits(512, 4096, 4096, 0)
        .model("ACME", "DISK <9>");
    Sysroot::new()
        .disk(disk)
        .partition("sda", 1, start, 1 << 20)
        .file("etc/machine-id", format!("{number:032x}\n"))
        .file("proc/sys/kernel/hostname", format!("{name}\n"))
}

/// A thousand writes a second from sector 63, of a millisecond each, for ten seconds.
fn profile(fleet: &MadeFleet) -> String {
    let trace = fleet.path("t.csv");
    let lines = (0..10_000_u64).map(|n| {
        format!(
            "{},write,{},4096,1000000,sda\n",
            n * 1_000_000,
            32_256 + n * 4096
        )
    });
    let head = "time_ns,op,offset_bytes,length_bytes,latency_ns,device\n".to_owned();
    fs::write(&trace, head + &lines.collect::<String>()).unwrap();
    let document = tool(
        crate::PROGRAM,
        &["trace", "summarize", text(&trace), "--json"],
    );
    let path = fleet.path("profile.json");
    fs::write(&path, document).unwrap();
    text(&path).to_owned()
}

fn made(fleet: &MadeFleet, server: &FleetProcess) {
    let profile = profile(fleet);
    let push = |host: &Sysroot, more: &[&str]| {
        let (code, _, said) = fleet.push(&server.url, host, more);
        assert_eq!(code, Some(0), "{said}");
    };
    push(&host(1, "db-1", 63), &["--profile", &profile]);
    push(&host(2, "web-1", 63), &[]);
    push(&host(2, "web-1", 2048), &[]);
    push(&host(3, "old-1", 63), &[]);
    let waiver = br#"{"rule": "start-misaligned", "host": "old-1", "reason": "retired in June", "expires": "2999-12-31"}"#;
    let head = format!("Authorization: Bearer {OWNER}\r\nContent-Type: application/json\r\n");
    assert_eq!(
        server.ask("POST /api/v1/fleet/waivers", &head, waiver).0,
        200
    );
}

fn open(browser: &mut Browser, server: &FleetProcess, path: &str) -> String {
    browser.open(&format!("{}{path}", server.url), 1280);
    browser.until(ANSWERED, SOON);
    browser.value(CELLS).as_str().unwrap().to_owned()
}

#[test]
fn the_pages_of_a_fleet_work_in_a_browser() {
    needs!(Packages);
    let fleet = MadeFleet::new();
    let server = fleet.serve(&[]);
    made(&fleet, &server);
    let mut browser = Browser::start();
    let worst = open(&mut browser, &server, "/fleet");
    assert!(
        worst.starts_with("db-1|misaligned|1|86,400,000|86,400,000|now|old-1|ok|0 (1 waived)|"),
        "{worst}"
    );
    assert!(browser.text("#content dl").contains("hosts3"));
    browser.look("fleet");
    for (path, name, expected) in [
        (
            "/fleet/busy",
            "busy",
            "db-1|misaligned|86,400,000|86,400,000|100 %|1",
        ),
        ("/fleet/gains", "gains", "db-1|start-misaligned|misaligned|"),
        (
            "/fleet/rules",
            "rules",
            "start-misaligned|misaligned|1|1|1|86,400,000",
        ),
        ("/fleet/models", "models", "DISK <9>|"),
        ("/fleet/ages", "ages", "0 to 1 days|misaligned|1|1"),
        (
            "/fleet/changes?days=7",
            "changes",
            "start-misaligned|misaligned|",
        ),
        (
            "/fleet/waivers",
            "waivers",
            "start-misaligned|old-1|all layers|ann|retired in June|2999-12-31",
        ),
        ("/fleet/search?q=disk", "search", "db-1|"),
        ("/fleet/export", "export", ""),
    ] {
        let cells = open(&mut browser, &server, path);
        assert!(cells.contains(expected), "{path}: {cells}");
        browser.look(&format!("fleet-{name}"));
    }
    history(&mut browser, &server);
}

/// From the search to the host, and to what changed between its two captures.
fn history(browser: &mut Browser, server: &FleetProcess) {
    open(browser, server, "/fleet/search?q=web");
    let cells = follow(browser, "#content td a");
    assert_eq!(browser.text("#title"), "web-1");
    assert!(cells.contains("|changed"), "{cells}");
    browser.look("fleet-host");
    let cells = follow(browser, "#content a[href*='compare']");
    assert!(cells.contains("start-misaligned"), "{cells}");
    browser.look("fleet-compare");
}

/// Opens what a link of the page leads to.
fn follow(browser: &mut Browser, link: &str) -> String {
    let to = browser.value(&format!("document.querySelector(\"{link}\").href"));
    browser.open(to.as_str().unwrap(), 1280);
    browser.until(ANSWERED, SOON);
    browser.value(CELLS).as_str().unwrap().to_owned()
}
