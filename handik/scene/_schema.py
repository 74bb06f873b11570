"""The schema of XML scene files, written from the words that the reader knows."""

from __future__ import annotations

from handik.scene._words import HEAD, PLACE, THINGS, Word

__all__ = ["schema"]

_TYPES = {"number": "xs:double", "flag": "xs:boolean", "texts": "xs:NMTOKENS"}


def schema() -> str:
    """Return the text of ``handik/data/scenes/scene.xsd``."""
    rows = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<!-- Scenes of handik. Lengths and angles are in the units that <scene> declares; rows of",
        "     points are parted by ';', outlines by '|'. -->",
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">',
        '  <xs:element name="scene">',
        "    <xs:complexType>",
        "      <xs:sequence>",
        '        <xs:element ref="object" minOccurs="0" maxOccurs="unbounded"/>',
        "      </xs:sequence>",
        '      <xs:attribute name="format" use="required" fixed="handik scene 1"/>',
        '      <xs:attribute name="name" type="xs:string"/>',
    ]
    for key, choices in HEAD.items():
        rows += [f'      <xs:attribute name="{key}">', "        <xs:simpleType>"]
        rows.append('          <xs:restriction base="xs:string">')
        rows += [f'            <xs:enumeration value="{word}"/>' for word in choices]
        rows += ["          </xs:restriction>", "        </xs:simpleType>", "      </xs:attribute>"]
    rows += [
        "    </xs:complexType>",
        "  </xs:element>",
        '  <xs:element name="object">',
        "    <xs:complexType>",
        "      <xs:sequence>",
        '        <xs:choice minOccurs="0">',
    ]
    for kind, words in THINGS.items():
        rows += _thing(kind, words)
    rows += [
        "        </xs:choice>",
        '        <xs:element ref="object" minOccurs="0" maxOccurs="unbounded"/>',
        "      </xs:sequence>",
        '      <xs:attribute name="name" type="xs:string" use="required"/>',
        *(_attribute(key, word, "      ") for key, word in PLACE.items()),
        "    </xs:complexType>",
        "  </xs:element>",
        "</xs:schema>",
    ]
    return "\n".join([*rows, ""])


def _thing(kind: str, words: dict[str, Word]) -> list[str]:
    rows = [f'          <xs:element name="{kind}">', "            <xs:complexType>"]
    for key, word in words.items():
        if key == "*":
            rows.append('              <xs:anyAttribute processContents="skip"/>')
        else:
            rows.append(_attribute(key, word, "              "))
    rows.sort(key=lambda row: "anyAttribute" in row)  # stands last
    return [*rows, "            </xs:complexType>", "          </xs:element>"]


def _attribute(key: str, word: Word, space: str) -> str:
    use = ' use="required"' if word.needed else ""
    kind = _TYPES.get(word.form, "xs:string")
    return f'{space}<xs:attribute name="{key}" type="{kind}"{use}/>'
