//! Profiles count what is there, and see in holes what was put there.

use crate::sample::{normal, rng};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::profile::{Association, Profile};
use rand::RngExt;

#[test]
fn masks_and_holes_are_counted() {
    let hole = f64::NAN;
    let cells = [1.0, hole, 2.0, hole, 3.0, 4.0, hole, hole, 5.0, hole];
    let profile = Profile::of(&MaskedMatrix::from_nan(5, 2, &cells).unwrap());
    assert_eq!((profile.n_rows, &profile.missing[..]), (5, &[1, 4][..]));
    let masks: Vec<_> = profile
        .masks
        .iter()
        .map(|m| (&m.missing[..], m.rows))
        .collect();
    assert_eq!(masks, [(&[1][..], 3), (&[][..], 1), (&[0, 1][..], 1)]);
}

#[test]
fn columns_that_go_together_are_found() {
    let rng = &mut rng(1);
    let mut table = MaskedMatrix::new(4);
    for _ in 0..500 {
        let (a, b) = (rng.random::<f64>() < 0.3, rng.random::<f64>() < 0.3);
        // 0 and 2 always together, 3 never with 1
        let missing = [a, b, a, !b && rng.random::<f64>() < 0.3];
        table
            .push_row(missing.map(|m| (!m).then_some(1.0)))
            .unwrap();
    }
    let pairs = Profile::of(&table).together(2);
    assert_eq!(pairs[0].columns, (0, 2));
    assert!((pairs[0].correlation - 1.0).abs() < 1e-12);
    assert_eq!((pairs[1].columns, pairs[1].both), ((1, 3), 0));
    assert!(pairs[1].correlation < -0.2);
}

#[test]
fn informative_holes_are_told_from_blind_ones() {
    let mut false_alarms = 0;
    for seed in 0..40 {
        let rng = &mut rng(seed);
        let (mut table, mut target) = (MaskedMatrix::new(10), Vec::new());
        for _ in 0..1500 {
            let y = normal(rng);
            // column 0 goes missing where the target is large
            let rate = |j: usize| if j == 0 && y > 0.5 { 0.6 } else { 0.3 };
            let row: Vec<_> = (0..10)
                .map(|j| (rng.random::<f64>() >= rate(j)).then_some(1.0))
                .collect();
            table.push_row(row).unwrap();
            target.push(y);
        }
        let found = Association::all(&Dataset::new(table, target).unwrap());
        assert_eq!((found.len(), found[0].column), (10, 0), "seed {seed}");
        assert!(
            found[0].p < 0.05 && found[0].difference > 0.0,
            "seed {seed}: {:?}",
            found[0]
        );
        false_alarms += usize::from(found[1].p < 0.05);
    }
    // two of forty are expected at most; seven or more have a chance of one in two hundred
    assert!(false_alarms <= 6, "{false_alarms}");
}
