use super::*;

fn all(plan: &GeneratePlan) -> Vec<Io> {
    Generator::new(plan).collect()
}

#[test]
fn a_seed_gives_the_same_trace() {
    let plan = GeneratePlan {
        ios: 5000,
        ..GeneratePlan::default()
    };
    assert_eq!(all(&plan), all(&plan));
    assert_ne!(
        all(&plan),
        all(&GeneratePlan {
            seed: 2,
            ..plan.clone()
        })
    );
}

#[test]
fn the_plan_is_kept() {
    let plan = GeneratePlan {
        ios: 50_000,
        misaligned: Ratio::percent(17),
        shift: 63 * 512,
        sizes: SizeMix::new(&[(4096, 50), (8192, 30), (65536, 20)]).unwrap(),
        ..GeneratePlan::default()
    };
    let ios = all(&plan);
    let off = ios
        .iter()
        .filter(|io| !(io.offset - plan.shift).is_multiple_of(4096))
        .count();
    assert!((8000..9000).contains(&off), "{off} of 50000 for 17 %");
    let reads = ios.iter().filter(|io| io.op == Op::Read).count();
    assert!((34_000..36_000).contains(&reads), "{reads}");
    let large = ios.iter().filter(|io| io.len == 65536).count();
    assert!((9500..10_500).contains(&large), "{large}");
    assert!(ios.is_sorted_by_key(|io| io.time));
}

#[test]
fn nothing_is_twice_at_one_place_and_the_depth_is_kept() {
    let plan = GeneratePlan {
        ios: 20_000,
        device_size: 4 << 20,
        between: 1000,
        depth: 8,
        ..GeneratePlan::default()
    };
    assert_eq!(plan.fault(), None);
    let ios = all(&plan);
    for (at, io) in ios.iter().enumerate() {
        let before = &ios[at.saturating_sub(200)..at];
        let end = |io: &Io| io.time + i64::try_from(io.latency).unwrap();
        let open: Vec<_> = before.iter().filter(|other| end(other) > io.time).collect();
        assert!(open.len() < 8);
        assert!(open.iter().all(|other| other.offset != io.offset));
    }
}

#[test]
fn bursts_are_apart() {
    let plan = GeneratePlan {
        ios: 10_000,
        bursts: Some(BurstPlan {
            on: 100_000_000,
            every: 1_000_000_000,
        }),
        between: 100_000,
        ..GeneratePlan::default()
    };
    let mut truth = Truth::new(&plan, &[], 100_000_000);
    all(&plan).iter().for_each(|io| truth.add(io));
    let profile = truth.profile(&plan);
    let bursts = profile.devices[0].bursts_total;
    assert!((9..=12).contains(&bursts.count), "{bursts:?}");
}
