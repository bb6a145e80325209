"""What is no YAML of a configuration is refused, with what is wrong with it."""

from __future__ import annotations

import pytest

from palimpsest.config.json5_yaml import read_yaml
from palimpsest.errors import SettingsError


@pytest.mark.parametrize(
    "text, said",
    [
        ('a: 1\nb: "two\nc: 3\n', "line 2 is not valid YAML: found unexpected end of stream"),
        ("compression:\n\tthreshold: 0.5\n", "line 2 is not valid YAML"),
        ("a: &a\n  b: *a\n", "aliases that contain themselves"),
        ("a: *none\n", "line 1 is not valid YAML: found undefined alias"),
        ("x: 1\n---\ny: 2\n", "found another document"),
        ("- a\n- b\n", "it is not a mapping"),
        ("[" * 3000, "it is not valid YAML"),
        ("a: \x00", "it is not valid YAML"),
    ],
)
def test_what_is_no_yaml_of_a_configuration_is_refused_with_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_yaml(text)
    assert said in f"{caught.value.message} {caught.value.hint}"


def test_aliases_that_multiply_are_refused_before_they_fill_the_memory() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    with pytest.raises(SettingsError, match="more than 100,000 values"):
        read_yaml("\n".join(lines))


def test_keys_are_texts_as_they_are_written() -> None:
    assert read_yaml("on: 1\n1: 2\n~: yes\n") == {"on": 1, "1": 2, "~": True}
    assert read_yaml("") == {}
