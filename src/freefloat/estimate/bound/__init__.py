"""The Cramér-Rao bound: how accurate the parameters can become at best."""
