"""Campaigns: one mission flown and identified thousands of times; how right, how certain, how honest its estimates are.

    campaign = run_campaign(mission, runs=2500, methods=("least-squares", "maximum-likelihood"), directory="n1")
    print(campaign.summary().settings[0].methods[1].coverage)

Every run has its own noise and its own CAD model, drawn around the true robot as far as the mission says that one can
be trusted (`settings.py`), is identified by every method (`runs.py`), and becomes rows of a table: Parquet parts in a
directory (`parts.py`) beside a manifest that says what they are (`manifest.py`). What is in a row depends on the seed
and the number of the run alone. Runs are made in processes (`workers.py`) or on a cluster (`on_dask.py`); a campaign
that was ended at any instant goes on from its finished parts. What it says is in `summary.py`.
"""
