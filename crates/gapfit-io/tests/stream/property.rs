//! What holds for any table and for any line.

use proptest::prelude::*;

use super::{CSV, NDJSON, outcomes, reader, rows};

/// Numbers of all kinds, and holes.
fn cells() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        1 => Just(None),
        2 => any::<f64>().prop_map(|x| x.is_finite().then_some(x)),
        2 => (-1e6..1e6f64).prop_map(Some),
        1 => (-9i32..10).prop_map(|x| Some(f64::from(x))),
    ]
}

/// Tables of up to five columns.
fn tables() -> impl Strategy<Value = Vec<Vec<Option<f64>>>> {
    (1usize..6)
        .prop_flat_map(|width| prop::collection::vec(prop::collection::vec(cells(), width), 1..20))
}

fn as_csv(table: &[Vec<Option<f64>>]) -> String {
    let names = (0..table[0].len()).map(|j| format!("c{j},"));
    let header: String = names.chain(["y\n".to_owned()]).collect();
    let line = |row: &Vec<Option<f64>>| {
        let cells = row.iter().map(|cell| match cell {
            Some(x) => format!("{x:?},"),
            None => ",".to_owned(),
        });
        cells.chain(["t\n".to_owned()]).collect::<String>()
    };
    std::iter::once(header)
        .chain(table.iter().map(line))
        .collect()
}

fn as_ndjson(table: &[Vec<Option<f64>>]) -> String {
    let line = |row: &Vec<Option<f64>>| {
        let cells = row.iter().enumerate().map(|(j, cell)| match cell {
            Some(x) => format!("\"c{j}\":{x:?},"),
            None => format!("\"c{j}\":null,"),
        });
        format!("{{{}\"y\":\"t\"}}\n", cells.collect::<String>())
    };
    table.iter().map(line).collect()
}

fn bits(rows: &[Vec<Option<f64>>]) -> Vec<Vec<Option<u64>>> {
    let row = |row: &Vec<Option<f64>>| row.iter().map(|cell| cell.map(f64::to_bits)).collect();
    rows.iter().map(row).collect()
}

proptest! {
    #[test]
    fn any_table_reads_back_to_the_last_bit(table in tables()) {
        for (text, file) in [(as_csv(&table), CSV), (as_ndjson(&table), NDJSON)] {
            let found = rows(&mut reader(text.as_bytes(), file));
            prop_assert!(found.iter().all(|row| row.target.as_deref() == Some("t")));
            let found: Vec<_> = found.into_iter().map(|row| row.cells).collect();
            prop_assert_eq!(bits(&found), bits(&table));
        }
    }

    #[test]
    fn any_line_gives_a_row_or_a_fault_and_the_next_is_read(line in any::<Vec<u8>>()) {
        let line: Vec<u8> = line.into_iter().filter(|byte| !b"\n\"".contains(byte)).collect();
        for (first, good, file) in [("a,y\n1,2\n", "1,2\n", CSV), ("\n", "{\"a\":1}", NDJSON)] {
            let text = [first.as_bytes(), &line, b"\n", good.as_bytes()].concat();
            let found = outcomes(&mut reader(&text, file));
            let last = found.last().unwrap().as_ref().unwrap();
            prop_assert_eq!(&last.cells, &[Some(1.0)]);
        }
    }
}
