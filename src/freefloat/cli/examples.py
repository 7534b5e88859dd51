"""Lines to try, shown at the end of each verb's help. In this order, they are one piece of work."""

from __future__ import annotations

EXAMPLES = {
    "new": ("freefloat new trial", "freefloat new mine --urdf my.urdf"),
    "inspect": (
        "freefloat inspect servicer.yaml",
        "freefloat inspect servicer.yaml --model angular-momentum --known load",
        "freefloat inspect my.urdf --base fixed --json",
    ),
    "schema": ("freefloat schema mission > mission.schema.json",),
    "draw": ("freefloat draw trial.yaml --seed 7 -o flown.yaml",),
    "design": (
        "freefloat design trial.yaml -o motion.json",
        "freefloat design trial.yaml --starts 1 --shakes 0 -o quick.json",
    ),
    "front": ("freefloat front arm.yaml --weights 0,0.1,0.3 --starts 8",),
    "sweep": (
        "freefloat sweep trial.yaml --over load.mass_kg=5:60:8",
        "freefloat sweep trial.yaml --over rate_Hz=1:50:6:log -o rates.html",
    ),
    "perturb": (
        "freefloat perturb trial.yaml --excitation motion.json",
        "freefloat perturb trial.yaml --levels 0.001,0.01 --draws 50 --json",
    ),
    "simulate": (
        "freefloat simulate trial.yaml --excitation motion.json -o flight.parquet",
        "freefloat simulate trial.yaml --seed 2 -o unseen.parquet",
        "freefloat simulate trial.yaml --robot flown.yaml --runs 3 -o flights",
    ),
    "data": ("freefloat data flight.parquet", "freefloat data flight.parquet --plot flight.html"),
    "identify": (
        "freefloat identify trial.yaml flight.parquet -o found.json",
        "freefloat identify trial.yaml flight.parquet --method least-squares --json",
        "freefloat identify trial.yaml flight.parquet --history 4 --plot grown.html",
    ),
    "validate": (
        "freefloat validate trial.yaml found.json unseen.parquet",
        "freefloat validate trial.yaml found.json unseen.parquet --plot page.html",
        "freefloat validate trial.yaml found.json --random 100 --robot flown.yaml",
    ),
    "export": (
        "freefloat export found.json -o identified.urdf",
        "freefloat export found.json --robot found.yaml --controller found.c",
    ),
    "mass": (
        "freefloat mass found.json",
        "freefloat mass --force-N 10 --duration-s 2 --velocity-change-m-s 0.094",
    ),
    "target": (
        "freefloat target trial.yaml flight.parquet --body load",
        "freefloat target trial.yaml flight.parquet --on load --json",
    ),
    "change": ("freefloat change trial.yaml unseen.parquet --before flight.parquet --on load",),
    "run": (
        "freefloat run trial.yaml -o trial.run",
        "freefloat run trial.yaml --recording flight.parquet -o own.run",
    ),
    "report": ("freefloat report trial.run -o report.html",),
    "campaign": (
        "freefloat campaign trial.yaml --runs 100 -o trial.campaign",
        "freefloat campaign trial.yaml --methods weighted,kalman -o both.campaign",
    ),
    "reproduce": ("freefloat reproduce christidi", "freefloat reproduce all -o figures.json"),
}


def examples_of(verb: str) -> str:
    """The end of a verb's help."""
    lines = EXAMPLES[verb]
    return "\n".join([f"Example{'s' * (len(lines) > 1)}:", *(f"$ {line}" for line in lines)])
