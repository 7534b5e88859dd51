"""What a program printed against what a text shows of it, as a reader would compare them.

`…` in the text stands for anything, also for lines. Spaces do not matter, and numbers may differ by a little: searches
end differently on other machines.
"""

import re

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.]*\w)")
RELATIVE = 0.05


def alike(printed, shown):
    """Whether words are the same, whatever the spaces, and numbers nearly so; without anything shown, all is well."""
    found, said = tokens(printed), tokens(shown)
    reached = {0}  # how many tokens of what was printed are accounted for
    for token in said:
        if token == "…":
            reached = set(range(min(reached), len(found) + 1))
        else:
            reached = {place + 1 for place in reached if place < len(found) and near(found[place], token)}
        if not reached:
            return False
    return not said or len(found) in reached


def tokens(text):
    return [part for word in text.split() for part in re.split(f"(…|{NUMBER.pattern})", word) if part]


def near(found, said):
    """The same word, or a number within a part of it, or one in the last digit that is shown."""
    if not (NUMBER.fullmatch(found) and NUMBER.fullmatch(said)):
        return found == said
    digits = len(said.partition("e")[0].partition(".")[2])
    exponent = int(said.partition("e")[2] or 0)
    return abs(float(found) - float(said)) <= max(RELATIVE * abs(float(said)), 1.001 * 10.0 ** (exponent - digits))
