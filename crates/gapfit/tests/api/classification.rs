//! Models of classes: probabilities, decisions, tuning, files.

use crate::sample::{PARAMETERS, assert_close, bits, classed, weighted};
use gapfit::data::{Dataset, MaskedMatrix};
use gapfit::eval::{ClassScores, Probabilities};
use gapfit::loss::Loss;
use gapfit::tune::{self, Folding, Search};
use gapfit::{Base, Error, Learner, Method, Model, Multiclass, Parameters, conformal};
use std::ops::ControlFlow;

fn logistic(method: Method) -> Learner {
    Learner {
        loss: Loss::Logistic,
        ..Learner::new(method)
    }
}

fn search() -> Search {
    Search {
        alphas: vec![1e-4, 1e-2, 1.0],
        gammas: vec![0.0, 0.1, 1.0],
        coarse_to_fine: false,
        folds: 3,
        ..Search::default()
    }
}

const GO_ON: fn(usize, usize) -> ControlFlow<()> = |_, _| ControlFlow::Continue(());

/// Every method, loss, and way to tell classes apart, on two and on three classes.
fn all() -> Vec<(Learner, Dataset)> {
    let mut all = Vec::new();
    for method in Method::ALL {
        for (loss, multiclass) in [
            (Loss::Logistic, Multiclass::Joint),
            (Loss::Logistic, Multiclass::OneVsRest),
            (Loss::SquaredHinge, Multiclass::Joint),
        ] {
            for n_classes in [2, 3] {
                let learner = Learner {
                    loss,
                    multiclass,
                    ..Learner::new(method)
                };
                let data = weighted(classed(70, 4, 0.3, n_classes, 81), 82);
                all.push((learner, data));
            }
        }
    }
    all
}

#[test]
fn every_method_learns_classes_with_every_loss() {
    for (learner, data) in all() {
        let fitted = learner.fit(&data, PARAMETERS).unwrap();
        assert!(
            fitted.outcome.gap <= learner.tol,
            "{learner:?} {:?}",
            fitted.outcome
        );
        let decided = fitted.model.decide(data.features()).unwrap();
        let right = gapfit::eval::accuracy(data.target(), &decided, data.weights());
        let chance = 1.0 / data.classes().len() as f64;
        assert!(right > chance + 0.1, "{learner:?}: {right}");
        let again = learner.fit(&data, PARAMETERS).unwrap().model;
        assert_eq!(again, fitted.model);
        let back = Model::from_bytes(&fitted.model.to_bytes()).unwrap();
        assert_eq!(back, fitted.model);
        assert_eq!(back.classes(), data.classes());
        assert_eq!(back.loss(), learner.loss);
    }
}

#[test]
fn probabilities_are_finite_and_add_up_to_one_whatever_the_row() {
    let mut wild = MaskedMatrix::new(4);
    for x in [Some(1e300), Some(-1e300), Some(0.0), None] {
        wild.push_row([x; 4]).unwrap();
    }
    for (learner, data) in all() {
        for clip in [0.0, 0.01] {
            let mut learner = learner.clone();
            learner.preparation.clip = clip;
            let model = learner.fit(&data, PARAMETERS).unwrap().model;
            let found = model.predict_proba(&wild);
            if learner.loss != Loss::Logistic {
                let text = found.unwrap_err().to_string();
                assert_eq!(
                    text,
                    "loss: expected logistic, for probabilities, got squared-hinge"
                );
                continue;
            }
            let found = found.unwrap();
            let decided = model.decide(&wild).unwrap();
            for (row, decided) in found.rows().zip(decided) {
                assert!(row.iter().all(|p| (0.0..=1.0).contains(p)), "{row:?}");
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{row:?}");
                let most = row.iter().copied().fold(0.0, f64::max);
                assert!(row[decided] >= most - 1e-12, "{row:?} {decided}");
            }
        }
    }
}

#[test]
fn the_score_of_two_classes_is_the_logarithm_of_the_odds() {
    let data = classed(70, 4, 0.3, 2, 83);
    let model = logistic(Method::Irr(Base::Mean))
        .fit(&data, PARAMETERS)
        .unwrap()
        .model;
    let scores = model.predict(data.features()).unwrap();
    let probabilities = model.predict_proba(data.features()).unwrap();
    for (score, row) in scores.iter().zip(probabilities.rows()) {
        assert!(((row[1] / row[0]).ln() - score).abs() < 1e-9);
    }
    let explained = model.explain(data.features()).unwrap();
    for (score, explanation) in scores.iter().zip(explained) {
        let sum = explanation.base + explanation.contributions.iter().sum::<f64>();
        assert!((sum - score).abs() < 1e-10);
    }
}

#[test]
fn renaming_the_classes_turns_the_scores_around() {
    let data = classed(70, 4, 0.3, 2, 84);
    let label = |&class: &f64| if class > 0.0 { "a" } else { "b" };
    let labels: Vec<&str> = data.target().iter().map(label).collect();
    let turned = Dataset::classified(data.features().clone(), &labels).unwrap();
    for loss in [Loss::Logistic, Loss::SquaredHinge] {
        let learner = Learner {
            loss,
            tol: 1e-12,
            ..Learner::new(Method::Irr(Base::Gaussian))
        };
        let score = |data: &Dataset| {
            let model = learner.fit(data, PARAMETERS).unwrap().model;
            model.predict(data.features()).unwrap()
        };
        let back: Vec<f64> = score(&turned).iter().map(|f| -f).collect();
        assert_close(&back, &score(&data), 1e-5, &learner);
    }
}

#[test]
fn one_against_the_rest_is_a_model_of_two_classes_for_each() {
    let data = classed(90, 3, 0.3, 3, 85);
    for loss in [Loss::Logistic, Loss::SquaredHinge] {
        let learner = Learner {
            loss,
            multiclass: Multiclass::OneVsRest,
            tol: 1e-12,
            ..Learner::new(Method::Irr(Base::Mean))
        };
        let model = learner.fit(&data, PARAMETERS).unwrap().model;
        for class in 0..3 {
            let is_class = data
                .target()
                .iter()
                .map(|&y| f64::from(u8::from(y as usize == class)));
            let alone = Dataset::new(data.features().clone(), is_class.collect()).unwrap();
            let alone = learner
                .fit(&alone.classify().unwrap(), PARAMETERS)
                .unwrap()
                .model;
            let (constant, weights) = model.class_weights(class);
            let (other_constant, other) = alone.weights();
            assert_close(&weights, &other, 1e-5, &learner);
            assert!((constant - other_constant).abs() < 1e-5);
            let shift = model.class_shift(class, 1).unwrap().1;
            assert_close(&shift, &alone.shift(1).unwrap().1, 1e-4, &learner);
        }
    }
}

#[test]
fn more_than_two_classes_have_no_single_prediction() {
    let data = classed(60, 3, 0.3, 3, 86);
    let model = logistic(Method::Mask).fit(&data, PARAMETERS).unwrap().model;
    let error = model.predict(data.features()).unwrap_err();
    assert!(matches!(error, Error::Setting { .. }), "{error}");
    assert!(model.explain(data.features()).is_err());
    let numbers = crate::sample::holey(30, 2, 0.3, 87);
    let model = Learner::default().fit(&numbers, PARAMETERS).unwrap().model;
    assert!(model.decide(numbers.features()).is_err());
    assert!(model.predict_proba(numbers.features()).is_err());
}

#[test]
fn candidates_are_judged_by_the_log_loss_of_rows_they_have_not_seen() {
    for n_classes in [2, 3] {
        let data = weighted(classed(90, 3, 0.3, n_classes, 88), 89);
        for method in [Method::Mask, Method::Irr(Base::Independent)] {
            let learner = logistic(method);
            let search = search();
            let tuned = tune::cross_validate(&learner, &data, &search, &GO_ON).unwrap();
            let parameters = tuned.best.parameters;
            let found = tune::out_of_fold_proba(&learner, parameters, &data, &search).unwrap();
            let rows: Vec<usize> = found.iter().map(|(i, _)| *i).collect();
            let held_out = data.select(&rows);
            let values: Vec<f64> = found.into_iter().flat_map(|(_, row)| row).collect();
            let predicted = Probabilities::new(n_classes, values).unwrap();
            let scores = ClassScores::of(held_out.target(), &predicted, held_out.weights());
            let off = tuned.best.mean_loss() / scores.log_loss - 1.0;
            assert!(off.abs() < 1e-3, "{method} {n_classes}: {off:e}");
            let least = tuned
                .candidates
                .iter()
                .map(gapfit::tune::Candidate::mean_loss);
            assert!(tuned.best.mean_loss() <= least.fold(f64::INFINITY, f64::min));
        }
    }
}

#[test]
fn a_base_is_chosen_for_classes_too() {
    let data = classed(120, 3, 0.3, 2, 90);
    let learner = logistic(Method::default());
    let chosen = tune::choose_base(&learner, &Base::ALL, &data, &search(), &GO_ON).unwrap();
    assert_eq!(chosen.tuned.len(), 4);
    let learner = logistic(Method::Irr(chosen.base));
    assert!(learner.fit(&data, chosen.parameters).unwrap().outcome.gap <= 1e-8);
}

#[test]
fn a_judgement_has_the_scores_of_rows_that_models_have_not_seen() {
    let heavy = |data: &Dataset| {
        let weights = data.target().iter().map(|&class| 1.0 + 3.0 * class);
        data.clone().with_weights(weights.collect()).unwrap()
    };
    for (learner, data) in all() {
        let training = heavy(&data);
        let judgement = tune::judge(&learner, PARAMETERS, (&training, &data), &search()).unwrap();
        let parts = tune::hold_out(&learner, PARAMETERS, &training, &search()).unwrap();
        let (mut right, mut total) = (0.0, 0.0);
        for part in &parts {
            let decided = part.model.decide(&part.features).unwrap();
            for (&i, decided) in part.rows.iter().zip(decided) {
                total += data.weight(i);
                right += data.weight(i) * f64::from(u8::from(data.target()[i] as usize == decided));
            }
        }
        assert_eq!(judgement.folds, 3);
        assert!((judgement.accuracy - right / total).abs() < 1e-12);
        let has_probabilities = learner.loss == Loss::Logistic;
        assert_eq!(judgement.log_loss.is_some(), has_probabilities);
        assert_eq!(judgement.calibration_error.is_some(), has_probabilities);
        let has_auc = has_probabilities || data.classes().len() == 2;
        assert_eq!(judgement.auc.is_some(), has_auc);
        let model = learner.fit(&training, PARAMETERS).unwrap().model;
        assert_eq!(model.judgement(), None);
        let model = model.with_judgement(judgement).unwrap();
        let back = Model::from_bytes(&model.to_bytes()).unwrap();
        assert_eq!(back, model);
        assert_eq!(back.judgement(), Some(judgement));
    }
}

#[test]
fn rows_without_weight_judge_nobody() {
    let data = classed(40, 3, 0.2, 2, 90);
    // weight in the first block alone, which no fold by time holds out
    let first = |i: usize| f64::from(u8::from(i < 10));
    let weights = (0..40).map(first).collect();
    let light = data.clone().with_weights(weights).unwrap();
    let by_time = Search {
        folding: Folding::Timed((0..40).map(|i| f64::from(i / 10)).collect()),
        ..search()
    };
    let learner = logistic(Method::Irr(Base::Mean));
    let judged = tune::judge(&learner, PARAMETERS, (&data, &light), &by_time);
    assert_eq!(
        judged.unwrap_err().to_string(),
        "folds: expected held-out rows that have weight, got none"
    );
}

#[test]
fn shuffled_folds_have_the_same_share_of_every_class() {
    let data = classed(90, 2, 0.2, 3, 91);
    for fold in Folding::Shuffled.split(&data, 5, 3).unwrap().iter() {
        for (held_out, all) in data
            .select(&fold.held_out)
            .class_totals()
            .iter()
            .zip(data.class_totals())
        {
            assert!((held_out - all / 5.0).abs() < 1.0, "{held_out} of {all}");
        }
    }
}

#[test]
fn a_class_with_a_single_row_does_not_stop_a_search() {
    for n_classes in [2, 3] {
        let data = classed(60, 2, 0.3, n_classes, 92);
        let mut target = data.target().to_vec();
        let last = (n_classes - 1) as f64;
        target.iter_mut().for_each(|y| *y = y.min(last - 1.0));
        target[7] = last;
        let rare = Dataset::new(data.features().clone(), target).unwrap();
        let rare = rare.with_classes(data.classes().to_vec()).unwrap();
        let learner = logistic(Method::Irr(Base::Mean));
        let tuned = tune::cross_validate(&learner, &rare, &search(), &GO_ON).unwrap();
        assert!(tuned.candidates.iter().all(|c| c.rmse.is_finite()));
        let model = learner.fit(&rare, tuned.best.parameters).unwrap().model;
        let found = model.predict_proba(rare.features()).unwrap();
        assert!(found.rows().all(|row| row.iter().all(|p| p.is_finite())));
    }
}

#[test]
fn class_weights_are_row_weights() {
    let data = classed(60, 3, 0.3, 2, 93);
    let weights = [1.0, 3.0];
    let by_class = data.clone().with_class_weights(&weights).unwrap();
    let by_row = data.target().iter().map(|&y| weights[y as usize]).collect();
    let by_row = data.clone().with_weights(by_row).unwrap();
    let fit = |data: &Dataset| {
        let model = logistic(Method::Irr(Base::Mean))
            .fit(data, PARAMETERS)
            .unwrap()
            .model;
        model.predict(data.features()).unwrap()
    };
    assert_eq!(bits(&fit(&by_class)), bits(&fit(&by_row)));
    let more = fit(&by_class).iter().sum::<f64>() - fit(&data).iter().sum::<f64>();
    assert!(more > 1.0, "a heavier class is found more often: {more}");
}

#[test]
fn what_is_for_numbers_only_is_refused() {
    let data = classed(40, 2, 0.3, 2, 94);
    let learner = logistic(Method::default());
    let error = conformal::calibrate(&learner, PARAMETERS, &data, &search()).unwrap_err();
    assert!(error.to_string().contains("for intervals"), "{error}");
    let model = learner.fit(&data, PARAMETERS).unwrap().model;
    assert!(gapfit::joint::bounds::Measurement::new(&model, &data).is_err());
    assert!(gapfit::joint::DualPredictor::new(&model, &data).is_err());
    let rival = Learner {
        solver: gapfit::rival::Solver::Silp,
        ..learner
    };
    assert!(rival.fit(&data, PARAMETERS).is_err());
}

#[test]
fn files_of_the_squared_loss_are_as_they_were_before_there_were_others() {
    let data = crate::sample::holey(30, 3, 0.3, 95);
    let model = Learner::default().fit(&data, PARAMETERS).unwrap().model;
    let bytes = model.to_bytes();
    let text = String::from_utf8_lossy(&bytes);
    for field in ["loss", "classes", "one_vs_rest", "more_"] {
        assert!(!text.contains(&format!("\\\"{field}")), "{field}");
    }
    assert_eq!(Model::from_bytes(&bytes).unwrap().loss(), Loss::Squared);
}

#[test]
fn a_joint_model_of_three_classes_is_more_than_chance_on_new_rows() {
    let train = classed(400, 3, 0.3, 3, 96);
    let test = classed(400, 3, 0.3, 3, 97);
    let parameters = Parameters {
        alpha: 1e-3,
        gamma: 0.5,
    };
    let model = logistic(Method::Irr(Base::Gaussian))
        .fit(&train, parameters)
        .unwrap()
        .model;
    let found = model.predict_proba(test.features()).unwrap();
    let scores = ClassScores::of(test.target(), &found, None);
    assert!(scores.log_loss < 0.9 && scores.auc > 0.75, "{scores:?}");
    assert!(scores.calibration_error < 0.1, "{scores:?}");
}
