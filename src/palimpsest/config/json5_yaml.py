"""Reads hand-written JSON5 (with json5) and YAML (with PyYAML)."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from typing import cast

from palimpsest.errors import SettingsError

MAX_VALUES = 100_000
"""In a YAML text; each use of an alias counts again."""
MAX_DEPTH = 50


def read_loose_json(text: str) -> object:
    """The value of a JSON or JSON5 text. Raises ValueError for anything else."""
    try:
        return cast("object", json.loads(text))
    except ValueError:
        import json5  # slow, so only for text that is not plain JSON

        try:
            return json5.loads(text)
        except RecursionError as error:
            raise ValueError("it is nested too deeply") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def read_yaml(text: str) -> Mapping[str, object]:
    """The mapping in a YAML text, {} for an empty text. A value with a custom tag (`!vault x`) becomes the tag.

    Raises SettingsError naming the line that cannot be read, or the limit that is exceeded.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        """Reads keys as text (plain YAML reads the key `on` as true) and creates no objects for custom tags."""

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
        raise SettingsError(f"{place} is not valid YAML: {error.problem}", hint="correct the file") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SettingsError(f"it is not valid YAML: {error}", hint="correct the file") from error
    if found is None:
        return {}
    if not isinstance(found, Mapping):
        raise SettingsError("it is not a mapping", hint="give `key: value` lines")
    return cast(
        "Mapping[str, object]", _with_text_keys(cast("object", found), iter(range(MAX_VALUES)), MAX_DEPTH)
    )


def _tag(loader: object, name: str, node: object) -> str:
    return f"!{name}"


def _with_text_keys(value: object, left: Iterator[int], depth: int) -> object:
    """A value with strings as keys. Raises SettingsError if aliases make it larger than a configuration can be."""
    if next(left, None) is None or depth == 0:
        raise SettingsError(
            f"it has more than {MAX_VALUES:,} values or {MAX_DEPTH} levels",
            hint="name a configuration file, without aliases that contain themselves",
        )
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return {str(key): _with_text_keys(inner, left, depth - 1) for key, inner in pairs}
    if isinstance(value, list):
        return [_with_text_keys(inner, left, depth - 1) for inner in cast("list[object]", value)]
    return value
