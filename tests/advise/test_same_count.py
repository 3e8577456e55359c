from advise_builders import configuration

from equipoise.advise.same_count import best_pairs, same_count, same_count_words

H100, H200 = "h100-sxm5-80gb", "h200-sxm5-141gb"


def of(name, minutes, n=8, **more):
    return configuration(minutes, n, accelerator_id=name, **more)


def test_the_best_of_the_newest_round_that_has_both_and_no_two_rounds_mixed():
    pool = [
        of(H100, 30.0, round="v4.0"),
        of(H200, 20.0, round="v4.0"),
        of(H100, 12.0, round="v4.1", submitter="slow"),
        of(H100, 10.0, round="v4.1", submitter="fast"),
        of(H200, 8.0, round="v4.1"),
        of(H100, 5.0, 16, round="v4.1"),
        of(H200, 4.0, 16, round="v4.0"),
    ]
    ((one, other),) = best_pairs(pool, H100, H200)
    assert (one.time_to_train_min, one.submitter, other.time_to_train_min) == (10.0, "fast", 8.0)
    a, b = of(H100, 2.0, 64, round="v4.1"), pool[4]
    (row,) = same_count([a, *pool], a, b)
    assert (row.accelerators, row.round, row.time_ratio) == (8, "v4.1", 1.25)
    assert "1.25 times as long as the best 8 x h200" in same_count_words([row], a, b)


def test_nothing_is_said_of_one_accelerator_or_of_a_pair_that_is_at_one_count_already():
    a, b = of(H100, 10.0), of(H200, 8.0)
    assert same_count([a, b], a, of(H100, 9.0)) == ()
    assert same_count_words(same_count([a, b], a, b), a, b) == ""
    assert same_count_words((), a, b) == ""
