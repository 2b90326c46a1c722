//! Little's law on typed numbers: what follows from them, and whether they contradict each other.

use ioalign_core::profile::littles_law::{LawNumbers, TOLERANCE};
use ioalign_core::units::ratio;
use serde::Serialize;

use crate::options::RenderOptions;
use crate::text::page::{Style, TextPage, TextSpan};
use crate::words::numbers::{percent, rate, size, three, time};

/// The law applied to some numbers.
#[derive(Clone, Debug, Serialize)]
pub struct LawAnswer {
    /// As typed.
    pub typed: LawNumbers,
    /// With all that follows. The throughput is that of the law, where it can be computed.
    pub by_law: LawNumbers,
    /// Throughput by the law divided by the typed one: how many times less is shown.
    pub understated_ratio: Option<f64>,
    /// Rate by latency over the number in flight that was typed.
    pub balance_ratio: Option<f64>,
    /// How often the chart samples.
    pub sampler_us: Option<u64>,
    /// The burst that explains what such a chart shows.
    pub burst_us: Option<f64>,
    /// Whether nothing is further apart than 10 %.
    pub consistent: bool,
}

impl LawAnswer {
    /// From numbers as typed; `sampler` in nanoseconds.
    pub fn of(typed: LawNumbers, sampler: Option<u64>) -> Self {
        let understated_ratio = typed.understated();
        let base = match understated_ratio {
            Some(_) => LawNumbers {
                throughput_bytes_per_s: None,
                ..typed
            },
            None => typed,
        };
        let below = understated_ratio.filter(|factor| *factor > 1.0);
        let burst = sampler
            .zip(below)
            .map(|(width, factor)| ratio(width, 1000) / factor);
        let mut answer = Self {
            typed,
            by_law: base.solved(),
            understated_ratio,
            balance_ratio: typed.balance(),
            sampler_us: sampler.map(|nanos| nanos / 1000),
            burst_us: burst,
            consistent: true,
        };
        answer.consistent = answer.consistent(TOLERANCE);
        answer
    }

    /// Whether anything follows that was not typed, or can be checked.
    pub fn says_anything(&self) -> bool {
        let checked = self.understated_ratio.is_some() || self.balance_ratio.is_some();
        checked || self.by_law != self.typed
    }

    /// Whether nothing is further apart than `tolerance`.
    pub fn consistent(&self, tolerance: f64) -> bool {
        let near = |factor: Option<f64>| factor.is_none_or(|f| (f - 1.0).abs() <= tolerance);
        near(self.understated_ratio) && near(self.balance_ratio)
    }
}

/// The text.
pub fn render(answer: &LawAnswer, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    let word = if answer.consistent {
        "consistent"
    } else {
        "CONTRADICTION"
    };
    if !options.quiet() {
        numbers(&mut page, answer);
        page.blank();
    }
    for sentence in sentences(answer) {
        let style = if answer.consistent {
            Style::Good
        } else {
            Style::Bad
        };
        let body = [
            TextSpan::new(style, word),
            TextSpan::plain(format!(": {sentence}")),
        ];
        page.put("", "", 2, &body);
    }
    if options.quiet() && sentences(answer).is_empty() {
        numbers(&mut page, answer);
    }
    let text = page.finish();
    format!("{}\n", text.trim_end())
}

/// Name, number typed, number by the law, how it is shown.
type Row<'a> = (&'a str, Option<f64>, Option<f64>, &'a dyn Fn(f64) -> String);

fn numbers(page: &mut TextPage, answer: &LawAnswer) {
    let (typed, law) = (&answer.typed, &answer.by_law);
    let per_second = |x: f64| format!("{}/s", three(x));
    let rows: [Row<'_>; 5] = [
        ("in flight (N)", typed.outstanding, law.outstanding, &three),
        ("I/Os a second (X)", typed.iops, law.iops, &per_second),
        ("latency (R)", typed.latency_us, law.latency_us, &time),
        ("size", typed.size_bytes, law.size_bytes, &size),
        (
            "throughput (X × size)",
            typed.throughput_bytes_per_s,
            law.throughput_bytes_per_s,
            &rate,
        ),
    ];
    for (name, typed, law, shown) in rows {
        let Some(value) = law else { continue };
        let by = match typed {
            None => "by N = X × R",
            Some(typed) if (typed - value).abs() > value * 1e-9 => "by N = X × R, not as typed",
            Some(_) => "",
        };
        let text = format!("  {name:<22}  {:>12}   ", shown(value));
        page.line(&[TextSpan::plain(text), TextSpan::new(Style::Dim, by)]);
    }
}

fn sentences(answer: &LawAnswer) -> Vec<String> {
    let mut all = Vec::new();
    if let (Some(factor), Some(shown)) = (
        answer.understated_ratio,
        answer.typed.throughput_bytes_per_s,
    ) {
        all.push(understated(answer, factor, shown));
    }
    if let (Some(factor), Some(n)) = (answer.balance_ratio, answer.typed.outstanding) {
        let expected = n * factor;
        all.push(format!(
            "rate × latency is {} in flight, and {} were typed ({}×)",
            three(expected),
            three(n),
            three(factor)
        ));
    }
    all
}

fn understated(answer: &LawAnswer, factor: f64, shown: f64) -> String {
    let law = answer.by_law.throughput_bytes_per_s.unwrap_or(0.0);
    let both = format!("the law gives {}, and {} are shown", rate(law), rate(shown));
    if factor <= 1.0 + TOLERANCE {
        return format!("{both} ({}×)", three(factor));
    }
    let burst = answer.sampler_us.zip(answer.burst_us);
    let burst = burst.map_or_else(String::new, |(width, burst)| {
        format!(
            ": {} of I/O in each sample of {}",
            time(burst),
            time(ratio(width, 1))
        )
    });
    format!(
        "{both}, {}× less. A monitor averages throughput over its interval and latency over I/Os: this is \
         what it shows of I/O that runs {} of the time{burst}",
        three(factor),
        percent(1.0 / factor)
    )
}
