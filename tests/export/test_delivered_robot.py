"""The robot that is delivered predicts as the estimate does: what was known is in it as the data corrected it."""

import numpy as np

import freefloat as ff


def test_the_exported_robot_moves_as_the_estimate_predicts(trial):
    flown = ff.draw_robot(trial, 3)
    estimate = ff.identify(trial, ff.simulate(trial, seed=1, robot=flown))
    ff.export_robot(estimate, "identified.yaml")
    delivered = ff.load_robot("identified.yaml")
    load = estimate.robot.body_names.index("load")
    own = slice(10 * load, 10 * (load + 1))
    assert np.allclose(delivered.parameters[own], estimate.parameters[own], rtol=1e-9, atol=1e-12)
    assert not np.allclose(estimate.parameters[own], trial.robot.parameters[own], rtol=1e-4)
    samples = ff.dynamics.random_states(trial.robot, 200, seed=4)
    told, predicted, usual_spread = (
        ff.dynamics.momentum_regressor(trial.robot, samples) @ phi
        for phi in (delivered.parameters, estimate.parameters, trial.robot.parameters)
    )
    assert np.abs(told - predicted).max() < 1e-3 * np.abs(usual_spread - predicted).max()
