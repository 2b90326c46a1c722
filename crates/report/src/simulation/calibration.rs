//! Predictions beside measurements.

use ioalign_core::numbers::{three, times};
use ioalign_core::simulation_document::CalibrationRecord;

use super::{dim, notes};
use crate::options::RenderOptions;
use crate::profile::table::TextTable;
use crate::text::page::{Style, TextPage, TextSpan};

/// What was predicted of a device, and what was measured then.
pub fn calibration(record: &CalibrationRecord, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    if !options.quiet() {
        let offset = ioalign_core::Bytes::new(record.offset_bytes);
        let title = format!(
            "{}: an offset of {offset}, by {}",
            record.target, record.array
        );
        page.put("", "", 2, &[TextSpan::new(Style::Strong, title)]);
        dim(&mut page, record.about.clone());
        page.blank();
    }
    let head = [
        "",
        "I/O",
        "aligned I/Os/s",
        "predicted",
        "measured",
        "interval",
        "off by",
    ];
    let mut table = TextTable::new(2, &head);
    for row in &record.rows {
        let or_not = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        let interval = row.measured_low.zip(row.measured_high);
        let (style, word) = match row.hit {
            Some(true) => (Style::Plain, "hit"),
            Some(false) => (Style::Warn, "MISS"),
            None => (Style::Dim, "not measured"),
        };
        let cells = vec![
            word.to_owned(),
            row.load.clone(),
            three(row.aligned_iops),
            times(row.predicted_ratio),
            or_not(row.measured_ratio.map(times)),
            or_not(interval.map(|(low, high)| format!("{} to {}", times(low), times(high)))),
            or_not(
                row.error_ratio
                    .map(|error| format!("{:+.1} %", error * 100.0)),
            ),
        ];
        table.row(style, cells);
    }
    table.put(&mut page);
    if !options.quiet() {
        notes(&mut page, &record.notes);
    }
    page.finish()
}
