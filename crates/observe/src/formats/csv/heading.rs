//! The meaning of names in a heading, and their units: `offset_bytes`, `Latency (us)`.

use super::super::text;
use super::columns::{ColumnRole, CsvColumns, MOST_COLUMNS};

/// The separator of a line: that which is in it most; blanks where there is no other.
pub fn separator(line: &[u8]) -> u8 {
    let count = |separator: u8| line.iter().filter(|b| **b == separator).count();
    let all = [b',', b';', b'\t', b'|'];
    let best = all.into_iter().max_by_key(|separator| count(*separator));
    best.filter(|separator| count(*separator) > 0)
        .unwrap_or(b' ')
}

/// The names of a heading.
pub fn names(line: &[u8], separator: u8) -> Vec<String> {
    let mut cursor = super::FieldCursor::new(line);
    let mut names = Vec::new();
    while !cursor.rest().is_empty() && names.len() < MOST_COLUMNS {
        let name = super::field(&mut cursor, separator);
        names.push(String::from_utf8_lossy(name).into_owned());
    }
    names
}

/// The columns of a table whose heading names a time, an operation, an offset and a length.
pub fn columns_of_heading(head: &[u8]) -> Option<CsvColumns> {
    let line = text::first_lines(head).next()?;
    // Spreadsheets begin a file with a byte order mark.
    let plain = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let plain = plain.strip_prefix(b"#").unwrap_or(plain).trim_ascii();
    if !plain.first()?.is_ascii_alphabetic() && !plain.starts_with(b"\"") {
        return None;
    }
    let separator = separator(plain);
    let mut columns = CsvColumns::new(separator);
    for (index, name) in names(plain, separator).iter().enumerate() {
        if let Some((role, unit)) = meaning(name)
            && !columns.has(role)
        {
            columns.set(index, role);
            columns.set_unit(role, unit);
        }
    }
    columns.heading = Some(line.into());
    let needed = [
        ColumnRole::Time,
        ColumnRole::Op,
        ColumnRole::Offset,
        ColumnRole::Len,
    ];
    needed
        .iter()
        .all(|role| columns.has(*role))
        .then_some(columns)
}

/// The meaning of a name and its unit: nanoseconds, bytes, or 0.
pub fn meaning(name: &str) -> Option<(ColumnRole, u64)> {
    let lower = name.to_ascii_lowercase();
    let words: Vec<_> = lower.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let (last, before) = words.split_last()?;
    let whole = words.concat();
    if before.is_empty() || unit(last).is_none() {
        return plain(&whole);
    }
    let (role, _) = plain(&before.concat()).or_else(|| plain(&whole))?;
    Some((role, unit(last)?))
}

fn unit(word: &str) -> Option<u64> {
    Some(match word {
        "ns" | "nanoseconds" | "nsec" => 1,
        "us" | "microseconds" | "usec" => 1_000,
        "ms" | "milliseconds" | "msec" => 1_000_000,
        "s" | "seconds" | "sec" | "secs" => 1_000_000_000,
        "b" | "byte" | "bytes" => 1,
        "sectors" | "sector" | "512" => 512,
        "kib" | "k" => 1024,
        _ => return None,
    })
}

fn plain(name: &str) -> Option<(ColumnRole, u64)> {
    Some(match name {
        "time" | "timestamp" | "ts" | "issuetime" | "starttime" | "arrival" | "arrivaltime" => {
            (ColumnRole::Time, 0)
        }
        "op" | "operation" | "opcode" | "type" | "iotype" | "rw" | "rwbs" | "direction"
        | "ddir" | "cmd" | "command" | "readwrite" => (ColumnRole::Op, 0),
        "offset" | "off" | "start" | "pos" | "position" | "address" | "lba" | "lbn" | "block"
        | "startlba" => (ColumnRole::Offset, 0),
        "sector" | "startsector" => (ColumnRole::Offset, 512),
        "len" | "length" | "size" | "iosize" | "blocksize" | "bs" | "count" => (ColumnRole::Len, 0),
        "bytes" | "nbytes" => (ColumnRole::Len, 1),
        "sectors" | "nrsectors" | "nrsector" | "nsectors" => (ColumnRole::Len, 512),
        "latency" | "lat" | "response" | "responsetime" | "servicetime" | "rt" | "duration"
        | "elapsed" => (ColumnRole::Latency, 0),
        "device" | "dev" | "disk" | "diskname" | "volume" | "volumeid" | "lun" | "deviceid"
        | "disknumber" | "asu" => (ColumnRole::Device, 0),
        "process" | "comm" | "processname" => (ColumnRole::Process, 0),
        "pid" | "tid" => (ColumnRole::Pid, 0),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_units() {
        assert_eq!(meaning("offset_bytes"), Some((ColumnRole::Offset, 1)));
        assert_eq!(meaning("Latency (us)"), Some((ColumnRole::Latency, 1000)));
        assert_eq!(meaning("sector"), Some((ColumnRole::Offset, 512)));
        assert_eq!(meaning("nr_sectors"), Some((ColumnRole::Len, 512)));
        assert_eq!(meaning("ResponseTime"), Some((ColumnRole::Latency, 0)));
        assert_eq!(meaning("hostname"), None);
        assert_eq!(meaning(""), None);
    }

    #[test]
    fn separators() {
        assert_eq!(separator(b"a;b;c,d"), b';');
        assert_eq!(separator(b"a\tb"), b'\t');
        assert_eq!(separator(b"a b"), b' ');
    }
}
