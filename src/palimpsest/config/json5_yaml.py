"""Texts that are written by hand, as well-kept libraries read them: JSON5 by json5, YAML by PyYAML."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from typing import cast

from palimpsest.errors import SettingsError

MAX_VALUES = 100_000
"""In a YAML text, with each one counted again wherever an alias names it."""
MAX_DEPTH = 50


def read_loose_json(text: str) -> object:
    """The value of a JSON or JSON5 text: comments, trailing commas, keys without quotes, single quotes.

    Raises ValueError for anything else.
    """
    try:
        return _read(text)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def _read(text: str) -> object:
    try:
        return cast("object", json.loads(text))
    except ValueError:
        import json5  # slow, and so only for what is no plain JSON

        return json5.loads(text)


def read_yaml(text: str) -> Mapping[str, object]:
    """The mapping of a YAML text, {} of an empty one; a value under a tag of its own (`!vault x`) is the tag.

    Raises SettingsError naming the line that cannot be read, or what of it is too much.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        """Takes keys as they are written (YAML takes `on:` for a truth), and makes no objects of unknown tags."""

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, object]:
            self.flatten_mapping(node)
            for key, _ in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
                if isinstance(key, yaml.ScalarNode):
                    key.tag = "tag:yaml.org,2002:str"
            return super().construct_mapping(node, deep)

    Loader.add_multi_constructor("!", _tag)  # pyright: ignore[reportUnknownMemberType]  (types-PyYAML has no type)
    try:
        found: object = yaml.load(text, Loader)  # noqa: S506  (a safe loader)
    except yaml.MarkedYAMLError as error:
        mark = error.context_mark or error.problem_mark
        place = f"line {mark.line + 1}" if mark is not None else "the file"
        raise SettingsError(f"{place} is no YAML: {error.problem}", hint="correct the file") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SettingsError(f"it is no YAML: {error}", hint="correct the file") from error
    if found is None:
        return {}
    if not isinstance(found, Mapping):
        raise SettingsError("it holds no mapping", hint="give `key: value` lines")
    made = _plain(cast("object", found), iter(range(MAX_VALUES)), MAX_DEPTH)
    return cast("Mapping[str, object]", made)


def _tag(loader: object, name: str, node: object) -> str:
    return f"!{name}"


def _plain(value: object, left: Iterator[int], depth: int) -> object:
    """A value whose keys are texts. Raises SettingsError for one that aliases make larger than a configuration is."""
    if next(left, None) is None or depth == 0:
        raise SettingsError(
            f"it holds more than {MAX_VALUES:,} values, or a nesting of more than {MAX_DEPTH}",
            hint="it is no configuration, or an alias names what it stands in",
        )
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return {str(key): _plain(inner, left, depth - 1) for key, inner in pairs}
    if isinstance(value, list):
        return [_plain(inner, left, depth - 1) for inner in cast("list[object]", value)]
    return value
