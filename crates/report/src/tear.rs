//! Databases that lost power: a line for each arrangement.

use ioalign_core::numbers::thousands;
use ioalign_core::tear_document::{TearDocument, TearOutcome, TearPrediction};
use ioalign_core::units::Bytes;

use crate::options::RenderOptions;
use crate::profile::table::TextTable;
use crate::text::page::{Style, TextPage, TextSpan};

/// The whole text.
pub fn text(document: &TearDocument, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    let head = [
        "database",
        "protection",
        "sector",
        "unit",
        "predicted",
        "check",
        "losses",
        "damaged",
        "forgotten",
    ];
    let mut table = TextTable::new(6, &head);
    for outcome in &document.arrangements {
        let style = if outcome.holds() {
            Style::Plain
        } else {
            Style::Strong
        };
        table.row(style, row(outcome));
    }
    table.put(&mut page);
    page.blank();
    page.put(
        "",
        "",
        0,
        &[TextSpan::new(Style::Strong, summary(document))],
    );
    for outcome in document.arrangements.iter().filter(|one| !one.holds()) {
        page.put("", "", 2, &[TextSpan::plain(wrong(outcome))]);
    }
    for outcome in &document.arrangements {
        if let Some(line) = outcome.first_damage.as_ref().filter(|_| options.verbose()) {
            let text = format!("{}: {line}", name(outcome));
            page.put("", "", 2, &[TextSpan::new(Style::Dim, text)]);
        }
    }
    if let Some(why) = &document.partial {
        page.put("", "", 0, &[TextSpan::plain(why.as_str())]);
    }
    page.finish()
}

/// One arrangement in words, for a progress line.
pub fn name(outcome: &TearOutcome) -> String {
    let arrangement = &outcome.arrangement;
    format!(
        "{}, {}, sector {}, {} in one piece",
        arrangement.engine.name(),
        protection(outcome),
        arrangement.start_bytes / 512,
        Bytes::new(arrangement.unit_bytes),
    )
}

fn row(outcome: &TearOutcome) -> Vec<String> {
    let arrangement = &outcome.arrangement;
    vec![
        arrangement.engine.name().to_owned(),
        match arrangement.protected {
            true => arrangement.engine.protection().to_owned(),
            false => "none".to_owned(),
        },
        (arrangement.start_bytes / 512).to_string(),
        Bytes::new(arrangement.unit_bytes).to_string(),
        predicted(outcome.prediction).to_owned(),
        outcome.check.clone().unwrap_or_else(|| "-".to_owned()),
        outcome.losses_of_power.to_string(),
        outcome.damaged.to_string(),
        outcome.forgotten.to_string(),
    ]
}

fn protection(outcome: &TearOutcome) -> String {
    let switch = if outcome.arrangement.protected {
        ""
    } else {
        "no "
    };
    format!("{switch}{}", outcome.arrangement.engine.protection())
}

const fn predicted(prediction: TearPrediction) -> &'static str {
    match prediction {
        TearPrediction::Safe => "safe",
        TearPrediction::Loses => "loses",
        TearPrediction::NotPromised => "not promised",
    }
}

fn summary(document: &TearDocument) -> String {
    let all = document.arrangements.len();
    let losses: u64 = document
        .arrangements
        .iter()
        .map(|one| u64::from(one.losses_of_power))
        .sum();
    let wrong = document
        .arrangements
        .iter()
        .filter(|one| !one.holds())
        .count();
    let verdict = match wrong {
        0 => "all as predicted".to_owned(),
        wrong => format!("{wrong} not as predicted"),
    };
    format!(
        "{all} arrangements, {} losses of power: {verdict}",
        thousands(losses)
    )
}

fn wrong(outcome: &TearOutcome) -> String {
    let damage = outcome
        .first_damage
        .as_deref()
        .unwrap_or("no page was damaged");
    let mut text = format!(
        "{}: predicted {}; {damage}",
        name(outcome),
        predicted(outcome.prediction)
    );
    if !outcome.is_check_right() {
        let said = outcome.check.as_deref().unwrap_or_default();
        text += &format!(
            "; check said {said} and had to say {}",
            outcome.right_check()
        );
    }
    text
}
