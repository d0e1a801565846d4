//! Filled tables: observed cells stay, holes get the base's value and what was learnt on top.

use crate::sample::{PARAMETERS, holey};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::joint::Imputation;
use gapfit::{Base, Learner, Method, Parameters};

#[test]
fn observed_cells_stay_and_every_hole_is_filled() {
    let data = holey(50, 4, 0.4, 81);
    for method in Method::ALL {
        let model = Learner::new(method).fit(&data, PARAMETERS).unwrap().model;
        let imputed = model.impute(data.features()).unwrap();
        for (before, after) in data.features().rows().zip(imputed.rows()) {
            for j in 0..4 {
                match before.get(j) {
                    Some(x) => assert_eq!(after.get(j), Some(x), "{method}"),
                    None => assert!(after.get(j).is_some(), "{method}"),
                }
            }
        }
        let learns = matches!(method, Method::Irr(_));
        let base = model.fill(data.features()).unwrap();
        assert_eq!(imputed != base, learns, "{method}");
    }
}

#[test]
fn the_weights_of_a_complete_row_see_the_correction_as_the_paper_writes_it() {
    let data = holey(50, 3, 0.4, 82);
    for base in Base::ALL {
        let learner = Learner::new(Method::Irr(base));
        let model = learner.fit(&data, PARAMETERS).unwrap().model;
        let (base, imputed) = (
            model.fill(data.features()).unwrap(),
            model.impute(data.features()).unwrap(),
        );
        let corrections: Vec<_> = Imputation::of(&model).unwrap().corrections().collect();
        // <w, correction> by the table, and by the columns of M times the shift it stands for
        let (_, weights) = model.weights();
        for (i, row) in data.features().rows().enumerate() {
            for (entry, m) in &corrections {
                let j = entry - 1;
                let moved = imputed.get(i, j).unwrap() - base.get(i, j).unwrap();
                if row.get(j).is_some() {
                    assert!(moved.abs() < 1e-12);
                    continue;
                }
                // m_k has the direction of u_k, the sign of w_k
                let (constant, shift) = model.shift(j).unwrap();
                let along = constant
                    + (0..3)
                        .map(|l| shift[l] * base.get(i, l).unwrap())
                        .sum::<f64>();
                let size: f64 = m.iter().map(|x| x * x).sum::<f64>();
                let is_clear = along.abs() > 1e-9 && weights[j].abs() > 1e-9 && size > 1e-12;
                if is_clear {
                    assert!(moved * weights[j] * along > 0.0, "{i} {j}: {moved} {along}");
                }
            }
        }
    }
}

#[test]
fn a_feature_that_was_never_observed_keeps_its_holes() {
    let cells = [
        1.0,
        f64::NAN,
        2.0,
        f64::NAN,
        f64::NAN,
        f64::NAN,
        4.0,
        f64::NAN,
    ];
    let table = MaskedMatrix::from_nan(4, 2, &cells).unwrap();
    let data = Dataset::new(table, vec![1.0, 2.0, 3.0, 4.0]).unwrap();
    let parameters = Parameters {
        alpha: 0.01,
        gamma: 1.0,
    };
    let model = Learner::default().fit(&data, parameters).unwrap().model;
    let imputed = model.impute(data.features()).unwrap();
    assert!(imputed.get(2, 0).is_some());
    assert!((0..4).all(|i| imputed.get(i, 1).is_none()));
}
