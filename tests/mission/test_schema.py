"""The schema of mission files: an editor that completes a field says what it is."""

from freefloat.mission.sections import mission_schema


def fields():
    """Every field that a file may give, by section and name, but for kinds with one value."""
    schema = mission_schema()
    for section, found in (("mission", schema), *schema["$defs"].items()):
        for name, field in found.get("properties", {}).items():
            if "const" not in field:
                yield f"{section}.{name}", field


def test_every_field_says_what_it_is():
    described = dict(fields())
    assert len(described) > 300
    assert not [name for name, field in described.items() if not field.get("description", "").strip()]
