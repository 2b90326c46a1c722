//! Each question of `ioalign_fleet::questions` as a call: `{"schema", "question", "answer"}`.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use ioalign_fleet::questions::{self, ExportFormat, ExportedTable, compare::report_document};
use ioalign_fleet::{FleetResult, FleetStore, collector};
use serde::{Deserialize, Serialize};

use super::server::{FleetServer, later};
use crate::refusal::Refusal;

const SCHEMA: &str = "ioalign.fleet/1";
/// Rows where none are asked for.
const ROWS: u32 = 100;
/// Days of `changes` where none are asked for.
const DAYS: u32 = 7;
/// Bytes of an export: of a hundred thousand hosts it has a third of that.
const MOST_EXPORT: usize = 256 << 20;

type Shared = State<Arc<FleetServer>>;

#[derive(Deserialize)]
pub(super) struct RowsQuery {
    rows: Option<u32>,
}

#[derive(Deserialize)]
pub(super) struct ChangesQuery {
    days: Option<u32>,
    rows: Option<u32>,
}

#[derive(Deserialize)]
pub(super) struct SearchQuery {
    q: String,
    rows: Option<u32>,
}

#[derive(Deserialize)]
pub(super) struct CompareQuery {
    before: i64,
    after: i64,
}

#[derive(Serialize)]
struct FleetAnswer<T> {
    schema: &'static str,
    question: &'static str,
    answer: T,
}

pub(super) async fn overview(State(server): Shared) -> Response {
    json(server, "overview", |store| {
        questions::overview(store, collector::now())
    })
    .await
}

pub(super) async fn worst(State(server): Shared, Query(query): Query<RowsQuery>) -> Response {
    json(server, "worst", move |store| {
        questions::worst(store, query.rows.unwrap_or(ROWS))
    })
    .await
}

pub(super) async fn rules(State(server): Shared) -> Response {
    json(server, "rules", questions::by_rule).await
}

pub(super) async fn models(State(server): Shared, Query(query): Query<RowsQuery>) -> Response {
    json(server, "models", move |store| {
        questions::by_model(store, query.rows.unwrap_or(ROWS))
    })
    .await
}

pub(super) async fn ages(State(server): Shared) -> Response {
    json(server, "ages", |store| {
        questions::by_age(store, collector::now())
    })
    .await
}

pub(super) async fn busy(State(server): Shared, Query(query): Query<RowsQuery>) -> Response {
    json(server, "busy", move |store| {
        questions::busy(store, query.rows.unwrap_or(ROWS))
    })
    .await
}

pub(super) async fn gains(State(server): Shared, Query(query): Query<RowsQuery>) -> Response {
    json(server, "gains", move |store| {
        questions::gains(store, query.rows.unwrap_or(ROWS))
    })
    .await
}

pub(super) async fn claims(State(server): Shared, Query(query): Query<RowsQuery>) -> Response {
    json(server, "claims", move |store| {
        questions::lies(store, query.rows.unwrap_or(ROWS))
    })
    .await
}

pub(super) async fn changes(State(server): Shared, Query(query): Query<ChangesQuery>) -> Response {
    json(server, "changes", move |store| {
        let days = i64::from(query.days.unwrap_or(DAYS));
        let since = collector::now().saturating_sub(days.saturating_mul(86_400));
        questions::changes(store, since, query.rows.unwrap_or(ROWS))
    })
    .await
}

pub(super) async fn search(State(server): Shared, Query(query): Query<SearchQuery>) -> Response {
    json(server, "search", move |store| {
        questions::search(store, &query.q, query.rows.unwrap_or(ROWS))
    })
    .await
}

pub(super) async fn host(State(server): Shared, Path(host): Path<String>) -> Response {
    maybe(server, "host", move |store| {
        questions::history(store, &host)
    })
    .await
}

pub(super) async fn compare(State(server): Shared, Query(query): Query<CompareQuery>) -> Response {
    maybe(server, "compare", move |store| {
        questions::compare(store, query.before, query.after)
    })
    .await
}

/// The document of `check` on a report.
pub(super) async fn report(State(server): Shared, Path(report): Path<i64>) -> Response {
    match asked(&server, move |store| report_document(store, report)).await {
        Ok(Some(document)) => {
            ([(header::CONTENT_TYPE, "application/json")], document).into_response()
        }
        Ok(None) => nothing(),
        Err(refusal) => refusal,
    }
}

/// `hosts.csv`, `findings.json`, ….
pub(super) async fn export(State(server): Shared, Path(file): Path<String>) -> Response {
    let (name, ending) = file.rsplit_once('.').unwrap_or((&file, ""));
    let format = match ending {
        "csv" => (ExportFormat::Csv, "text/csv; charset=utf-8"),
        "json" => (ExportFormat::Json, "application/json"),
        _ => return nothing(),
    };
    let Some(table) = ExportedTable::named(name) else {
        return nothing();
    };
    let written = move |store: &mut FleetStore| {
        let mut out = BoundedBytes(Vec::new());
        questions::export(store, table, format.0, &mut out).map(|()| out.0)
    };
    match asked(&server, written).await {
        Ok(bytes) => {
            let kind = [
                (header::CONTENT_TYPE, format.1.to_owned()),
                (
                    header::CONTENT_DISPOSITION,
                    format!("attachment; filename=\"ioalign-{file}\""),
                ),
            ];
            (kind, bytes).into_response()
        }
        Err(refusal) => refusal,
    }
}

struct BoundedBytes(Vec<u8>);

impl std::io::Write for BoundedBytes {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_EXPORT {
            return Err(std::io::Error::other("an export has 256 MiB at most"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The fleet for Prometheus.
pub(super) async fn metrics(State(server): Shared) -> Response {
    let found = match asked(&server, |store| {
        questions::overview(store, collector::now())
    })
    .await
    {
        Ok(found) => found,
        Err(refusal) => return refusal,
    };
    let hosts = found.hosts_by_severity.iter();
    let hosts = hosts.map(|(severity, hosts)| (format!("{{severity=\"{severity}\"}}"), *hosts));
    let one = |value| vec![(String::new(), value)];
    let pushes = server.counts.all();
    let pushes = pushes.map(|(result, count)| (format!("{{result=\"{result}\"}}"), signed(count)));
    let bytes = signed(server.counts.bytes.load(Ordering::Relaxed));
    let text = [
        family(
            "hosts",
            "gauge",
            "Hosts by their worst severity.",
            &hosts.collect::<Vec<_>>(),
        ),
        family(
            "silent_hosts",
            "gauge",
            "Hosts of which nothing was heard for two days.",
            &one(found.silent_hosts),
        ),
        found.last_seen_seconds.map_or_else(String::new, |last| {
            family(
                "last_push_timestamp_seconds",
                "gauge",
                "When the last push came.",
                &one(last),
            )
        }),
        family(
            "pushes_total",
            "counter",
            "Pushes to this server by their result.",
            &pushes,
        ),
        family(
            "received_bytes_total",
            "counter",
            "Bytes of pushes.",
            &one(bytes),
        ),
    ]
    .concat();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}

/// A metric of the fleet: its series have these labels and values.
fn family(name: &str, kind: &str, help: &str, series: &[(String, i64)]) -> String {
    let mut text =
        format!("# HELP ioalign_fleet_{name} {help}\n# TYPE ioalign_fleet_{name} {kind}\n");
    for (labels, value) in series {
        // A string takes all.
        let _ = writeln!(text, "ioalign_fleet_{name}{labels} {value}");
    }
    text
}

/// Counts, as SQL has them.
fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Asks in a thread for such work.
pub(super) async fn asked<T: Send + 'static>(
    server: &Arc<FleetServer>,
    question: impl FnOnce(&mut FleetStore) -> FleetResult<T> + Send + 'static,
) -> Result<T, Response> {
    let own = Arc::clone(server);
    let answer = tokio::task::spawn_blocking(move || own.readers.ask(question)).await;
    let answer = answer.map_err(|_| later("the question failed: this is a bug"))?;
    answer.map_err(|error| server.refusal(&error))
}

/// The answer as a document.
pub(super) async fn json<T: Serialize + Send + 'static>(
    server: Arc<FleetServer>,
    question: &'static str,
    ask: impl FnOnce(&mut FleetStore) -> FleetResult<T> + Send + 'static,
) -> Response {
    match asked(&server, ask).await {
        Ok(answer) => document(question, answer),
        Err(refusal) => refusal,
    }
}

/// The answer as a document, or that there is none.
async fn maybe<T: Serialize + Send + 'static>(
    server: Arc<FleetServer>,
    question: &'static str,
    ask: impl FnOnce(&mut FleetStore) -> FleetResult<Option<T>> + Send + 'static,
) -> Response {
    match asked(&server, ask).await {
        Ok(Some(answer)) => document(question, answer),
        Ok(None) => nothing(),
        Err(refusal) => refusal,
    }
}

fn document<T: Serialize>(question: &'static str, answer: T) -> Response {
    let answer = FleetAnswer {
        schema: SCHEMA,
        question,
        answer,
    };
    axum::Json(answer).into_response()
}

fn nothing() -> Response {
    Refusal::new(
        StatusCode::NOT_FOUND,
        "there is no such thing in this fleet",
    )
    .into_response()
}
