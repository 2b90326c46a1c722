//! The page of formats names every format and its bpftrace program writes what we read.

use ioalign_observe::formats;

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trace-formats.md");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn every_format_is_documented() {
    let page = page();
    for name in formats::names().split(", ") {
        assert!(page.contains(&format!("| `{name}` |")), "{name}");
    }
}

#[test]
fn the_bpftrace_program_writes_the_heading() {
    let page = page();
    let format = formats::named("bpftrace").unwrap();
    let start = page.find("printf(\"").unwrap() + 8;
    let end = start + page[start..].find("\\n").unwrap();
    assert!((format.sniff)(
        format!("{}\n", &page[start..end]).as_bytes()
    ));
}
