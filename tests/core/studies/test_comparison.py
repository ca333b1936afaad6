import math

import pytest

from core import measures
from core.data import DataSpec, count
from core.mechanisms import catalogue
from core.notions import LIP, RLDP
from core.scenario import Scenario
from core.studies.comparison import compare

ADULT = Scenario(data=DataSpec(released=("relationship",)))
TWO = Scenario(data=DataSpec(secret=("income",), released=("sex", "race")))


def test_each_mechanism_stands_once_and_within_the_level():
    counted = count(ADULT.data)
    rows = compare(ADULT, counted, 0.4)
    expected = [entry.key for entry in catalogue.CATALOGUE.values() if entry.works_under(LIP)]
    assert [row.key for row in rows] == expected
    for row in rows:
        entry = catalogue.entry(row.key)
        assert row.reads_secret == entry.reads_secret
        assert row.side_channel == pytest.approx(row.lip, abs=1e-12)  # X is one column
        if entry.uses_notion:
            assert row.lip <= 0.4 + 1e-9
            made = catalogue.build(row.key, counted.joint, LIP(0.4))
            assert row.utility == pytest.approx(made.utility, abs=1e-6)
        else:
            assert row.note == "has no budget"


def test_the_optimum_keeps_most_of_what_reads_x_only():
    counted = count(ADULT.data)
    entropy = float(measures.entropy(counted.joint.p_x))
    rows = {row.key: row for row in compare(ADULT, counted, 0.2)}
    best, both = rows["optimal"], rows["optimal_reading_secret"]
    assert both.upper_bound >= best.upper_bound - 1e-6
    assert both.utility >= rows["conditional_reporting"].utility
    for key, row in rows.items():
        if not catalogue.entry(key).uses_notion:
            assert math.isnan(row.upper_bound)
            assert row.note == "has no budget"
        elif row.reads_secret:
            assert row.utility <= row.upper_bound + 1e-9
            assert row.upper_bound == both.upper_bound
        else:  # the bound of the problem, not H(X), which says nothing
            assert row.upper_bound == best.upper_bound < entropy - 0.1
            assert row.utility <= row.upper_bound + 1e-9


def test_several_columns_add_what_resists_side_channels():
    rows = compare(TWO, count(TWO.data), 0.3)
    resistant = [row for row in rows if row.title.endswith(", SRLIP")]
    assert [row.key for row in resistant] == ["optimal", "srlip_product", "srlip_product_optimised"]
    assert all(row.side_channel <= 0.3 + 1e-9 for row in resistant)
    plain = next(row for row in rows if row.title == "Optimal")
    assert plain.side_channel > 0.3
    assert {row.upper_bound for row in resistant} == {resistant[0].upper_bound}
    assert resistant[0].utility <= resistant[0].upper_bound <= plain.upper_bound + 1e-6


def test_too_many_symbols_for_unary_encoding_are_estimated():
    scenario = Scenario(data=DataSpec("random:uniform:2x20:1"))
    row = next(row for row in compare(scenario, count(scenario.data), 0.3) if row.key == "oue")
    assert row.lip == pytest.approx(0.3, abs=1e-9)
    assert row.outputs == 2**20
    assert row.note.startswith("utility estimated, ± ")
    assert math.isnan(row.ldp)


def test_a_mechanism_without_an_answer_says_why():
    scenario = Scenario(data=DataSpec("random:uniform:3x6:0"), utility="distortion")
    rows = {row.key: row for row in compare(scenario, count(scenario.data), 0.3)}
    assert math.isnan(rows["merge_anonymity"].nmi)
    assert rows["merge_anonymity"].note.endswith(".")


def test_where_s_is_released_too_the_robust_mechanisms_run_under_rldp():
    data = DataSpec("random:uniform:2x3:0", secret_released=True)
    scenario = Scenario(data=data, n=300, beta=0.1, time_limit=0.5)
    counted = count(data)
    rows = {row.key: row for row in compare(scenario, counted, 0.4)}
    request = RLDP.of_joint(counted.joint, 0.4, 300, 0.1)
    promised = ("robust_optimal", "polyopt", "independent_reporting", "secret_rr", "pair_rr")
    for key in promised:
        assert rows[key].robust <= 0.4 + 1e-9
        assert rows[key].ldp <= rows[key].robust + 1e-9  # the estimate is one of the possible
    made = catalogue.build("independent_reporting", counted.joint, request)
    assert rows["independent_reporting"].utility == pytest.approx(made.utility)
    for key in promised:
        assert rows[key].upper_bound == rows["robust_optimal"].upper_bound
    trusting = rows["non_robust"]
    assert trusting.upper_bound == rows["optimal"].upper_bound
    assert trusting.ldp <= 0.4 + 1e-9 < trusting.robust
    assert trusting.utility >= max(rows[key].utility for key in promised) - 1e-9
    assert rows["optimal"].robust > rows["optimal"].ldp  # it trusts the estimate
    assert math.isnan(rows["conditional_reporting"].robust)
    assert "robust_optimal" not in {row.key for row in compare(ADULT, count(ADULT.data), 0.4)}
