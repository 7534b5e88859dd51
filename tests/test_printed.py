"""Results print as people read them, not as data structures."""

import freefloat as ff


def test_each_result_prints_in_a_few_words(trial):
    flight = ff.simulate(trial, seed=1)
    estimate = ff.identify(trial, flight)
    assert repr(trial.robot) == "<Robot servicer: free base, 8 bodies, 7 joints, 3 wheels, 238.3 kg>"
    assert repr(trial) == f"<Mission trial: {trial.robot!r}, sensors joints, gyro, wheels>"
    assert repr(flight) == "<Recording, simulated: q 6001 × 7, gyro 6001 × 3, wheel 601 × 3>"
    assert repr(estimate) == "<Estimate of servicer by maximum-likelihood: 52 clusters, good>"
    lines = str(estimate).splitlines()
    assert lines[0] == "servicer  maximum-likelihood · 52 clusters of momentum · good"
    assert lines[5].split()[:2] == ["Ixx_base", "+"]
    value, sd = estimate.value("Ixx_base")
    assert f"{value:.5g} ± {1.96 * sd:.2g}" in lines[5]
    assert len(lines) == 1 + 52 + 1
