//! A text that shows the table of a disk twice: a session in which it was changed. The last one counts.

use std::collections::{BTreeMap, BTreeSet};

use super::Said;

/// Drops what earlier tables among the claims from `first` on say of partitions.
pub(super) fn keep(devices: &mut Vec<Said>, first: usize) {
    let new = devices.get(first..).unwrap_or_default();
    // A table is a disk and the partitions that follow it.
    let mut disk: Option<usize> = None;
    let mut tables: BTreeMap<&str, Vec<(usize, Vec<usize>)>> = BTreeMap::new();
    for (index, said) in new.iter().enumerate() {
        let owner = disk.and_then(|disk| new.get(disk));
        let inside = owner.is_some_and(|owner| said.parents.contains(&owner.name));
        if inside && said.start.is_some() {
            let table = owner.and_then(|owner| tables.get_mut(owner.name.as_str())?.last_mut());
            if let Some((_, rows)) = table {
                rows.push(index);
            }
        } else if said.parents.is_empty() && said.start.is_none() {
            disk = Some(index);
            tables
                .entry(&said.name)
                .or_default()
                .push((index, Vec::new()));
        }
    }
    let mut old = BTreeSet::new();
    for mut shown in tables.into_values() {
        shown.retain(|(_, rows)| !rows.is_empty());
        shown.pop();
        for (at, rows) in shown {
            old.extend(rows);
            old.insert(at);
        }
    }
    let mut index = 0;
    devices.retain(|_| {
        index += 1;
        index <= first || !old.contains(&(index - 1 - first))
    });
}

#[cfg(test)]
mod tests {
    use super::super::{Number, Said};
    use super::keep;

    fn table(devices: &mut Vec<Said>, starts: &[u64]) {
        let disk = Said {
            name: "sda".to_owned(),
            ..Said::default()
        };
        devices.push(disk);
        for start in starts {
            devices.push(Said {
                name: "sda1".to_owned(),
                parents: vec!["sda".to_owned()],
                start: Some(Number::exact(*start)),
                ..Said::default()
            });
        }
    }

    #[test]
    fn the_last_table_of_a_session_counts() {
        let mut devices = Vec::new();
        table(&mut devices, &[32256]);
        table(&mut devices, &[32768]);
        table(&mut devices, &[]);
        keep(&mut devices, 0);
        let starts: Vec<_> = devices.iter().filter_map(|said| said.start).collect();
        assert_eq!(starts, [Number::exact(32768)]);
        // Another text speaks for itself.
        table(&mut devices, &[512]);
        let first = devices.len() - 2;
        keep(&mut devices, first);
        assert_eq!(
            devices.iter().filter(|said| said.start.is_some()).count(),
            2
        );
    }
}
