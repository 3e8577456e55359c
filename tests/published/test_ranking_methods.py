"""Worked examples of the papers of the ranking methods and weightings, with intermediates."""

import numpy as np
import pytest

from equipoise.rank.methods import promethee, spotis, topsis, vikor, waspas
from equipoise.rank.ordering import competition_ranks
from equipoise.rank.weights import critic, entropy


def mask(text: str) -> np.ndarray:
    """Return the benefit mask of directions such as `+-+`."""
    return np.array([sign == "+" for sign in text])


# Hwang, Yoon: Multiple Attribute Decision Making, Springer 1981, pp. 52-54 and 133-134:
# four fighter aircraft by speed, range, payload, cost, reliability and manoeuvrability.
# The book rounds between the steps, hence the tolerances.
FIGHTERS = np.array(
    [
        [2.0, 1500, 20000, 5.5, 5, 9],
        [2.5, 2700, 18000, 6.5, 3, 5],
        [1.8, 2000, 21000, 4.5, 7, 7],
        [2.2, 1800, 20000, 5.0, 5, 5],
    ]
)
FIGHTER_WEIGHTS = np.array([0.2, 0.1, 0.1, 0.1, 0.2, 0.3])


def test_topsis_fighter_aircraft():
    benefit = mask("+++-++")
    normalised = topsis.normalise(FIGHTERS)
    assert normalised == pytest.approx(
        np.array(
            [
                [0.4671, 0.3662, 0.5056, 0.5063, 0.4811, 0.6708],
                [0.5839, 0.6591, 0.4550, 0.5983, 0.2887, 0.3727],
                [0.4204, 0.4882, 0.5308, 0.4143, 0.6736, 0.5217],
                [0.5139, 0.4392, 0.5056, 0.4603, 0.4811, 0.3727],
            ]
        ),
        abs=1e-3,  # the fourth column of the book is off by up to 0.0007
    )
    best, worst = topsis.ideals(normalised * FIGHTER_WEIGHTS, benefit)
    assert best[0] == pytest.approx([0.1168, 0.0659, 0.0531, 0.0414, 0.1347, 0.2012], abs=1e-4)
    assert worst[0] == pytest.approx([0.0841, 0.0366, 0.0455, 0.0598, 0.0577, 0.1118], abs=2e-4)
    scores = topsis.closeness(FIGHTERS, FIGHTER_WEIGHTS, benefit)
    assert scores == pytest.approx([0.643, 0.268, 0.613, 0.312], abs=1e-3)
    assert competition_ranks(scores).tolist() == [1, 4, 2, 3]


def test_entropy_weights_fighter_aircraft():
    found = entropy.entropies(FIGHTERS)
    assert found == pytest.approx([0.9946, 0.9829, 0.9989, 0.9931, 0.9703, 0.9770], abs=2e-4)
    weights = entropy.entropy(FIGHTERS, mask("+++-++"))
    assert weights == pytest.approx([0.0649, 0.2055, 0.0133, 0.0829, 0.3570, 0.2764], abs=2e-3)


# Opricovic, Tzeng: Compromise solution by MCDM methods, EJOR 156(2), 2004, 445-455.
def test_vikor_mountain_climber():
    matrix = np.array([[1.0, 3000], [2, 3750], [5, 4500]])
    weights, benefit = np.array([0.5, 0.5]), mask("-+")
    utility, regret = vikor.utility_and_regret(matrix, weights, benefit)
    assert utility == pytest.approx([0.5, 0.375, 0.5])
    assert regret == pytest.approx([0.5, 0.25, 0.5])
    assert vikor.compromise(matrix, weights, benefit) == pytest.approx([1.0, 0.0, 1.0])
    assert vikor.compromise_set(matrix, weights, benefit).tolist() == [False, True, False]


# Opricovic, Tzeng: Extended VIKOR method in comparison with outranking methods,
# EJOR 178(2), 2007, 514-529: six reservoir systems on the Drina by eight criteria.
DRINA = np.array(
    [
        [4184.3, 2914.0, 407.2, 251.0, 195, 244, 15, 2.41],
        [5211.9, 3630.0, 501.7, 308.3, 282, 346, 21, 1.41],
        [5021.3, 3920.5, 504.0, 278.6, 12, 56, 3, 4.42],
        [5566.1, 3957.9, 559.5, 335.3, 167, 268, 16, 3.36],
        [5060.5, 3293.5, 514.1, 284.2, 69, 90, 7, 4.04],
        [4317.9, 2925.9, 432.8, 239.3, 12, 55, 3, 4.36],
    ]
)


@pytest.mark.parametrize(
    ("weights", "utility", "regret", "q", "together"),
    [
        (
            [1, 1, 1, 1, 1, 1, 1, 1],
            [0.692, 0.700, 0.290, 0.423, 0.280, 0.346],
            [0.125, 0.125, 0.121, 0.125, 0.067, 0.125],
            [0.991, 1.000, 0.473, 0.670, 0.000, 0.578],
            [4],
        ),
        (
            [2, 2, 2, 2, 1, 1, 1, 1],
            [0.701, 0.600, 0.386, 0.365, 0.317, 0.459],
            [0.167, 0.114, 0.161, 0.167, 0.089, 0.167],
            [1.000, 0.533, 0.552, 0.563, 0.000, 0.686],
            [4],
        ),
        (
            [1, 1, 1, 1, 2, 2, 2, 2],
            [0.683, 0.800, 0.193, 0.480, 0.243, 0.232],
            [0.113, 0.167, 0.080, 0.122, 0.044, 0.083],
            [0.684, 1.000, 0.147, 0.554, 0.041, 0.191],
            [2, 4, 5],
        ),
        (
            [1, 1, 1, 1, 3.2, 3.2, 3.2, 3.2],
            [0.678, 0.857, 0.138, 0.513, 0.222, 0.167],
            [0.129, 0.190, 0.057, 0.139, 0.042, 0.060],
            [0.668, 1.000, 0.051, 0.588, 0.058, 0.078],
            [2, 4, 5],
        ),
    ],
)
def test_vikor_drina(weights, utility, regret, q, together):
    shares = np.array(weights) / np.sum(weights)
    benefit = mask("+-++---+")
    s, r = vikor.utility_and_regret(DRINA, shares, benefit)
    assert s == pytest.approx(utility, abs=1e-3)
    assert r == pytest.approx(regret, abs=1e-3)
    assert vikor.compromise(DRINA, shares, benefit) == pytest.approx(q, abs=1.5e-3)
    assert np.flatnonzero(vikor.compromise_set(DRINA, shares, benefit)).tolist() == together


# Mareschal, De Smet, Nemery: Rank reversal in the PROMETHEE II method: some new results,
# IEEM 2008, 959-963 (usual preference function).
def test_promethee_three_alternatives():
    matrix = np.array([[4.0, 3, 2], [3, 2, 4], [5, 1, 3]])
    weights, benefit = np.array([0.5, 0.3, 0.2]), mask("+++")
    by_criterion = promethee.usual_flows(matrix, benefit)
    assert by_criterion.tolist() == [[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]]
    # Published: positive flows 0.55, 0.35, 0.6 and negative flows 0.45, 0.65, 0.4.
    assert promethee.net_flow(matrix, weights, benefit) == pytest.approx([0.1, -0.3, 0.2])


# Chakraborty, Zavadskas, Antucheviciene: Applications of WASPAS method as a multi-criteria
# decision-making tool, Economic Computation and Economic Cybernetics Studies and Research
# 49(1), 2015, 5-22, example 2: ten machines for a flexible manufacturing cell.
MACHINES = np.array(
    [
        [581818, 54.49, 3, 5500],
        [595454, 49.73, 3, 4500],
        [586060, 51.24, 3, 5000],
        [522727, 45.71, 3, 5800],
        [561818, 52.66, 3, 5200],
        [543030, 74.46, 4, 5600],
        [522727, 75.42, 4, 5800],
        [486970, 62.62, 4, 5600],
        [509394, 65.87, 4, 6400],
        [513333, 70.67, 4, 6000],
    ]
)
SUM_MODEL = [0.8590, 0.8194, 0.8430, 0.9420, 0.8645, 0.8315, 0.8552, 0.8983, 0.9067, 0.8784]
PRODUCT_MODEL = [0.8578, 0.8144, 0.8408, 0.9413, 0.8632, 0.8241, 0.8454, 0.8915, 0.8987, 0.8697]
BLENDED = [0.8584, 0.8169, 0.8419, 0.9417, 0.8638, 0.8278, 0.8503, 0.8949, 0.9027, 0.8740]


def test_waspas_machine_selection():
    weights, benefit = np.array([0.467, 0.160, 0.095, 0.278]), mask("---+")
    total, product = waspas.sum_and_product(MACHINES, weights, benefit)
    assert total == pytest.approx(SUM_MODEL, abs=1e-4)
    assert product == pytest.approx(PRODUCT_MODEL, abs=1e-4)
    scores = waspas.blend(MACHINES, weights, benefit)
    assert scores == pytest.approx(BLENDED, abs=1e-4)
    assert competition_ranks(scores).tolist() == [6, 10, 8, 1, 5, 9, 7, 3, 2, 4]


# Dezert, Tchamova, Han, Tacnet: The SPOTIS rank reversal free method, FUSION 2020.
def test_spotis_first_example():
    matrix = np.array([[10.5, -3.1, 1.7], [-4.7, 0, 3.4], [8.1, 0.3, 1.3], [3.2, 7.3, -5.3]])
    bounds = np.array([[-5.0, 12], [-6, 10], [-8, 5]])
    weights, benefit = np.array([0.2, 0.3, 0.5]), mask("+-+")
    scores = spotis.distance(matrix, weights, benefit, bounds=bounds)
    assert scores == pytest.approx([0.1989, 0.3707, 0.3063, 0.7491], abs=3e-4)
    assert competition_ranks(-scores).tolist() == [1, 3, 2, 4]


def test_spotis_cars():
    matrix = np.array(
        [
            [15000, 4.3, 99, 42, 737],
            [15290, 5.0, 116, 42, 892],
            [15350, 5.0, 114, 45, 952],
            [15490, 5.3, 123, 45, 1120],
        ]
    )
    bounds = np.array([[14000.0, 16000], [3, 8], [80, 140], [35, 60], [650, 1300]])
    weights = np.array([0.2941, 0.2353, 0.2353, 0.0588, 0.1765])
    scores = spotis.distance(matrix, weights, mask("---++"), bounds=bounds)
    assert scores == pytest.approx([0.4779, 0.5781, 0.5558, 0.5801], abs=1e-4)
    assert competition_ranks(-scores).tolist() == [1, 3, 2, 4]


# Diakoulaki, Mavrotas, Papayannakis: Determining objective weights in multiple criteria
# problems: the CRITIC method, Computers & Operations Research 22(7), 1995, 763-770:
# eight pharmaceutical companies by profitability, market share and productivity.
def test_critic_weights_companies():
    matrix = np.array(
        [
            [61.0, 1.08, 4.33],
            [20.7, 0.26, 4.34],
            [16.3, 1.98, 2.53],
            [9.0, 3.29, 1.65],
            [5.4, 2.77, 2.33],
            [4.0, 4.12, 1.21],
            [-6.1, 3.52, 2.10],
            [-34.6, 3.31, 0.98],
        ]
    )
    weights = critic.critic(matrix, mask("+++"))
    assert weights == pytest.approx([0.202, 0.481, 0.317], abs=1e-3)
