"""What is claimed of all that may be wrong: what saves most, with what the data do not tell from it.

An alternative is believed if chance hardly saves so much, and claimed if it also explains most of what noise does not.
What saves much but explains little is something else: then nothing is claimed, and that is said. A line in a spectrum,
which must be the best of very many, is worth a doubt long before it is believed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import gammaln
from scipy.stats import chi2

from freefloat.estimate.cause import Cause
from freefloat.estimate.causes.alternatives import Alternative
from freefloat.estimate.causes.score import FittedRows

RIVALS = 25.0  # difference of savings that does not tell two alternatives apart
NONE = "none"  # kind of a cause that says that something is there, and none of those that have a name
CHANCE = 1e-5  # probability that chance saves so much
_DOUBT = 0.01  # probability, for all of a sensor's spectrum, below which a line makes one doubt
_EXPLAINS = 0.5  # of what is beyond noise
_NOISY = 3.0  # standard deviations of the cost of noise alone
_NEAR, _CLOSE, _REFITTED = 100.0, 0.7, 3  # savings that are fitted anew, if others save nearly as much; how many
_FAR_OUT = 1000.0  # savings beyond which the leading term of their chance is all that counts
_PRICE = 2.0  # of each further unknown (H. Akaike, 1974)
_NONE_OF_THEM = (
    "the data hold more than noise that the model does not explain, and no single mistake that is looked for explains "
    "most of it"
)


@dataclass(frozen=True, slots=True)
class Suspected:
    """What is claimed, the best first; more than one where the data do not tell which.

    Of something that is there, and that nothing with a name explains, the one cause is of kind `none`.
    strange: whether something is there, be it claimed or not.
    """

    causes: tuple[Cause, ...] = ()
    strange: bool = False

    @property
    def named(self) -> tuple[Cause, ...]:
        """Causes that have a name."""
        return tuple(cause for cause in self.causes if cause.kind != NONE)


NOTHING = Suspected()


def worth(alternative: Alternative) -> float:
    """What it saves less the price of its unknowns.

    A line, which has many and may be anywhere, is worth what one unknown is that saves as much by as rare a chance.
    """
    score = alternative.score
    if alternative.kind == "oscillation" and score.gain > 0.0:
        rare = -2.0 * _log_chance(score.gain, max(score.count, 1))
        return rare - float(np.log(max(0.5 * np.pi * rare, 1.0))) - _PRICE  # chi-square of one, far out
    return score.gain - _PRICE * score.count


def _log_chance(gain: float, count: int) -> float:
    """Logarithm of the probability that so many unknowns save as much by chance, also where that is no number."""
    if gain < _FAR_OUT:
        return float(chi2.logsf(gain, count))
    half = 0.5 * count
    return (half - 1.0) * float(np.log(0.5 * gain)) - 0.5 * gain - float(gammaln(half))


def is_beyond_chance(alternative: Alternative) -> bool:
    """Whether chance hardly saves so much."""
    return alternative.score.gain > _by_chance(alternative.score.count)


@cache
def _by_chance(count: int) -> float:
    """What so many unknowns hardly save by chance."""
    return float(chi2.isf(CHANCE, max(count, 1)))


def contenders(tried: Sequence[Alternative]) -> list[Alternative]:
    """Alternatives of which one saves so much that it is not near any more, and that linear terms do not tell apart."""
    strange = sorted((each for each in tried if is_beyond_chance(each)), key=worth, reverse=True)
    if not strange or worth(strange[0]) < _NEAR:
        return []
    return [each for each in strange[:_REFITTED] if worth(each) > _CLOSE * worth(strange[0])]


def claims(tried: Sequence[Alternative], fit: FittedRows) -> Suspected:
    """What is claimed of alternatives to a fit."""
    strange = [each for each in tried if is_beyond_chance(each)]
    if not strange:
        return Suspected(tuple(_doubts(tried))[:1])
    excess = fit.cost - fit.r.size - _NOISY * float(np.sqrt(2.0 * fit.r.size))
    best = max(map(worth, strange))
    named = [each for each in strange if worth(each) > best - RIVALS and each.score.gain > _EXPLAINS * excess]
    causes = tuple(_cause(each, excess) for each in sorted(named, key=worth, reverse=True))
    return Suspected(causes or (_none(_NONE_OF_THEM),), True)


def _doubts(tried: Sequence[Alternative]) -> Iterator[Cause]:
    """Lines that are too weak to be believed, and too strong for chance to be likely."""
    for each in sorted(tried, key=worth, reverse=True):
        if each.kind == "oscillation" and each.score.gain > float(chi2.isf(_DOUBT, max(each.score.count, 1))):
            yield _none(
                f"something at {each.name} is more than noise, or chance, which shows as much once in 100 flights"
            )


def _none(what: str) -> Cause:
    return Cause(NONE, "", what, np.nan, np.nan, np.nan)


def _cause(each: Alternative, excess: float) -> Cause:
    score = each.score
    alone = score.amount.size == 1
    return Cause(
        kind=each.kind,
        name=each.name,
        what=each.what(score.amount),
        amount=float(score.amount[0]) if alone else np.nan,
        sd=float(score.sd[0]) if alone else np.nan,
        share=score.gain / max(excess, score.gain, 1e-300),
        gain=score.gain,
        cure=each.cure,
        swings=each.swings,
    )


def in_words(causes: Sequence[Cause]) -> str:
    """What is claimed, in one sentence: cause, evidence, what to do."""
    first, *others = causes
    what = first.what + "".join(f", or that {cause.what}" for cause in others)
    which = " (the data do not tell which)" if others else ""
    share = f"; this explains {100.0 * first.share:.0f} % of what noise does not" if np.isfinite(first.share) else ""
    cure = "; or ".join(dict.fromkeys(cause.cure for cause in causes if cause.cure))
    return f"it seems that {what}{which}{share}: {cure}" if cure else f"it seems that {what}{which}{share}"
