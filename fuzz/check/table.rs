//! What must hold for any bytes given as a table.

use gapfit::data::Schema;
use gapfit_io::csv::{Options, replace};
use gapfit_io::{Cell, Encoder, Kinds, Reader, Roles, Supervised, Survey, Task, stream};

/// What the bytes are called, which decides where the content does not.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Csv,
    Ndjson,
    Arrow,
}

/// Reads bytes in every way that a command would.
pub(crate) fn check(kind: Kind, bytes: &[u8]) {
    let file = match kind {
        Kind::Csv => "t.csv",
        Kind::Ndjson => "t.ndjson",
        Kind::Arrow => "t.parquet",
    };
    let is_told = |error: gapfit_io::Error| assert!(error.to_string().contains(file), "{error}");
    let open = || Reader::new(bytes, file, &Options::default());
    let columns = match open() {
        Ok(mut reader) => {
            if let Err(error) = read(&mut reader) {
                is_told(error);
            }
            let names = reader.columns().iter().map(|column| column.name.clone());
            names.collect::<Vec<_>>()
        }
        Err(error) => return is_told(error),
    };
    let target = columns.first().cloned().unwrap_or_default();
    let roles = Roles {
        target: target.clone(),
        further_targets: Vec::new(),
        weight: None,
        folds_by: None,
        task: Task::Auto,
    };
    let again = || open().expect("it has been opened before");
    if let Err(error) = Survey::read(&mut again(), Some(&target), &Kinds::default()) {
        is_told(error);
    }
    let learnt = match Supervised::read(&mut again(), &roles) {
        Ok(table) => table.data.schema().cloned(),
        Err(error) => {
            is_told(error);
            None
        }
    };
    let numeric = Schema::numeric(&columns);
    let schema = learnt.as_deref().unwrap_or(&numeric);
    let mut reader = again();
    let mut encoder = Encoder::new(&mut reader, schema);
    let mut features = gapfit::data::MaskedMatrix::new(schema.n_features());
    while let Ok(true) = encoder.next_row(&mut reader, &mut features) {}
    match kind {
        Kind::Csv => copied(bytes),
        Kind::Ndjson => {}
        Kind::Arrow => return,
    }
    streamed(bytes, file, &target);
}

fn read(reader: &mut Reader) -> gapfit_io::Result<()> {
    let n_columns = reader.columns().len();
    while let Some(row) = reader.next_row()? {
        for j in 0..n_columns {
            if let Cell::Number(number) = row.cell(j) {
                assert!(number.is_finite());
            }
        }
    }
    Ok(())
}

/// Copying text without a change changes nothing.
fn copied(bytes: &[u8]) {
    let mut copy = Vec::new();
    if replace(bytes, None, &mut copy, |_, _| None).is_ok() {
        assert_eq!(copy, bytes);
    }
}

/// A stream goes on after every row that is at fault, and ends.
fn streamed(bytes: &[u8], file: &str, target: &str) {
    let roles = stream::Roles {
        target: target.to_owned(),
        weight: None,
        id: None,
    };
    let opened = stream::Reader::new(bytes, file, &roles, &stream::Options::default());
    let Ok(mut reader) = opened else { return };
    loop {
        match reader.next_row() {
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) if error.is_row_fault() => {}
            Err(_) => break,
        }
    }
}
