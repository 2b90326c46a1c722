//! The store, its questions and its faults, on SQLite and on a real PostgreSQL.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod faults;
mod kept;
mod made;
mod questions;
mod reports;

use ioalign_fleet::StorePlace;
use ioalign_testkit::{PostgresServer, needs};

/// A name, and what is done.
type StoreScenario = (&'static str, fn(&StorePlace));

/// What both stores must do alike.
const SCENARIOS: &[StoreScenario] = &[
    ("duplicates", reports::a_push_counts_once),
    ("locks", reports::hosts_are_locked_in_one_order),
    ("states", reports::findings_come_and_go_and_keep_their_age),
    ("forgotten", reports::old_reports_are_forgotten),
    ("history", reports::a_history_ends_with_the_last_two_hundred),
    ("disks", reports::a_new_disk_takes_the_place_of_the_old_one),
    ("profiles", reports::a_profile_stays_until_the_next_one),
    (
        "waivers",
        reports::a_waived_finding_does_not_count_until_its_day,
    ),
    ("unknown", reports::what_is_unknown_is_never_ok),
    ("answers", questions::every_question_has_its_answer),
    ("compare", questions::two_reports_are_compared_by_value),
    ("export", questions::everything_is_exported),
    ("hostile", questions::names_are_data),
    (
        "servers",
        faults::two_servers_on_one_store_lose_and_double_nothing,
    ),
    ("collector", faults::what_is_acknowledged_is_there),
];

#[test]
fn sqlite() {
    for (name, scenario) in SCENARIOS {
        println!("{name}");
        let folder = tempfile::tempdir().unwrap();
        scenario(&StorePlace::Sqlite(folder.path().join("fleet.db")));
    }
}

#[test]
fn a_new_file_is_made_once() {
    faults::servers_that_start_at_once_all_open_it(tempfile::tempdir().unwrap().path());
}

/// One server for all of it: its start is what takes time.
#[test]
fn postgresql() {
    needs!(Packages);
    let mut server = PostgresServer::start();
    for (name, scenario) in SCENARIOS {
        println!("{name}");
        scenario(&server.space(name).parse().unwrap());
    }
    faults::a_database_that_stops_loses_nothing_acknowledged(&mut server);
}
