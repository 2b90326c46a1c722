//! The head of a page: who made it, and the machine that it is about, with a table of its disks.

use ioalign_core::Bytes;
use ioalign_core::machine::{Machine, MachineDisk};

use crate::machine::rows;
use crate::svg::escape;
use crate::words::numbers::about;

/// These facts, then all that is known of the machine, and its disks.
pub(crate) fn put(out: &mut String, facts: &[(&'static str, String)], machine: Option<&Machine>) {
    out.push_str("<dl class=\"machine\">\n");
    let known = machine.map(rows).unwrap_or_default();
    for (name, value) in facts.iter().chain(&known) {
        out.push_str(&format!(
            "<div><dt>{name}</dt><dd>{}</dd></div>\n",
            escape(value)
        ));
    }
    out.push_str("</dl>\n");
    match machine {
        Some(machine) if !machine.disks.is_empty() => disks(out, &machine.disks),
        _ => {}
    }
}

fn disks(out: &mut String, disks: &[MachineDisk]) {
    out.push_str(
        "<table class=\"cards\">\n<thead><tr><th>disk</th><th>model</th><th>size</th><th>blocks</th>\
         <th>kind</th><th>scheduler</th><th>write cache</th><th>RAID</th></tr></thead>\n<tbody>\n",
    );
    for disk in disks {
        out.push_str(&format!("<tr><td><b>{}</b></td>", escape(&disk.name)));
        for (label, value) in cells(disk) {
            let class = if value.is_empty() { "none" } else { "" };
            out.push_str(&format!(
                "<td class=\"{class}\" data-label=\"{label}\">{}</td>",
                escape(&value)
            ));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n");
}

fn cells(disk: &MachineDisk) -> [(&'static str, String); 7] {
    let size = |bytes: Option<u64>| bytes.map(|bytes| about(Bytes::new(bytes)));
    let blocks = match (size(disk.logical_bytes), size(disk.physical_bytes)) {
        (Some(logical), Some(physical)) if logical != physical => {
            format!("{logical} logical, {physical} physical")
        }
        (one, other) => one.or(other).unwrap_or_default(),
    };
    let kind = match disk.rotational {
        Some(true) => "rotational",
        Some(false) => "not rotational",
        None => "",
    };
    [
        ("model", disk.model.clone()),
        ("size", size(disk.size_bytes).unwrap_or_default()),
        ("blocks", blocks),
        ("kind", kind.to_owned()),
        ("scheduler", disk.scheduler.clone()),
        ("write cache", disk.write_cache.clone()),
        ("RAID", disk.raid.clone()),
    ]
}
