"""The mission file, and the verbs over it: read this first.

A mission says which robot, what is known of it, which sensors it carries, how it moves (`mission_file.py`, and
`sections.py` for what the file may say). Every verb takes the mission and returns one frozen result:

    mission = load_mission("n1.yaml")
    excitation = design(mission)                # an Excitation: the motion that reveals the most
    flight = simulate(mission, excitation, seed=1)  # a Recording, as a real flight would give
    estimate = identify(mission, flight, motion=excitation)  # an Estimate: values, intervals, what they are made of
    print(validate(mission, estimate, other))   # a Validation: whether it predicts another flight
"""
