"""scikit-learn's own checks, without a single exception granted."""

import warnings

import pytest
from estimators import ESTIMATORS
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks


@parametrize_with_checks(ESTIMATORS)
def test_every_check_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_no_check_is_expected_to_fail_and_none_is_skipped(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, on_skip=None, on_fail=None)
    outcomes = {result["check_name"]: result["status"] for result in results}
    assert len(outcomes) > 40
    assert {name: status for name, status in outcomes.items() if status != "passed"} == {}
