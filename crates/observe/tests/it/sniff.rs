//! Every format recognises its own trace and no other.

use ioalign_observe::formats::{self, FORMATS};

use crate::samples;

#[test]
fn every_format_has_a_sample() {
    let samples = samples::all();
    for format in FORMATS {
        let has = samples.iter().any(|sample| sample.format == format.name);
        // What only asks has none, and what is no stream has tests of its own.
        let other = ["simulator", "parquet"].contains(&format.name);
        assert!(has || other, "{}", format.name);
    }
}

#[test]
fn no_false_alarms() {
    for sample in samples::all() {
        for format in FORMATS {
            let taken = (format.sniff)(&sample.bytes);
            // A table with a heading is one of the tables too: it comes last.
            if format.name != "csv" {
                assert_eq!(
                    taken,
                    format.name == sample.format,
                    "{} as {}",
                    sample.format,
                    format.name
                );
            }
        }
        let found = formats::detect(&sample.bytes).map(|format| format.name);
        assert_eq!(found, Some(sample.format));
    }
}

#[test]
fn other_files_are_no_traces() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01".repeat(40);
    let elf = b"\x7fELF\x02\x01\x01\0".repeat(100);
    let numbers: Vec<u8> = (0..4096_u32)
        .flat_map(|n| n.wrapping_mul(0x9e37_79b9).to_le_bytes())
        .collect();
    let others: [&[u8]; 10] = [
        b"",
        b"\n\n\n",
        &[0; 4096],
        &[0xff; 4096],
        &png,
        &elf,
        &numbers,
        b"{\"events\": [1, 2, 3]}\n",
        b"name,age\nbob,7\n",
        b"The quick brown fox: 8,16 jumps\n",
    ];
    for other in others {
        for format in FORMATS {
            assert!(
                !(format.sniff)(other),
                "{}: {:?}",
                format.name,
                &other[..other.len().min(20)]
            );
        }
    }
}

#[test]
fn a_damaged_row_hides_no_format() {
    for sample in samples::all() {
        let Ok(text) = std::str::from_utf8(&sample.bytes) else {
            continue;
        };
        if text.contains('\0') {
            continue;
        }
        let damaged = format!("{text}{text}x,;\n{text}");
        let found = formats::detect(damaged.as_bytes()).map(|format| format.name);
        assert_eq!(found, Some(sample.format));
    }
}
