"""What a request points at in results is the piece of a line that gives a value to what it names."""

from __future__ import annotations

import pytest

from palimpsest.summarize.pointed import pointed_at


@pytest.mark.parametrize(
    "request_text, line, pieces",
    [
        (
            "Find a font that suits the template.",
            "Bleed 3 mm, profile FOGRA39, template 7.42",
            ["template 7.42"],
        ),
        (
            "Such eine Schrift, die zur Vorlage passt.",
            "Beschnitt 3 mm, Profil FOGRA39, Vorlage 7.42",
            ["Vorlage 7.42"],
        ),
        ("Find toner that fits the firmware.", '{"printer": "P-88", "firmware": "5.07"}', ["firmware: 5.07"]),
        ("帮我找一个适合模板的字体。", "出血: 3 毫米, 模板: 7.42", ["模板: 7.42"]),
        (
            "テンプレートに合うフォントを探してください。",
            "塗り足し: 3 mm、テンプレート: 7.42",
            ["テンプレート: 7.42"],
        ),
        ("Write the caption now.", "Bleed 3 mm, profile FOGRA39, template 7.42", []),
        ("Use template 7.42.", "template 7.42", []),
        ("Mend the command.", "const command = text.slice(1).trim()", []),
        ("Write about the last page.", "page 210\npage 188\npage 240\npage 199", []),
        ("Take the newest template.", "template 7.41\ntemplate 7.42", ["template 7.42"]),
    ],
)
def test_a_piece_with_a_value_is_pointed_at_by_a_word_of_its_name(
    request_text: str, line: str, pieces: list[str]
) -> None:
    assert pointed_at(request_text, line.splitlines()) == pieces
