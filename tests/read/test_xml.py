"""Hostile, torn and odd XML is refused with its line; sound XML is read whole."""

from __future__ import annotations

import re
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handik.errors import MissingFileError, ReadError
from handik.files.read._collector import no_collection
from handik.files.read._xml import (
    Limits,
    number,
    numbers,
    open_document,
    parse,
)

BILLION_LAUGHS = (
    '<?xml version="1.0"?>\n<!DOCTYPE lolz [\n<!ENTITY a0 "lol">\n'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">\n' for i in range(1, 10))
    + "]>\n<robot>&a9;</robot>"
)
QUADRATIC = f'<!DOCTYPE r [<!ENTITY a "{"x" * 50_000}">]><r>{"&a;" * 50_000}</r>'
EXTERNAL = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>'
PARAMETER = '<!DOCTYPE r [<!ENTITY % p SYSTEM "http://localhost:1/x.dtd"> %p;]><r/>'
OUTSIDE_DTD = '<!DOCTYPE r SYSTEM "file:///etc/passwd"><r/>'


@pytest.mark.parametrize(
    "bomb",
    [BILLION_LAUGHS, QUADRATIC, EXTERNAL, PARAMETER, OUTSIDE_DTD, "<!DOCTYPE r><r/>"],
    ids=["laughs", "quadratic", "external", "parameter", "dtd", "bare"],
)
def test_any_doctype_is_refused(bomb):
    with pytest.raises(ReadError, match="DOCTYPE is refused") as caught:
        parse(bomb)
    assert caught.value.line is not None


def test_billion_laughs_is_refused_at_the_doctype_and_not_after_it():
    with pytest.raises(ReadError) as caught:
        parse(BILLION_LAUGHS)
    assert caught.value.line == 2  # where the DOCTYPE opens: nothing of it was expanded


def test_undeclared_entities_are_refused():
    with pytest.raises(ReadError, match="undefined entity"):
        parse("<r>&boom;</r>")


def test_depth_limit():
    def nested(depth):
        return "<a>" * depth + "</a>" * depth

    assert parse(nested(256)).tag == "a"
    with pytest.raises(ReadError, match="deeper than 256"):
        parse(nested(257))
    assert parse(nested(300), limits=Limits(depth=300)).tag == "a"
    with pytest.raises(ReadError, match="deeper than 256"):
        parse("<a>" * 1_000_000)


def test_node_limit_counts_elements_and_attributes():
    text = "<r>" + '<a x="1"/>\n' * 10 + "</r>"
    assert len(parse(text, limits=Limits(nodes=21)).children) == 10
    with pytest.raises(ReadError, match="more than 20 elements") as caught:
        parse(text, limits=Limits(nodes=20))
    assert caught.value.line == 10


def test_size_limit(tmp_path):
    path = tmp_path / "big.urdf"
    path.write_text("<r>" + " " * 1000 + "</r>")
    for source in (path, path.read_text(), path.read_bytes()):
        with pytest.raises(ReadError, match="limit of 1000 bytes"):
            parse(source, limits=Limits(size=1000))
        assert parse(source, limits=Limits(size=1007)).tag == "r"


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(MissingFileError, match="no such file") as caught:
        parse(tmp_path / "none.urdf")
    assert isinstance(caught.value, FileNotFoundError)
    with pytest.raises(ReadError, match="it is a folder"):
        parse(tmp_path)
    with pytest.raises(ReadError, match="cannot be read"):
        parse("a\0b")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<a>\n<b>\n</a>", 3),
        ("<a>\n<b", 2),
        ("<a>\n</a>\n<b/>", 3),
        ('<a x="1"\n x="2"/>', 2),
        ("<a>\n&#0;</a>", 2),
        ("<a>", 1),
        (b"", 1),
        (b"plain words", 1),
        (b"<a>\xff</a>", 1),
    ],
)
def test_malformed_documents_are_refused_with_the_line(text, line):
    with pytest.raises(ReadError, match="not well-formed") as caught:
        parse(text)
    assert caught.value.line == line


SOUND = '<robot name="r">\n <link name="a"> 1 <x/> 2 </link>\n <link name="b"/>\n</robot>'


@pytest.mark.parametrize("cut", range(1, len(SOUND)))
def test_every_truncation_is_refused(cut):
    with pytest.raises(ReadError):
        parse(SOUND[:cut].encode())


def test_tree_lines_text_and_walk():
    root = parse(SOUND)
    assert [element.line for element in root.walk()] == [1, 2, 2, 3]
    assert [element.tag for element in root.walk()] == ["robot", "link", "x", "link"]
    assert root.children[0].content.split() == ["1", "2"]
    assert root.find("link") is root.children[0]
    assert root.find("none") is None
    assert len(root.find_all("link")) == 2
    with pytest.raises(ReadError, match='<text>:3: <link name="b">: the element <x> is missing'):
        root.children[1].need_child("x")


def test_text_in_pieces_keeps_its_blanks():
    # Longer than expat's buffer, with a run of blanks that fills one whole piece of it.
    body = "1" + " " * 30_000 + "2<b/>3"
    assert parse(f"<a>{body}</a>").content.split() == ["1", "23"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "windows-1252", "koi8-r"])
def test_encodings_of_bytes_are_those_declared(encoding):
    word = "д" if encoding == "koi8-r" else "é"
    data = f'<?xml version="1.0" encoding="{encoding}"?><a name="{word}"/>'.encode(encoding)
    assert parse(data).attributes["name"] == word


def test_a_str_is_read_whatever_it_declares():
    assert parse('<?xml version="1.0" encoding="utf-16"?><a name="é"/>').attributes["name"] == "é"
    assert parse('\ufeff<a name="é"/>').attributes["name"] == "é"


@pytest.mark.parametrize("encoding", ["no-such", "utf-7", "base64", "shift_jis"])
def test_encodings_that_cannot_be_read(encoding):
    with pytest.raises(ReadError):
        parse(f'<?xml version="1.0" encoding="{encoding}"?><a x="+AGE-"/>'.encode())


def test_lone_surrogates_are_refused():
    with pytest.raises(ReadError, match="not Unicode"):
        parse('<a name="\ud800"/>')


@pytest.mark.parametrize(
    ("word", "value"),
    [("1", 1.0), ("-.5", -0.5), ("+1.e-3", 1e-3), ("1E5", 1e5), ("0010", 10.0), ("1e-999", 0.0)],
)
def test_numbers_taken(word, value):
    assert number(word) == value


@pytest.mark.parametrize(
    "word",
    [
        "nan", "NaN", "inf", "-Infinity", "1e999", "-1e400", "0x10", "1_0", "1,5", "1d3", "one",
        "", ".", "e5", "--1", "1-", "١", "１", "1 2", "0b1", "1j", "1f", "½", "1" * 500,
    ],
)  # fmt: skip
def test_numbers_refused(word):
    with pytest.raises(ValueError, match="not a finite decimal number"):
        number(word)
    root = parse(f'<a x="{word}"/>')
    with pytest.raises(ReadError) as caught:
        root.number("x")
    assert caught.value.line == 1
    with pytest.raises(ReadError):
        root.numbers("x", 1)


def test_numbers_in_a_row():
    assert numbers("1 2\t3\n4", 4) == [1, 2, 3, 4]
    assert numbers("", 0) == []
    with pytest.raises(ValueError, match="3 numbers expected"):
        numbers("1 2", 3)
    with pytest.raises(ValueError, match="xacro"):
        numbers("${x}")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_comes_back_exactly(value):
    assert number(repr(value)) == value


@given(st.text(alphabet="0123456789+-.eExXnaifINF_, ", max_size=12))
def test_number_takes_nothing_that_a_decimal_pattern_refuses(word):
    pattern = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
    try:
        number(word)
    except ValueError:
        fits = re.fullmatch(pattern, word, re.ASCII)
        assert fits is None or abs(float(word)) == float("inf")
    else:
        assert re.fullmatch(pattern, word.strip(), re.ASCII)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda t: f"<a>{t}</a>".encode()))
def test_any_bytes_give_a_tree_or_the_named_error(data):
    try:
        root = parse(data)
    except ReadError:
        return
    assert root.tag


def test_children_handed_over_one_by_one_know_their_lines():
    text = "<robot>\n" + "".join(f'<a n="{i}"><b\nx="1"/></a>\n' for i in range(200)) + "</robot>"
    seen = []

    def each(child, number):
        seen.append((number, child.get("n"), child.line, child.find("b").line))

    root = parse(text, each=each)
    assert len(root) == 0
    assert seen == [(i, str(i), 2 * i + 2, 2 * i + 2) for i in range(200)]
    assert root.document.line_of_child(150) == 302


def test_a_malformed_end_is_refused_whatever_else_is_amiss():
    def each(child, number):
        raise ReadError("amiss")

    with pytest.raises(ReadError, match="not well-formed"):
        parse("<robot>" + "<a/>" * 200, each=each)
    with pytest.raises(ReadError, match="deeper than 256"):
        parse("<robot>" + "<a>" * 300 + "</a>" * 300 + "</robot>", each=lambda *_: None)


def test_a_document_is_freed_without_the_collector():
    document = open_document("<a><b/></a>")
    gone = weakref.ref(document)
    with no_collection():
        document.tree(False, None, plain=True)
        document.scan()
        del document
        assert gone() is None
