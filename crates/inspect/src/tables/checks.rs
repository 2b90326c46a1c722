//! Checks that every table format shares: overlaps, ends past the disk, order of numbers.

use ioalign_core::{Bytes, Remark, Role, Severity, rules};

use super::{Partition, PartitionTable};

/// Overlaps said one by one; a hostile table has thousands.
const MOST_REMARKS: usize = 32;

/// Runs them all on a finished table in a space of `len` bytes. `overlap` is how bad an overlap
/// is: fatal on a PC, but Unix labels have slices that cover others on purpose.
pub(super) fn run(table: &mut PartitionTable, len: u64, overlap: Severity) {
    for partition in &mut table.partitions {
        past_end(partition, len);
    }
    // Logical partitions lie inside their container, so the two levels are compared apart.
    overlaps(table, overlap, |p| p.inside.is_none());
    overlaps(table, overlap, |p| p.inside.is_some());
}

/// The end of a partition, saturated: the readers drop what does not fit in 64 bits.
pub(super) fn end(partition: &Partition) -> u64 {
    partition.start.get().saturating_add(partition.size.get())
}

fn past_end(partition: &mut Partition, len: u64) {
    let past = end(partition).saturating_sub(len);
    if past == 0 || partition.role == Role::Protective {
        return;
    }
    let (number, end) = (partition.number, end(partition));
    partition.remarks.push(Remark::new(
        rules::PARTITION_PAST_END,
        Severity::Broken,
        format!("Partition {number} ends at byte {end}, {past} bytes past the end ({len} bytes)."),
    ));
}

fn overlaps(table: &mut PartitionTable, severity: Severity, level: fn(&Partition) -> bool) {
    let mut spans: Vec<(u64, u64, u32)> = table
        .partitions
        .iter()
        .filter(|p| level(p) && !p.size.is_zero())
        .filter(|p| !matches!(p.role, Role::WholeDisk | Role::Protective))
        .map(|p| (p.start.get(), end(p), p.number))
        .collect();
    spans.sort_unstable();
    let mut found = 0;
    let mut widest = (0, 0);
    for (start, end, number) in spans {
        if start < widest.0 {
            found += 1;
            if found <= MOST_REMARKS {
                let shared = end.min(widest.0) - start;
                table
                    .remarks
                    .push(overlap(severity, widest.1, number, start, shared));
            }
        }
        if end > widest.0 {
            widest = (end, number);
        }
    }
    if found > MOST_REMARKS {
        let why = format!("{} further overlaps are not listed.", found - MOST_REMARKS);
        table
            .remarks
            .push(Remark::new(rules::PARTITION_OVERLAP, severity, why));
    }
}

fn overlap(severity: Severity, first: u32, second: u32, at: u64, shared: u64) -> Remark {
    Remark::new(
        rules::PARTITION_OVERLAP,
        severity,
        format!(
            "Partitions {first} and {second} share {} from byte {at}.",
            Bytes::new(shared)
        ),
    )
}

/// A note where numbers do not follow starts, among partitions in the same container.
pub(super) fn order(table: &mut PartitionTable) {
    let disorder = |inside_any: bool| {
        let same = table
            .partitions
            .iter()
            .filter(|p| p.inside.is_some() == inside_any);
        let starts: Vec<_> = same.map(|p| (p.number, p.start)).collect();
        starts.windows(2).find_map(|pair| match pair {
            [(a, from), (b, to)] if from > to => Some((*a, *b)),
            _ => None,
        })
    };
    if let Some((a, b)) = disorder(false).or_else(|| disorder(true)) {
        table.remarks.push(Remark::note(
            rules::PARTITION_ORDER,
            format!("Partition {b} lies before partition {a}: numbers are not in disk order."),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(spans: &[(u64, u64)]) -> PartitionTable {
        let partition = |(i, (start, size)): (usize, &(u64, u64))| Partition {
            number: u32::try_from(i).unwrap() + 1,
            start: Bytes::new(*start),
            size: Bytes::new(*size),
            ..Partition::default()
        };
        PartitionTable {
            partitions: spans.iter().enumerate().map(partition).collect(),
            ..PartitionTable::default()
        }
    }

    #[test]
    fn a_long_partition_overlaps_all_within_it() {
        let mut table = table(&[(0, 100), (10, 10), (50, 10), (100, 5)]);
        run(&mut table, 104, Severity::Broken);
        let rules: Vec<_> = table.remarks.iter().map(|r| r.rule).collect();
        assert_eq!(rules, ["partition-overlap"; 2]);
        assert_eq!(table.partitions[3].remarks[0].rule, "partition-past-end");
        assert!(table.partitions[2].remarks.is_empty());
    }

    #[test]
    fn overlaps_are_listed_up_to_a_limit() {
        let mut table = table(&[(0, 1000); 50]);
        run(&mut table, 1000, Severity::Note);
        assert_eq!(table.remarks.len(), MOST_REMARKS + 1);
    }

    #[test]
    fn as_many_overlaps_as_the_limit_are_all_of_them() {
        let mut table = table(&[(0, 1000); MOST_REMARKS + 1]);
        run(&mut table, 1000, Severity::Note);
        assert_eq!(table.remarks.len(), MOST_REMARKS);
    }

    #[test]
    fn an_overlap_is_said_with_the_first_that_reaches_there() {
        let mut table = table(&[(0, 100), (50, 50), (60, 10)]);
        run(&mut table, 100, Severity::Broken);
        let said = |index: usize| table.remarks[index].why.as_str();
        assert!(
            said(0).starts_with("Partitions 1 and 2 share 50"),
            "{}",
            said(0)
        );
        assert!(
            said(1).starts_with("Partitions 1 and 3 share 10"),
            "{}",
            said(1)
        );
    }

    #[test]
    fn logical_partitions_overlap_each_other_but_not_their_container() {
        let mut table = table(&[(0, 100), (10, 30), (30, 30)]);
        for logical in &mut table.partitions[1..] {
            logical.inside = Some(1);
        }
        run(&mut table, 100, Severity::Broken);
        let [only] = table.remarks.as_slice() else {
            panic!("{:?}", table.remarks);
        };
        assert_eq!(
            (only.rule, only.severity),
            ("partition-overlap", Severity::Broken)
        );
        assert_eq!(only.why, "Partitions 2 and 3 share 10 B from byte 30.");
    }

    #[test]
    fn disorder_is_noted_once() {
        let mut table = table(&[(10, 1), (5, 1), (1, 1)]);
        order(&mut table);
        assert_eq!(table.remarks.len(), 1);
    }

    #[test]
    fn a_logical_partition_before_a_later_primary_is_in_order() {
        let mut table = table(&[(10, 100), (200, 10), (20, 10)]);
        table.partitions[2].inside = Some(1);
        order(&mut table);
        assert_eq!(table.remarks, []);
    }

    #[test]
    fn equal_starts_are_in_order() {
        let mut table = table(&[(10, 1), (10, 1)]);
        order(&mut table);
        assert!(table.remarks.is_empty());
    }

    #[test]
    fn disorder_of_primaries_goes_before_that_of_logicals() {
        let mut table = table(&[(10, 1), (5, 1), (8, 1), (7, 1)]);
        for logical in &mut table.partitions[2..] {
            logical.inside = Some(1);
        }
        order(&mut table);
        assert!(
            table.remarks[0]
                .why
                .contains("Partition 2 lies before partition 1")
        );
        table.partitions.drain(..2);
        table.remarks.clear();
        order(&mut table);
        assert!(
            table.remarks[0]
                .why
                .contains("Partition 4 lies before partition 3")
        );
    }
}
