//! Alerts and dashboard: promtool's opinion, and that they ask for metrics that exist.

use std::collections::BTreeSet;

use ioalign_testkit::run::{text, tool};
use serde_json::Value;

use super::{bad, file, out, read, run};

#[test]
fn promtool_takes_the_alerts_and_their_tests() {
    needs!(Packages);
    for (verb, path) in [
        ("check", "contrib/prometheus/alerts.yml"),
        ("test", "contrib/prometheus/alerts.test.yml"),
    ] {
        tool("promtool", &[verb, "rules", text(&file(path))]);
    }
}

/// Every query of the dashboard, with all instances chosen.
pub fn queries() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(&read("contrib/grafana/dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().unwrap());
    let queries = targets.map(|target| target["expr"].as_str().unwrap().to_owned());
    queries
        .map(|query| query.replace("$instance", ".*"))
        .collect()
}

/// The words `ioalign_…` of a text.
fn metrics(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != ':')
        .filter(|word| word.starts_with("ioalign_"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn dashboard_and_alerts_ask_for_metrics_that_exist() {
    let image = bad();
    let arguments = [
        "/usr/bin/ioalign",
        "check",
        "--format",
        "prometheus",
        text(image.path()),
    ];
    let mut known = metrics(&out(&run(&arguments, &[])));
    // Shown only where there is something to show.
    known.extend(["ioalign_hint_bogus", "ioalign_finding_waived"].map(str::to_owned));
    let alerts = read("contrib/prometheus/alerts.yml");
    let queries = queries();
    let asked = queries
        .iter()
        .flat_map(|query| metrics(query))
        .chain(metrics(&alerts));
    for metric in asked {
        assert!(known.contains(&metric), "{metric} is no metric of ours");
    }
}

#[test]
fn panels_have_distinct_ids_and_do_not_overlap() {
    let dashboard: Value = serde_json::from_str(&read("contrib/grafana/dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let ids: BTreeSet<u64> = panels
        .iter()
        .map(|panel| panel["id"].as_u64().unwrap())
        .collect();
    assert_eq!(ids.len(), panels.len());
    let mut cells = BTreeSet::new();
    for panel in panels {
        let [x, y, w, h] = ["x", "y", "w", "h"].map(|key| panel["gridPos"][key].as_u64().unwrap());
        assert!(x + w <= 24, "{}", panel["title"]);
        for cell in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
            assert!(cells.insert(cell), "{} overlaps", panel["title"]);
        }
    }
}
