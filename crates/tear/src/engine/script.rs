//! The transactions of a client: rows are changed, and others come and go, so that pages split and merge.

use std::fmt::Write as _;

use ioalign_core::random::split_mix;

use super::{CLIENTS, ROWS};

/// Transactions in a script: more than one load can do.
const TRANSACTIONS: u64 = 4000;
/// Rows that a transaction changes.
const CHANGED: u64 = 6;
/// Inserted rows of each client that stay.
const KEPT: u64 = 2000;
/// Keys are multiples of `STEP` modulo this prime, so that they are unique and lie all over the table.
const KEYS: u64 = 1_000_003;
const STEP: u64 = 7919;

/// Each transaction changes some rows, inserts one and deletes one, and counts its client's number up, which it prints once
/// it is committed.
pub fn transactions(begin: &str, pad: &str, client: u64, chance: &mut u64) -> String {
    let mut text = String::new();
    for _ in 0..TRANSACTIONS {
        let _ = writeln!(text, "{begin};");
        // Rows of this client alone: no client waits for another.
        let mut row = || split_mix(chance) % (ROWS / CLIENTS) * CLIENTS + client;
        let rows: Vec<_> = (0..CHANGED).map(|_| row().to_string()).collect();
        let _ = writeln!(
            text,
            "UPDATE t SET n = n + 1, pad = {pad} WHERE id IN ({});",
            rows.join(", ")
        );
        let _ = writeln!(text, "UPDATE c SET n = n + 1 WHERE id = {client};");
        let key = |n: &str| format!("({n} * {STEP}) % {KEYS} * {CLIENTS} + {client}");
        let _ = writeln!(
            text,
            "INSERT INTO i SELECT {}, n, {pad} FROM c WHERE id = {client};",
            key("n")
        );
        let old = key(&format!("(n - {KEPT})"));
        let _ = writeln!(
            text,
            "DELETE FROM i WHERE id = (SELECT {old} FROM c WHERE id = {client});"
        );
        let _ = writeln!(text, "COMMIT;\nSELECT n FROM c WHERE id = {client};");
    }
    text
}

/// How many rows are inserted after this number of transactions.
pub fn kept(transactions: u64) -> u64 {
    transactions.min(KEPT)
}

/// The query for the number of inserted rows of each client, a line each in the order of their numbers.
pub fn inserted(table: &str) -> String {
    let clients = 1..=CLIENTS;
    let each = clients.map(|client| {
        let rest = client % CLIENTS;
        format!("SELECT COUNT(*) FROM {table} WHERE id % {CLIENTS} = {rest};")
    });
    each.collect::<Vec<_>>().join(" ")
}
