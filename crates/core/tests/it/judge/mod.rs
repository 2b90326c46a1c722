//! The judge, room by room: stacks that are made by hand, and the findings about them.

mod blocks;
mod databases;
mod demands;
mod discards;
mod ends;
mod geometry;
mod hints;
mod images;
mod names;
mod quiet;
mod reading;
mod rounded;
mod sectors;
mod sentences;
mod severities;
mod starts;
mod suggest;
mod thin;
mod unproven;
mod unread;

use ioalign_core::judge::{JudgeOptions, Judgement, judge};
use ioalign_core::{
    Bytes, Finding, GridClaim, GridKind, Kind, Layer, LayerId, Map, Severity, Stack, Tier,
};

const SECTOR: u64 = 512;
const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

fn shift(sectors: u64) -> Map {
    Map::Shift {
        start: Bytes::new(sectors * SECTOR),
    }
}

fn claim(size: u64, tier: Tier, kind: GridKind) -> GridClaim {
    GridClaim::new(Bytes::new(size), Bytes::ZERO, tier, kind).unwrap()
}

fn block() -> GridClaim {
    claim(4096, Tier::Rmw, GridKind::PhysicalBlock)
}

/// A bottom layer of 1 GiB with these claims.
fn bottom(stack: &mut Stack, kind: Kind, name: &str, claims: &[GridClaim]) -> LayerId {
    let id = stack.push(Layer::new(kind, name).sized(Bytes::new(1 << 30)));
    stack
        .grids
        .extend(claims.iter().map(|claim| claim.clone().on(id)));
    id
}

fn judged(stack: &Stack) -> Judgement {
    judge(stack, &JudgeOptions::default())
}

/// The findings of one rule.
fn by_rule(stack: &Stack, rule: &str) -> Vec<Finding> {
    of_rule(judged(stack), rule)
}

fn of_rule(judgement: Judgement, rule: &str) -> Vec<Finding> {
    let mut findings = judgement.findings;
    findings.retain(|finding| finding.rule == rule);
    findings
}

/// The only finding of a rule.
fn only(stack: &Stack, rule: &str) -> Finding {
    let found = by_rule(stack, rule);
    let [one] = found.as_slice() else {
        panic!("{rule}: {found:?}");
    };
    one.clone()
}

/// Whether a rule has nothing to say.
fn is_silent(stack: &Stack, rule: &str) -> bool {
    by_rule(stack, rule).is_empty()
}

/// The rules and severities of all findings about starts.
fn start_findings(stack: &Stack) -> Vec<(&'static str, Severity)> {
    let mut findings = judged(stack).findings;
    findings.retain(|one| one.rule.starts_with("start-"));
    findings
        .iter()
        .map(|one| (one.rule, one.severity))
        .collect()
}
