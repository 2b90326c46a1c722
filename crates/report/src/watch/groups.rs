//! The control groups of the I/O, by the names of their pods and containers.

use std::fmt::Write;

use ioalign_core::profile::{ContainerName, GroupProfile, IoShare};
use ioalign_core::watch_document::DeviceFigures;

use super::share_off;
use crate::words::numbers::thousands;
use crate::words::{clean, shorten_middle};

/// Columns of a name.
pub(super) const WIDTH: usize = 44;
/// Digits of a container's number: as many as its runtime shows.
const DIGITS: usize = 12;

/// What it is called: `shop/db-0/postgres`, `docker web`, `containerd 0123456789ab`, `/system.slice/sshd.service`.
fn name(group: &GroupProfile) -> String {
    match (&group.container, &group.path, group.number) {
        (Some(found), ..) => container(found),
        (None, Some(path), _) => clean(path),
        (None, None, None) => "(others)".to_owned(),
        (None, None, Some(0)) => "(no control group)".to_owned(),
        (None, None, Some(number)) => format!("(gone: number {number})"),
    }
}

/// A container by its names, or by its runtime and the first digits of its number.
pub fn container(name: &ContainerName) -> String {
    let runtime = name.runtime.as_deref().unwrap_or("container");
    let digits = |id: &str| id.chars().take(DIGITS).collect::<String>();
    let own = name.name.as_deref().map(clean);
    let number = name.id.as_deref().map(digits);
    let by_number = number.map(|id| format!("{runtime} {id}"));
    let Some(pod) = &name.pod else {
        let unnamed = || {
            name.pod_uid
                .as_ref()
                .map(|uid| format!("pod {}", clean(uid)))
        };
        let by_name = own.map(|own| format!("{runtime} {own}"));
        let known = by_name.or(by_number).or_else(unnamed);
        return known.unwrap_or_else(|| runtime.to_owned());
    };
    let space = name.namespace.as_deref().unwrap_or("?");
    let pod = format!("{}/{}", clean(space), clean(pod));
    match (own, by_number) {
        (Some(own), _) => format!("{pod}/{own}"),
        (None, Some(number)) => format!("{pod} ({number})"),
        (None, None) => pod,
    }
}

/// The table of the summary.
pub fn put(page: &mut String, device: &DeviceFigures) {
    if device.groups.is_empty() {
        return;
    }
    let rows = device.groups.iter();
    let rows = rows.map(|group| row(&name(group), &group.io, device.unit_bytes));
    table(page, "control group", rows);
}

/// Names, and the I/O of each.
pub(super) fn table(page: &mut String, what: &str, rows: impl Iterator<Item = [String; 5]>) {
    let head = [what, "op", "I/Os", "bytes", "misaligned"];
    page.push('\n');
    put_row(page, head.map(str::to_owned));
    for row in rows {
        put_row(page, row);
    }
}

pub(super) fn row(name: &str, io: &IoShare, unit_bytes: u64) -> [String; 5] {
    [
        shorten_middle(name, WIDTH, "…"),
        io.op.clone(),
        thousands(io.ios),
        thousands(io.bytes >> 10) + " K",
        share_off(&io.start_pow2_histogram, unit_bytes, io.ios),
    ]
}

fn put_row(page: &mut String, [name, op, ios, bytes, off]: [String; 5]) {
    let _ = writeln!(
        page,
        "  {name:<WIDTH$} {op:<6} {ios:>9} {bytes:>11}  {off:>10}"
    );
}

/// A line of the full screen.
pub fn line(group: &GroupProfile, unit_bytes: u64) -> String {
    line_of(row(&name(group), &group.io, unit_bytes))
}

pub(super) fn line_of([name, op, ios, bytes, off]: [String; 5]) -> String {
    format!("{name:<WIDTH$} {op:<8}{ios:>12} I/Os {bytes:>12}  off {off}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(parts: [Option<&str>; 5]) -> String {
        let [runtime, id, name, pod, namespace] = parts.map(|part| part.map(str::to_owned));
        container(&ContainerName {
            runtime,
            id: id.map(|id| id.repeat(64)),
            name,
            pod,
            namespace,
            pod_uid: None,
        })
    }

    #[test]
    fn a_container_has_the_best_name_that_is_known() {
        let (run, id) = (Some("containerd"), Some("a"));
        let (pod, space) = (Some("db-0"), Some("shop"));
        for (parts, said) in [
            (
                [run, id, Some("postgres"), pod, space],
                "shop/db-0/postgres",
            ),
            (
                [run, id, None, pod, space],
                "shop/db-0 (containerd aaaaaaaaaaaa)",
            ),
            ([None, None, None, pod, space], "shop/db-0"),
            ([Some("docker"), id, Some("web"), None, None], "docker web"),
            ([run, id, None, None, None], "containerd aaaaaaaaaaaa"),
            ([None, id, None, None, None], "container aaaaaaaaaaaa"),
            (
                [run, id, Some("\u{1b}[31mred"), pod, space],
                "shop/db-0/[31mred",
            ),
        ] {
            let found = named(parts);
            assert!(!found.contains('\u{1b}'), "{found:?}");
            if !found.contains("red") {
                assert_eq!(found, said);
            }
        }
    }

    #[test]
    fn a_group_without_a_name_says_why() {
        let group = |number, path: Option<&str>| GroupProfile {
            number,
            path: path.map(str::to_owned),
            ..GroupProfile::default()
        };
        assert_eq!(name(&group(Some(7), Some("/a.slice"))), "/a.slice");
        assert_eq!(name(&group(Some(7), None)), "(gone: number 7)");
        assert_eq!(name(&group(Some(0), None)), "(no control group)");
        assert_eq!(name(&group(None, None)), "(others)");
    }
}
