"""The best predicted accuracy of N1 known: of 64 seeded starts. What it prints is a constant of bench_excitation.py."""

from __future__ import annotations

from freefloat.excitation.finding import find_excitation
from freefloat.studies.catalogue import study_robot
from freefloat.studies.spirolazzi.plans import n1_plan

STARTS, SEED = 64, 100

if __name__ == "__main__":
    found = find_excitation(n1_plan(study_robot("spirolazzi_n1")), starts=STARTS, seed=SEED, shakes=0)
    print(f"best of {STARTS} starts, seed {SEED}: {found.value:.6f}, {found.how.seconds:.0f} s, {found.how.iterations}")
    print("all:", *(f"{value:.4f}" for value in sorted(found.how.values)))
