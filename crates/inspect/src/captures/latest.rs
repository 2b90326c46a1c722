//! A text that shows the table of a disk twice: a session in which it was changed. The last one counts.

use std::collections::{BTreeMap, BTreeSet};

use super::{Number, Said};

/// A table as it was shown once.
#[derive(Default)]
struct ShownTable<'a> {
    /// The lines about its disk, if they stand before this table.
    disk: Option<usize>,
    /// Rows by name.
    rows: BTreeMap<&'a str, usize>,
}

impl ShownTable<'_> {
    /// Whether a later table shows the same rows at the same places, as far as both are exact.
    fn stands(&self, later: &Self, new: &[Said]) -> bool {
        let same = |(name, row): (&&str, &usize)| {
            let pair = later
                .rows
                .get(name)
                .and_then(|other| Some((new.get(*row)?, new.get(*other)?)));
            pair.is_some_and(|(mine, other)| {
                meets(mine.start, other.start) && meets(mine.size, other.size)
            })
        };
        self.rows.len() == later.rows.len() && self.rows.iter().all(same)
    }
}

/// Whether two numbers may be the same.
fn meets(mine: Option<Number>, other: Option<Number>) -> bool {
    mine.zip(other)
        .is_none_or(|(mine, other)| mine.low <= other.high && other.low <= mine.high)
}

/// Drops what earlier tables among the claims from `first` on say of partitions.
pub(super) fn keep(devices: &mut Vec<Said>, first: usize) {
    let new = devices.get(first..).unwrap_or_default();
    // A table is a disk and the rows that lie on it; a row that comes again begins the next one.
    let mut tables: BTreeMap<&str, Vec<ShownTable<'_>>> = BTreeMap::new();
    for (index, said) in new.iter().enumerate() {
        if said.start.is_some()
            && let [disk] = said.parents.as_slice()
        {
            let shown = tables.entry(disk).or_default();
            if shown
                .last()
                .is_none_or(|table| table.rows.contains_key(said.name.as_str()))
            {
                shown.push(ShownTable::default());
            }
            if let Some(table) = shown.last_mut() {
                table.rows.insert(&said.name, index);
            }
        } else if said.parents.is_empty() && said.start.is_none() {
            let table = ShownTable {
                disk: Some(index),
                ..ShownTable::default()
            };
            tables.entry(&said.name).or_default().push(table);
        }
    }
    let mut old = BTreeSet::new();
    for mut shown in tables.into_values() {
        shown.retain(|table| !table.rows.is_empty());
        let Some(last) = shown.pop() else {
            continue;
        };
        // Rows that came again still belong to the disk that was described before them.
        let mut described = last.disk.is_some();
        for table in shown.iter().rev().filter(|table| !table.stands(&last, new)) {
            old.extend(table.rows.values().copied());
            old.extend(table.disk.filter(|_| described));
            described |= table.disk.is_some();
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
        // A row that comes again without its disk.
        table(&mut devices, &[4096, 65536]);
        keep(&mut devices, 0);
        let starts: Vec<_> = devices.iter().filter_map(|said| said.start).collect();
        assert_eq!(starts, [Number::exact(65536)]);
        assert!(devices.iter().any(|said| said.start.is_none()));
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
