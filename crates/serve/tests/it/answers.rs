//! A program that answers as tests want it.

use std::time::Duration;

use ioalign_serve::{HostAnswers, ReportView, ServedReport, ServedReports};

pub struct TestAnswers;

impl HostAnswers for TestAnswers {
    fn check(&self, name: &str, bytes: &[u8]) -> Result<String, String> {
        match name {
            "panic" => panic!("planted"),
            "slow" => std::thread::sleep(Duration::from_secs(1)),
            "refused" => return Err("no".to_owned()),
            _ => {}
        }
        Ok(serde_json::json!({ "name": name, "bytes": bytes.len() }).to_string())
    }

    fn reports(&self) -> Option<ServedReports> {
        let report = ServedReport {
            name: "a.json".to_owned(),
            schema: "ioalign.lab/1".to_owned(),
            bytes: 7,
            modified_ms: 1000,
        };
        Some(ServedReports {
            reports: vec![report],
            left_out: 2,
        })
    }

    fn report(&self, name: &str) -> Option<String> {
        (name == "a.json").then(|| "{}".to_owned())
    }

    fn report_view(&self, name: &str) -> Option<ReportView> {
        match name {
            "a.json" => Some(ReportView::Page("<!DOCTYPE html><p>a</p>".to_owned())),
            "text.json" => Some(ReportView::Text("plain <b>text</b>".to_owned())),
            _ => None,
        }
    }
}
