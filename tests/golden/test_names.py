"""Every registered name gives the numbers that it gave when its version was last raised."""

import pytest

from golden.names import LAST_BITS_DIFFER, WITHOUT, built_in, digests, examples, stored

STORED = stored()
REMEDY = (
    "if that is meant, run `python tests/golden/names.py` and raise the version of the name, "
    "because stored results with it are stale"
)


def test_every_registered_name_has_an_example():
    with_numbers = {(one.kind, one.name) for one in built_in() if one.kind != "drawing"}
    assert {(one.kind, one.name) for one in examples()} | set(WITHOUT) == with_numbers


def test_the_file_has_the_examples_and_no_others():
    assert list(STORED) == [one.key for one in examples()]


def test_what_is_said_of_bits_is_said_of_an_example():
    said = {key for key in LAST_BITS_DIFFER if key[2] != "linear"}
    assert said <= {(one.kind, one.name, one.of) for one in examples()}


@pytest.mark.parametrize("example", examples(), ids=lambda one: " ".join(one.key))
def test_a_name_gives_its_numbers(example):
    if example.missing_data:
        pytest.skip(
            f"set LOSAW_DATA to the folder of the real data; missing: {example.missing_data}"
        )
    rounded, bits = digests(example.values())
    stored_rounded, stored_bits = STORED[example.key]
    assert rounded == stored_rounded, f"{example.kind} {example.name} moved; {REMEDY}"
    if example.has_fixed_bits:
        assert bits == stored_bits, (
            f"{example.kind} {example.name} moved in its last bits; {REMEDY}"
        )
