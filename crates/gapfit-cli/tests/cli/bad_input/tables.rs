//! Tables that cannot be learnt from.

use super::super::holey;
use super::{Case, text};

const FIT: &str = "fit t.csv --target y -o o";

fn utf16(text: &str) -> Vec<u8> {
    let units = text.encode_utf16().flat_map(u16::to_le_bytes);
    [0xFF, 0xFE].into_iter().chain(units).collect()
}

/// A header of so many columns, and three rows of so many cells, each third one empty.
fn wide(columns: usize, cells: usize) -> Vec<u8> {
    let header: Vec<String> = (0..columns).map(|j| format!("c{j}")).collect();
    let cell = |i: usize, j: usize| if j % 3 == i + 1 { "" } else { "1" };
    let row = |i: usize| (0..cells).map(|j| cell(i, j)).collect::<Vec<_>>().join(",");
    let rows = [0, 1, 2].map(row).join("\n");
    text(&format!("{}\n{rows}\n", header.join(",")))
}

/// Rows of text in the first column, numbers in the others.
fn named(cell: impl Fn(usize) -> String) -> Vec<u8> {
    let rows = (0..60).map(|i| format!("{},{},{}\n", cell(i), i % 7, i % 5));
    text(&format!("n,x,y\n{}", rows.collect::<String>()))
}

pub(super) fn tables() -> Vec<Case> {
    let bytes = |bytes: &[u8]| bytes.to_vec();
    vec![
        Case(
            text(&holey(20)),
            "fit t.csv --target z -o o",
            1,
            "expected the target column \"z\"",
        ),
        Case(
            text(&holey(20)),
            "fit t.csv --target Y -o o",
            1,
            "did you mean \"y\"?",
        ),
        Case(
            text(&holey(20)),
            "fit t.csv --target y,a,y -o o",
            1,
            "expected different columns for target and target",
        ),
        Case(
            text(&holey(20)),
            "fit t.csv --target y,z -o o",
            1,
            "expected the target column \"z\"",
        ),
        Case(
            text(&holey(20)),
            "fit t.csv --target y, -o o",
            1,
            "expected the target column \"\"",
        ),
        Case(
            named(|i| ["red", "blue"][i % 2].to_owned()),
            "fit t.csv --target y,n -o o",
            1,
            "hint: many targets: numbers only",
        ),
        Case(
            text(&holey(20)),
            "fit t.csv --target y,a --task classification -o o",
            1,
            "--target: expected one column for classification, got 2",
        ),
        Case(
            text(&holey(20)),
            "compare t.csv --target y,a --loss huber=1",
            1,
            "--loss: expected squared with several targets, got huber=1",
        ),
        Case(
            bytes(b""),
            FIT,
            1,
            "expected a header line, got an empty file",
        ),
        Case(bytes(b"\n\n \n"), FIT, 1, "t.csv"),
        Case(
            bytes(b"x,y\n"),
            FIT,
            1,
            "expected rows after the header, got none",
        ),
        Case(bytes(b"x,y\n1,2\n"), FIT, 1, "--folds: expected at least 2"),
        Case(
            (0..=255).cycle().take(4000).collect(),
            FIT,
            1,
            "got binary data",
        ),
        Case(
            bytes(b"PAR1\x15\x04\x15"),
            FIT,
            1,
            "expected a whole Parquet file, got a damaged or truncated one",
        ),
        Case(
            bytes(b"ARROW1\0\0\xFF\xFF\xFF\xFF\x10\0\0\0"),
            FIT,
            1,
            "expected a whole Arrow file",
        ),
        Case(
            bytes(b"\xFF\xFF\xFF\xFF\x10\0\0\0abc"),
            FIT,
            1,
            "expected a whole Arrow stream file",
        ),
        Case(
            bytes(b"\x1F\x8B\x08\0\0\0\0\0\0\x03abc"),
            FIT,
            1,
            "cannot be read",
        ),
        Case(bytes(b"\x1F\x8B"), FIT, 1, "cannot be read"),
        Case(
            bytes(b"PK\x03\x04rest"),
            FIT,
            1,
            "got a zip file or spreadsheet",
        ),
        Case(bytes(b"SQLite format 3\0rest"), FIT, 1, "got a SQLite file"),
        Case(
            text("x,y\n1,2\ntwo,3\n4,5\n"),
            FIT,
            1,
            "line 3, column 1 (\"x\"): expected a number, as in the rows before, got \"two\"",
        ),
        Case(
            text("x,y\none,2\n2,3\n4,5\n"),
            FIT,
            1,
            "expected a text, as in the rows before, got \"2\"",
        ),
        Case(
            text("x,y\n1,2\n2,three\n"),
            FIT,
            1,
            "column 2 (\"y\"): expected a number or a mark for missing, got \"three\"",
        ),
        Case(
            text("x,x,y\n1,2,3\n"),
            FIT,
            1,
            "expected distinct column names, got \"x\" in columns 1 and 2",
        ),
        Case(
            wide(100_000, 99_999),
            "fit t.csv --target c0 -o o",
            1,
            "line 2: expected 100000 cells as in the header, got 99999",
        ),
        Case(
            wide(100_000, 100_000),
            "fit t.csv --target c0 -o o",
            1,
            "t.csv: irr:mean: expected at most 16342 features, got 99999, for which a fit would take 641 GB of memory",
        ),
        Case(
            wide(100_000, 100_000),
            "fit t.csv --target c0 --method mean --alpha 1 -o o",
            1,
            "mean: expected at most 26753 features, got 99999",
        ),
        Case(
            wide(100_000, 100_000),
            "compare t.csv --target c0 --folds 3",
            1,
            "zero: expected at most 26753 features",
        ),
        Case(utf16("x,y\n1,2\n"), FIT, 1, "got UTF-16"),
        Case(
            bytes(b"x\xE9,y\n1,2\n"),
            FIT,
            1,
            "expected a column name in UTF-8",
        ),
        Case(
            bytes(b"x,z,y\n1,caf\xE9,3\n"),
            FIT,
            1,
            "expected text in UTF-8, got the bytes 63 61 66 E9",
        ),
        Case(
            text("x,y\r\n1,2\r\n3\r\n"),
            FIT,
            1,
            "line 3: expected 2 cells as in the header, got 1",
        ),
        Case(
            text("\u{feff}x,y\n1,2\n1,2,3\n"),
            FIT,
            1,
            "line 3: expected 2 cells as in the header, got 3",
        ),
        Case(text("x,y\n\"1\n\n\",2\nz,4\n"), FIT, 1, "line 5, column 1"),
        Case(
            text("x,y\n\"1,2\n3,4\n"),
            FIT,
            1,
            "line 2: expected a closing quote",
        ),
        Case(
            text("x,y\n1,\n2,NA\n"),
            FIT,
            1,
            "expected a target in some row, got none in all 2",
        ),
        Case(
            text("y\n1\n2\n"),
            FIT,
            1,
            "expected a column besides target",
        ),
        Case(
            text("x,y\n1,inf\n2,3\n"),
            FIT,
            1,
            "expected a finite number, got \"inf\"",
        ),
        Case(
            text("x,y\n1e999,1\n2,3\n"),
            FIT,
            1,
            "expected a finite number, got \"1e999\"",
        ),
        Case(
            named(|i| format!("person {i}")),
            FIT,
            1,
            "expected categories that repeat, got 60 different texts in 60 cells",
        ),
        Case(
            named(|i| format!("2024-01-{i}")),
            "fit t.csv --target y --dates n -o o",
            1,
            "expected a date such as 2024-03-01",
        ),
        Case(
            named(|i| format!("{i}")),
            "fit t.csv --target y --numeric q -o o",
            1,
            "expected the numeric column \"q\"",
        ),
        Case(
            named(|i| format!("{i}")),
            "fit t.csv --target y --categorical y -o o",
            1,
            "expected different columns for target and categorical",
        ),
        Case(
            named(|i| format!("{i}")),
            "fit t.csv --target y --id q -o o",
            1,
            "expected the id column \"q\"",
        ),
        Case(
            text("w,x,y\n-1,2,3\n1,2,4\n"),
            "fit t.csv --target y --weight w -o o",
            1,
            "expected a weight that is not negative, got -1",
        ),
        Case(
            text("w,x,y\n0,2,3\n0,2,4\n"),
            "fit t.csv --target y --weight w -o o",
            1,
            "expected a positive weight in some row",
        ),
        Case(
            text("w,x,y\n,2,3\n1,2,4\n"),
            "fit t.csv --target y --weight w -o o",
            1,
            "expected a weight in every row",
        ),
        Case(
            text("t,x,y\nsoon,2,3\n1,2,4\n"),
            "fit t.csv --target y --time t -o o",
            1,
            "expected a number, or a date",
        ),
        Case(
            text("{\"x\":1,\"y\":2}\n{\"x\":[1],\"y\":2}\n"),
            "fit - --target y -o o",
            1,
            "standard input, line 2, key \"x\": expected a number, a text, true, false or null, got an array",
        ),
        Case(
            text("{\"x\":1,\"y\":2}\n{\"x\":1,\n"),
            "fit - --target y -o o",
            1,
            "standard input, line 2: expected a JSON object",
        ),
        Case(
            text("{\"x\":1,\"x\":2,\"y\":2}\n"),
            "fit - --target y -o o",
            1,
            "expected each key once in a row",
        ),
        Case(
            text("x,y\n1,2\n"),
            "fit none.csv --target y -o o",
            1,
            "none.csv: cannot be read",
        ),
        Case(
            text("x,y\n1,2\n"),
            "fit . --target y -o o",
            1,
            "cannot be read",
        ),
        Case(
            text(&holey(20)),
            "fit t.csv --target y -o no/o",
            1,
            "no/o: cannot be written: expected a folder no, got none",
        ),
        Case(
            text(&holey(20)),
            "fit t.csv --target y -o .",
            1,
            "cannot be written",
        ),
        Case(
            text(&holey(20)),
            "fit t.csv --target y --folds 99 -o o",
            1,
            "--folds: expected at least 2 and at most the number of rows",
        ),
        Case(
            text(&holey(20)),
            "fit t.csv --target y --alpha -1 -o o",
            2,
            "--alpha: expected",
        ),
        Case(text(&holey(20)), "fit t.csv -o o", 2, "--target <COL,...>"),
        Case(
            text("x,y\n1,a\n2,a\n3,a\n"),
            FIT,
            1,
            "column 2 (\"y\"): expected two classes or more, got \"a\" alone in 3 rows",
        ),
        Case(
            text("x,y\n1,a\n2,3\n3,b\n"),
            FIT,
            1,
            "line 3, column 2 (\"y\"): expected a label like those before, got the number \"3\"",
        ),
        Case(
            named(|i| format!("person {i}")),
            "fit t.csv --target n -o o",
            1,
            "expected labels that repeat, at most 100, got 60 different ones in 60 rows",
        ),
        Case(
            named(|i| format!("{}", i % 3)),
            "fit t.csv --target y --task regression --loss logistic -o o",
            2,
            "--loss: expected squared or huber=H for regression, got logistic",
        ),
        Case(
            named(|i| format!("{}", i % 3)),
            "fit t.csv --target y --task classification --loss squared -o o",
            2,
            "--loss: expected logistic or squared-hinge for classification, got squared",
        ),
        Case(
            named(|i| format!("{}", i % 3)),
            "fit t.csv --target y --loss absolute -o o",
            2,
            "expected squared, huber=H, logistic or squared-hinge",
        ),
        Case(
            named(|i| format!("{}", i % 3)),
            "fit t.csv --target y --loss squared-hinge --multiclass joint -o o",
            2,
            "--multiclass: expected one-vs-rest with the loss squared-hinge, got joint",
        ),
        Case(
            named(|i| format!("{}", i % 3)),
            "fit t.csv --target y --task regression --class-weight balanced -o o",
            2,
            "--class-weight: expected classification with it, got regression",
        ),
        Case(
            named(|i| format!("{}", i % 3)),
            "fit t.csv --target y --class-weight balanced -o o",
            1,
            "t.csv: --class-weight: expected a target of classes, got numbers in \"y\"",
        ),
        Case(
            named(|i| format!("k{}", i % 3)),
            "fit t.csv --target n --class-weight k7=2 -o o",
            1,
            "t.csv: --class-weight: expected a class of \"n\" (k0, k1, k2), got \"k7\"",
        ),
        Case(
            named(|i| format!("k{}", i % 3)),
            "fit t.csv --target n --class-weight k1 -o o",
            2,
            "expected balanced, none, or LABEL=W,...",
        ),
        Case(
            named(|i| format!("k{}", i % 3)),
            "fit t.csv --target n --task regression -o o",
            1,
            "expected a number or a mark for missing, got \"k0\"",
        ),
        Case(
            named(|i| format!("k{}", i % 3)),
            "fit t.csv --target n --solver silp --alpha 1 --gamma 1 -o o",
            1,
            "t.csv: --solver: expected exact unless the loss is squared, got silp with loss logistic",
        ),
        Case(
            named(|i| format!("k{}", i % 3)),
            "compare t.csv --target n --metric rmse",
            1,
            "t.csv: --metric: expected log-loss or accuracy or auc or brier for the loss logistic, got rmse",
        ),
        Case(
            text(&holey(20)),
            "fit t.csv --target y --max-levels 0 -o o",
            2,
            "expected a whole number from 1 to 10000",
        ),
    ]
}
