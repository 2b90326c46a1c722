//! The machine that a report is about, at its head: two lines, or all that is known.

use ioalign_core::Bytes;
use ioalign_core::machine::{Machine, MachineDisk};

use crate::options::RenderOptions;
use crate::text::page::{Style, TextPage, TextSpan};
use crate::words::clean;
use crate::words::clean::shorten_end;
use crate::words::numbers::{about, three};

/// Disks that are named in the second line.
const DISKS: usize = 3;

/// The lines as a text of their own, for reports that are no pages; with an empty line behind.
pub fn text(machine: Option<&Machine>, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    put(&mut page, machine);
    page.finish()
}

/// At most two lines, or a row for each fact with `-v`, and an empty line.
pub(crate) fn put(page: &mut TextPage, machine: Option<&Machine>) {
    let Some(machine) = machine else {
        return;
    };
    if page.options().verbose() {
        every(page, machine);
    } else {
        let dot = page.glyphs().dot;
        for line in [head(machine, dot), storage(machine, dot)] {
            let line = shorten_end(&clean(&line), page.width(), page.glyphs().ellipsis);
            if !line.is_empty() {
                page.line(&[TextSpan::new(Style::Dim, line)]);
            }
        }
    }
    page.blank();
}

fn every(page: &mut TextPage, machine: &Machine) {
    let disks = machine.disks.iter();
    let disks = disks.map(|disk| ("disk", disk_words(disk)));
    let rows: Vec<_> = rows(machine).into_iter().chain(disks).collect();
    let widest = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in rows {
        let name = TextSpan::new(Style::Dim, format!("{name:<widest$}  "));
        page.put("", "", widest + 2, &[name, TextSpan::plain(value)]);
    }
}

/// What it is, in the order of what may be cut off last.
fn head(machine: &Machine, dot: &str) -> String {
    let memory = machine.memory_bytes.map(|bytes| about(Bytes::new(bytes)));
    joined(
        [
            machine.host.clone(),
            machine.platform.clone(),
            memory.unwrap_or_default(),
            processors(machine),
            machine.kernel.clone(),
        ],
        dot,
    )
}

/// Disks and controllers.
fn storage(machine: &Machine, dot: &str) -> String {
    let disks = machine.disks.iter().take(DISKS).map(disk_words);
    let more = machine.disks.len().saturating_sub(DISKS);
    let more = (more > 0).then(|| format!("{more} more disks"));
    let controllers = machine.controllers.iter().cloned();
    joined(disks.chain(more).chain(controllers), dot)
}

fn joined(facts: impl IntoIterator<Item = String>, between: &str) -> String {
    let known = facts.into_iter().filter(|fact| !fact.is_empty());
    known.collect::<Vec<_>>().join(between)
}

/// `sda 932 GiB, mq-deadline, rotational, ST1000DM003`.
fn disk_words(disk: &MachineDisk) -> String {
    let size = disk.size_bytes.map(|bytes| about(Bytes::new(bytes)));
    let name = joined([disk.name.clone(), size.unwrap_or_default()], " ");
    let turns = match disk.rotational {
        Some(true) => "rotational",
        _ => "",
    };
    let scheduler = match disk.scheduler.as_str() {
        "none" => "no scheduler",
        name => name,
    };
    let facts = [disk.raid.as_str(), scheduler, turns, &disk.model].map(str::to_owned);
    joined(std::iter::once(name).chain(facts), ", ")
}

/// `8 × AMD EPYC`, as far as it is known.
pub(crate) fn processors(machine: &Machine) -> String {
    match (machine.cpus, machine.cpu_model.as_str()) {
        (0, model) => model.to_owned(),
        (1, "") => "1 processor".to_owned(),
        (count, "") => format!("{count} processors"),
        (count, model) => format!("{count} × {model}"),
    }
}

/// All that is known of it but for its disks, by name.
pub(crate) fn rows(machine: &Machine) -> Vec<(&'static str, String)> {
    let memory = machine.memory_bytes.map(|bytes| about(Bytes::new(bytes)));
    let load = machine.load_average.map(three);
    let mut rows = vec![
        ("host", machine.host.clone()),
        ("platform", machine.platform.clone()),
        ("processors", processors(machine)),
        ("memory", memory.unwrap_or_default()),
        ("system", machine.system.clone()),
        ("kernel", machine.kernel.clone()),
        ("time", machine.time.clone()),
        ("load", load.unwrap_or_default()),
    ];
    let controllers = machine.controllers.iter();
    rows.extend(controllers.map(|one| ("controller", one.clone())));
    rows.retain(|(_, value)| !value.is_empty());
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Verbosity;

    fn machine() -> Machine {
        let disk = |name: &str| MachineDisk {
            name: name.to_owned(),
            model: "QEMU HARDDISK with a name that is long".to_owned(),
            size_bytes: Some(64 << 30),
            rotational: Some(true),
            scheduler: "none".to_owned(),
            ..MachineDisk::default()
        };
        Machine {
            host: "db7\u{1b}[2J".to_owned(),
            cpus: 8,
            memory_bytes: Some(8 << 30),
            controllers: vec!["RAID: MegaRAID (megaraid_sas)".to_owned()],
            disks: ["sda", "sdb", "sdc", "sdd", "sde", "sdf"]
                .map(disk)
                .to_vec(),
            ..Machine::default()
        }
    }

    #[test]
    fn a_processor_without_a_name_leaves_nothing_dangling() {
        let of = |cpus, model: &str| {
            let machine = Machine {
                cpus,
                cpu_model: model.to_owned(),
                ..Machine::default()
            };
            processors(&machine)
        };
        assert_eq!(of(8, "AMD EPYC"), "8 × AMD EPYC");
        assert_eq!(
            (of(8, ""), of(0, "")),
            ("8 processors".to_owned(), String::new())
        );
    }

    #[test]
    fn two_lines_of_the_width_and_all_with_v() {
        let mut options = RenderOptions {
            width: 60,
            ..RenderOptions::default()
        };
        let short = text(Some(&machine()), &options);
        let lines: Vec<_> = short.lines().collect();
        assert_eq!(lines.len(), 3, "{short}");
        assert!(lines[0].contains("8 processors") && lines[0].contains("8 GiB"));
        assert!(
            lines[1].starts_with("sda 64 GiB, no scheduler, rotational"),
            "{short}"
        );
        assert!(short.lines().all(|line| line.chars().count() <= 60));
        assert!(!short.contains('\u{1b}'));
        options.verbosity = Verbosity::Verbose;
        let long = text(Some(&machine()), &options);
        assert_eq!(long.matches("no scheduler").count(), 6, "{long}");
        assert!(!long.contains('\u{1b}'));
        assert_eq!(text(None, &options), "");
    }
}
