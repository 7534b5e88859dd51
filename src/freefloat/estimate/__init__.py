"""From samples to parameters, with honest uncertainty: the problem, the estimators, the bound, the model given back."""
