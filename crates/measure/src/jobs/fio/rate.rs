//! `rate_iops`: fio limits reads and writes apart, and each of its processes.

use ioalign_core::workload::Workload;

use super::units::size;

/// Limits of one process: reads, writes; `None`: no limit.
pub type FioRates = (Option<u64>, Option<u64>);

/// `1000` for both, `700,300`, `,300` for writes alone.
pub fn read(value: &str) -> Option<FioRates> {
    let number = |text: &str| match text.trim() {
        "" => Some(None),
        text => size(text).map(|n| (n > 0).then_some(n)),
    };
    let parts: Vec<_> = value.split(',').map(number).collect::<Option<_>>()?;
    match parts.as_slice() {
        [both] => Some((*both, *both)),
        [reads, writes, ..] => Some((*reads, *writes)),
        [] => None,
    }
}

/// As one rate of all workers together; `Err` where one half of a mix has no limit.
pub fn of_all(rates: FioRates, workload: &Workload) -> Result<Option<f64>, &'static str> {
    let each = match (workload.read_ratio, rates) {
        (r, (reads, _)) if r >= 1.0 => reads,
        (r, (_, writes)) if r <= 0.0 => writes,
        (_, (Some(reads), Some(writes))) => reads.checked_add(writes),
        (_, (None, None)) => None,
        _ => return Err("a rate of both reads and writes, or of none"),
    };
    #[allow(clippy::cast_precision_loss)] // a rate
    Ok(each.map(|each| each as f64 * f64::from(workload.workers)))
}

/// The same as fio wants it.
pub fn written(rate: f64, workload: &Workload) -> String {
    let each = rate / f64::from(workload.workers.max(1));
    let of = |share: f64| (each * share).round().max(1.0);
    match workload.read_ratio {
        r if r > 0.0 && r < 1.0 => format!("{},{}", of(r), of(1.0 - r)),
        _ => of(1.0).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(value: &str, read_ratio: f64) -> Result<Option<f64>, &'static str> {
        let workload = Workload {
            read_ratio,
            workers: 2,
            ..Workload::default()
        };
        of_all(read(value).unwrap(), &workload)
    }

    #[test]
    fn reads_and_writes_have_rates_of_their_own() {
        assert_eq!(all("1000", 1.0), Ok(Some(2000.0)));
        assert_eq!(all("1000", 0.5), Ok(Some(4000.0)));
        assert_eq!(all("700,300", 0.7), Ok(Some(2000.0)));
        assert_eq!(all(",1k", 0.0), Ok(Some(2048.0)));
        assert_eq!((all(",1k", 1.0), all("0", 0.5)), (Ok(None), Ok(None)));
        assert!(all(",1k", 0.5).is_err() && read("fast").is_none());
    }
}
