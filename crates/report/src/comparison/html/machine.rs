//! The machine that it was measured on, which a number means nothing without.

use ioalign_core::Bytes;
use ioalign_core::comparison::{Comparison, MachineDisk};

use crate::comparison::words;
use crate::svg::escape;
use crate::words::numbers::{about, three};

/// All that is known of it, and a table of its disks.
pub fn put(out: &mut String, comparison: &Comparison) {
    out.push_str("<dl class=\"machine\">\n");
    let facts = facts(comparison).into_iter();
    for (name, value) in facts.filter(|(_, value)| !value.is_empty()) {
        out.push_str(&format!(
            "<div><dt>{name}</dt><dd>{}</dd></div>\n",
            escape(&value)
        ));
    }
    out.push_str("</dl>\n");
    if !comparison.machine.disks.is_empty() {
        disks(out, &comparison.machine.disks);
    }
}

fn facts(comparison: &Comparison) -> Vec<(&'static str, String)> {
    let machine = &comparison.machine;
    let memory = machine.memory_bytes.map(|bytes| about(Bytes::new(bytes)));
    let load = machine.load_average.map(three);
    let mut facts = vec![
        ("tool", comparison.tool.clone()),
        ("host", machine.host.clone()),
        ("platform", machine.platform.clone()),
        ("processors", words::processors(machine)),
        ("memory", memory.unwrap_or_default()),
        ("system", machine.system.clone()),
        ("kernel", machine.kernel.clone()),
        ("time", machine.time.clone()),
        ("load before the run", load.unwrap_or_default()),
    ];
    let controllers = machine.controllers.iter();
    facts.extend(controllers.map(|one| ("controller", one.clone())));
    facts
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
