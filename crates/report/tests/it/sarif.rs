//! SARIF against the schema of OASIS, which comes with the package `serde-sarif`, and against what
//! the schema does not say.

use ioalign_core::{Severity, Waiver};
use ioalign_report::{FailOn, RenderOptions, Report, ReportFormat};
use serde_json::Value;

use super::cases;

fn render(report: &Report) -> Value {
    let mut report = report.clone();
    report.scanned_at_seconds = Some(1_700_000_000);
    serde_json::from_str(&ReportFormat::Sarif.render(&report, &RenderOptions::default())).unwrap()
}

#[test]
fn every_report_is_valid() {
    let schema = ioalign_testkit::sarif::schema();
    assert!(schema.to_string().contains("2.1.0"), "the right version");
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut reports: Vec<Report> = cases::all().into_iter().map(|(_, report)| report).collect();
    reports.push(Report::default());
    reports.extend(super::hostile::reports());
    reports.push(waived());
    for report in reports {
        let log = render(&report);
        let errors: Vec<_> = validator
            .iter_errors(&log)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}");
        // The types of that package are stricter where the schema allows more keys.
        let _: serde_sarif::sarif::Sarif = serde_json::from_value(log).unwrap();
    }
}

fn results(log: &Value) -> &Vec<Value> {
    log["runs"][0]["results"].as_array().unwrap()
}

#[test]
fn nothing_found_gives_no_result_and_no_rule() {
    let mut target = cases::aligned();
    target.findings.clear();
    let log = render(&cases::report(vec![target]));
    assert!(results(&log).is_empty());
    assert_eq!(
        log["runs"][0]["tool"]["driver"]["rules"],
        Value::Array(Vec::new())
    );
    assert_eq!(
        log["runs"][0]["invocations"][0]["executionSuccessful"],
        true
    );
}

#[test]
fn one_rule_an_id_and_the_index_is_right() {
    let mut target = cases::sector63();
    target.findings[0].rule = "start-off-assumed-grid";
    target.findings[1].rule = "start-misaligned";
    target.findings[2].rule = "start-misaligned";
    let log = render(&cases::report(vec![target, cases::raid5()]));
    let rules = log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    assert_eq!(rules.len(), 3);
    for result in results(&log) {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    let page = rules
        .iter()
        .find(|rule| rule["id"] == "start-misaligned")
        .unwrap();
    let help = page["help"]["markdown"].as_str().unwrap();
    assert!(help.contains("What it costs"), "{help}");
    assert_eq!(page["defaultConfiguration"]["level"], "warning");
}

#[test]
fn a_result_points_at_the_bytes() {
    let log = render(&cases::report(vec![cases::sector63()]));
    let first = &results(&log)[0];
    let place = &first["locations"][0];
    let physical = &place["physicalLocation"];
    assert_eq!(physical["artifactLocation"]["uri"], "images/old/winxp.img");
    assert_eq!(physical["region"]["byteOffset"], 63 * 512);
    assert_eq!(physical["region"]["byteLength"], 8_u64 << 30);
    assert_eq!(
        place["logicalLocations"][0]["fullyQualifiedName"],
        "partition:p1"
    );
    assert_eq!(
        (&first["level"], &first["kind"]),
        (&"warning".into(), &"fail".into())
    );
    let host = render(&cases::report(vec![cases::aligned()]));
    let uri = &results(&host)[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "file:///dev/sda");
}

#[test]
fn fingerprints_are_distinct_and_do_not_depend_on_numbers() {
    let print = |log: &Value| -> Vec<String> {
        let prints = results(log).iter().map(|result| {
            let print = &result["partialFingerprints"]["ioalignFinding/v1"];
            print.as_str().unwrap().to_owned()
        });
        prints.collect()
    };
    let before = print(&render(&cases::report(vec![cases::sector63()])));
    assert_eq!(before.len(), 3);
    assert!(before[0] != before[1] && before[1] != before[2] && before[0] != before[2]);
    let mut moved = cases::sector63();
    for finding in &mut moved.findings {
        finding.why.push_str(", and another number");
        finding.offset = None;
    }
    assert_eq!(print(&render(&cases::report(vec![moved]))), before);
}

#[test]
fn unreadable_targets_are_notifications() {
    let log = render(&cases::report(vec![cases::unreadable()]));
    assert!(results(&log).is_empty());
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["endTimeUtc"], "2023-11-14T22:13:20Z");
    let stated = &invocation["toolExecutionNotifications"][0];
    assert_eq!(stated["level"], "error");
    let region = &stated["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["byteOffset"], 0x30000);
}

#[test]
fn unknown_is_open() {
    let log = render(&cases::report(cases::forty()));
    let open = results(&log).iter().find(|result| result["kind"] == "open");
    assert_eq!(open.unwrap()["level"], "none");
}

fn waived() -> Report {
    let mut target = cases::sector63();
    for finding in &mut target.findings {
        finding.waived = Some(Waiver {
            reason: "moves in May".to_owned(),
            expires: "2999-12-31".to_owned(),
        });
    }
    target.verdict = Severity::Ok;
    cases::report(vec![target])
}

#[test]
fn a_waiver_is_a_suppression() {
    let log = render(&waived());
    for result in results(&log) {
        assert_eq!(result["suppressions"][0]["kind"], "external");
        assert_eq!(result["suppressions"][0]["justification"], "moves in May");
    }
}

#[test]
fn a_policy_moves_the_level() {
    let mut report = cases::report(vec![cases::sector63()]);
    report.fail = FailOn {
        severity: Severity::Misaligned,
        rules: Vec::new(),
    };
    let levels = |report: &Report| -> Vec<Value> {
        let log = render(report);
        results(&log)
            .iter()
            .map(|result| result["level"].clone())
            .collect()
    };
    assert_eq!(levels(&report), ["warning", "note", "note"]);
    report.fail.rules = vec!["partition-off-grid".to_owned()];
    assert_eq!(levels(&report), ["warning", "warning", "warning"]);
}
