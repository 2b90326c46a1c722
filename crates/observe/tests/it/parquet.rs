//! Parquet: files of other writers, and damaged ones.

use std::path::Path;
use std::sync::Arc;

use ioalign_observe::formats::parquet::groups;
use ioalign_observe::generate::{GeneratePlan, Random};
use ioalign_observe::{TraceProgress, TraceSettings, TraceSummary, generate, summarize, write};
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

fn read(path: &Path) -> Result<TraceSummary, ioalign_observe::ObserveError> {
    summarize(
        &[path.to_owned()],
        &TraceSettings::default(),
        &TraceProgress::default(),
    )
}

/// 10,000 rows as others may have them: other order, other types, a column more, nulls.
fn foreign(path: &Path, properties: WriterProperties) {
    let schema = "message other {
        optional binary op (UTF8); optional int64 offset_bytes; required double extra;
        optional int32 length_bytes; required int64 time_ns; optional int64 latency_ns; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let file = std::fs::File::create(path).unwrap();
    let mut file = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    for group in 0..2 {
        let mut group_writer = file.next_row_group().unwrap();
        let rows: Vec<i64> = (0..5000).map(|row| group * 5000 + row).collect();
        let all = vec![1; 5000];
        let mut column = group_writer.next_column().unwrap().unwrap();
        let ops: Vec<_> = rows
            .iter()
            .map(|row| {
                ByteArray::from(if row % 4 == 0 {
                    b"W".to_vec()
                } else {
                    b"read".to_vec()
                })
            })
            .collect();
        column
            .typed::<ByteArrayType>()
            .write_batch(&ops, Some(&all), None)
            .unwrap();
        column.close().unwrap();
        let mut column = group_writer.next_column().unwrap().unwrap();
        let offsets: Vec<_> = rows
            .iter()
            .map(|row| row * 1_000_003 % (1 << 40) * 512)
            .collect();
        column
            .typed::<Int64Type>()
            .write_batch(&offsets, Some(&all), None)
            .unwrap();
        column.close().unwrap();
        let mut column = group_writer.next_column().unwrap().unwrap();
        let extra = vec![0.5; 5000];
        column
            .typed::<parquet::data_type::DoubleType>()
            .write_batch(&extra, None, None)
            .unwrap();
        column.close().unwrap();
        let mut column = group_writer.next_column().unwrap().unwrap();
        let lengths = vec![4096; 5000];
        column
            .typed::<Int32Type>()
            .write_batch(&lengths, Some(&all), None)
            .unwrap();
        column.close().unwrap();
        let mut column = group_writer.next_column().unwrap().unwrap();
        let times: Vec<_> = rows.iter().map(|row| row * 1000).collect();
        column
            .typed::<Int64Type>()
            .write_batch(&times, None, None)
            .unwrap();
        column.close().unwrap();
        let mut column = group_writer.next_column().unwrap().unwrap();
        let levels: Vec<_> = rows.iter().map(|row| i16::from(row % 3 == 0)).collect();
        let known: Vec<_> = rows
            .iter()
            .filter(|row| *row % 3 == 0)
            .map(|row| row + 100)
            .collect();
        column
            .typed::<Int64Type>()
            .write_batch(&known, Some(&levels), None)
            .unwrap();
        column.close().unwrap();
        group_writer.close().unwrap();
    }
    file.close().unwrap();
}

#[test]
fn files_of_other_writers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other");
    let mut answers = Vec::new();
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for compression in [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::LZ4_RAW,
        ] {
            for (dictionary, encoding) in [(true, None), (false, Some(Encoding::PLAIN))] {
                let mut properties = WriterProperties::builder()
                    .set_writer_version(version)
                    .set_compression(compression)
                    .set_dictionary_enabled(dictionary)
                    .set_data_page_row_count_limit(777)
                    .set_write_batch_size(111);
                if let Some(encoding) = encoding {
                    properties = properties.set_encoding(encoding);
                }
                foreign(&path, properties.build());
                let found = read(&path).unwrap();
                assert_eq!(found.files[0].skipped.rows, 0);
                answers.push(found.profile);
            }
        }
    }
    let first = &answers[0];
    assert_eq!(first.events, 10_000);
    let device = &first.devices[0];
    assert_eq!(
        (device.by_op["write"].ios, device.by_op["read"].ios),
        (2500, 7500)
    );
    let latency = |op: &str| device.by_op[op].latency_us.unwrap();
    assert_eq!(latency("read").ios + latency("write").ios, 3334);
    assert!(
        (latency("read").max - 10.099).abs() < 0.01 || (latency("write").max - 10.099).abs() < 0.01
    );
    assert!(answers.iter().all(|answer| answer == first));
}

#[test]
fn a_file_without_our_columns_says_which() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other");
    let schema = Arc::new(
        parse_message_type("message m { required int64 time_ns; required int64 op; }").unwrap(),
    );
    let file = std::fs::File::create(&path).unwrap();
    SerializedFileWriter::new(file, schema, Arc::default())
        .unwrap()
        .close()
        .unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(error.contains("`op` is not text"), "{error}");
}

fn sample(path: &Path) -> Vec<u8> {
    let plan = GeneratePlan {
        ios: 3000,
        ..GeneratePlan::default()
    };
    let file = Box::new(std::fs::File::create(path).unwrap());
    let mut writer = (write::named("parquet").unwrap().writer)(file, false).unwrap();
    generate::write(&plan, &mut *writer, None, &TraceProgress::default()).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn damaged_files_end_in_an_error_or_a_profile() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged");
    let whole = sample(&path);
    let mut random = Random::new(9);
    let mut at = |end: usize| usize::try_from(random.below(end as u64)).unwrap();
    for round in 0..5000 {
        let mut bytes = whole.clone();
        // The footer is where most can go wrong.
        let from = if round % 2 == 0 {
            bytes.len() - 2500
        } else {
            0
        };
        for _ in 0..=at(3) {
            let place = from + at(bytes.len() - from);
            match at(8) {
                0 => bytes.truncate(place.max(from + 1)),
                1 => bytes[place] = 0xff,
                _ => bytes[place] ^= 1 << at(8),
            }
        }
        if let Ok(rows) = groups::all(bytes) {
            assert!(rows <= 3000);
        }
    }
}

#[test]
fn every_length_of_a_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut");
    let whole = sample(&path);
    for len in (4..whole.len()).step_by(11) {
        assert!(
            groups::all(whole[..len].to_vec()).is_err(),
            "{len} of {}",
            whole.len()
        );
    }
}

/// A row of the four columns that there must be.
type Four<N> = (N, &'static str, N, N);

/// Writes one row group of them, the numbers as they are given.
fn four_columns<T: DataType>(path: &Path, properties: WriterProperties, rows: &[Four<T::T>]) {
    let types = T::get_physical_type().to_string().to_lowercase();
    let schema = format!(
        "message m {{ required {types} time_ns; required binary op (UTF8);
        required {types} offset_bytes; required {types} length_bytes; }}"
    );
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let file = std::fs::File::create(path).unwrap();
    let mut file = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    let mut group = file.next_row_group().unwrap();
    let times: Vec<_> = rows.iter().map(|row| row.0.clone()).collect();
    let ops: Vec<_> = rows.iter().map(|row| ByteArray::from(row.1)).collect();
    let offsets: Vec<_> = rows.iter().map(|row| row.2.clone()).collect();
    let lengths: Vec<_> = rows.iter().map(|row| row.3.clone()).collect();
    one_column::<T>(&mut group, &times);
    one_column::<ByteArrayType>(&mut group, &ops);
    one_column::<T>(&mut group, &offsets);
    one_column::<T>(&mut group, &lengths);
    group.close().unwrap();
    file.close().unwrap();
}

fn one_column<T: DataType>(group: &mut SerializedRowGroupWriter<std::fs::File>, values: &[T::T]) {
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<T>().write_batch(values, None, None).unwrap();
    column.close().unwrap();
}

#[test]
fn rows_that_are_no_io_are_left_out_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd");
    let mut rows: Vec<_> = (0..20_000).map(|n| (n, "write", n * 512, 512)).collect();
    rows[3].1 = "sing";
    rows[9].2 = -1;
    rows[11].3 = 1 << 32;
    rows[12].3 = (1 << 32) - 512;
    rows[9000].3 = -512;
    rows[19_999].0 = i64::MIN;
    four_columns::<Int64Type>(&path, WriterProperties::default(), &rows);
    let found = read(&path).unwrap();
    let skipped = &found.files[0].skipped;
    let stated: Vec<_> = skipped
        .first
        .iter()
        .map(|row| (row.place, row.why))
        .collect();
    let length = "no length, or one of 4 GiB and more";
    let wanted = [
        (4, "an operation that is not known"),
        (10, "no offset"),
        (12, length),
        (9001, length),
        (20_000, "no time"),
    ];
    assert_eq!(stated, wanted);
    assert_eq!((skipped.rows, found.profile.events), (5, 19_995));
    let written = found.profile.devices[0].by_op["write"].bytes;
    assert_eq!(written, 19_994 * 512 + (1 << 32) - 512);
}

#[test]
fn differences_of_32_bits_wrap_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("narrow");
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_column_encoding("time_ns".into(), Encoding::DELTA_BINARY_PACKED)
        .set_column_encoding("offset_bytes".into(), Encoding::DELTA_BINARY_PACKED);
    let rows = [
        (i32::MIN, "R", 0, 512),
        (0, "R", i32::MAX, 512),
        (i32::MAX, "R", 1024, 512),
    ];
    four_columns::<Int32Type>(&path, properties.build(), &rows);
    let found = read(&path).unwrap();
    assert_eq!((found.profile.events, found.files[0].skipped.rows), (3, 0));
    assert_eq!(found.profile.duration_us, u64::from(u32::MAX) / 1000);
}
