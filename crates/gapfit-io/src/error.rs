//! What can be wrong with a file: where, what was expected, what was found.

use crate::format::Format;
use crate::location::Location;

/// What can go wrong while a table is read. Every variant names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The library could not take what was read.
    #[error(transparent)]
    Rows(#[from] gapfit::Error),
    /// The system could not open or read the file.
    #[error("{file}: cannot be read: {cause}")]
    Unreadable {
        /// The file, or `standard input`.
        file: String,
        /// What the system said.
        cause: std::io::Error,
    },
    /// There is not even a header.
    #[error("{file}: expected a header line, got an empty file")]
    EmptyFile {
        /// The file.
        file: String,
    },
    /// There is a header and nothing else.
    #[error("{file}: expected rows after the header, got none")]
    HeaderOnly {
        /// The file.
        file: String,
    },
    /// There are columns and no rows.
    #[error("{file}: expected rows, got none")]
    NoRows {
        /// The file.
        file: String,
    },
    /// The content of a file is not what its name promises.
    #[error(
        "{file}: expected a file in the format {expected}, as its name says, got other content"
    )]
    OtherFormat {
        /// The file.
        file: String,
        /// The format that the name stands for.
        expected: Format,
    },
    /// A file of a known format is damaged.
    #[error("{file}: expected a whole {format} file, got a damaged or truncated one ({cause})")]
    Damaged {
        /// The file.
        file: String,
        /// Its format.
        format: Format,
        /// What the decoder said.
        cause: String,
    },
    /// A file can only be read from its end, and what it comes from has none.
    #[error("{file}: expected at most {limit} bytes of {format} from a pipe, got more")]
    TooLarge {
        /// Where it comes from.
        file: String,
        /// Its format.
        format: Format,
        /// The bytes that are kept in memory.
        limit: u64,
    },
    /// This build does not read the format.
    #[error("{file}: expected CSV or NDJSON, got {format}, which this build does not read")]
    NotBuilt {
        /// The file.
        file: String,
        /// Its format.
        format: Format,
    },
    /// A column is of a type that is neither number, text, truth nor date.
    #[error("{at}: expected numbers, texts, truths or dates, got the type {got}")]
    Unsupported {
        /// The column.
        at: Location,
        /// The type in the file.
        got: String,
    },
    /// The header is not text in UTF-8.
    #[error("{at}: expected a column name in UTF-8, got {got}")]
    NotUtf8 {
        /// The cell of the header.
        at: Location,
        /// The encoding it looks like, or its bytes.
        got: String,
    },
    /// Two columns share a name.
    #[error("{at}: expected distinct column names, got {name:?} in columns {first} and {second}")]
    DuplicateColumn {
        /// The header.
        at: Location,
        /// The shared name.
        name: String,
        /// One-based place of the first.
        first: usize,
        /// One-based place of the second.
        second: usize,
    },
    /// A column that was asked for is not there.
    #[error(
        "{file}: expected the {role} column {name:?}, got {}",
        described(closest, columns)
    )]
    AbsentColumn {
        /// The file.
        file: String,
        /// What the column is for: target, weight, group, time, ignored, ...
        role: &'static str,
        /// The name that was asked for.
        name: String,
        /// The name in the file that was probably meant.
        closest: Option<String>,
        /// All names in the file.
        columns: Vec<String>,
    },
    /// A row has too few or too many cells.
    #[error("{at}: expected {expected} cells as in the header, got {got}")]
    Ragged {
        /// The row.
        at: Location,
        /// Cells in the header.
        expected: usize,
        /// Cells in the row.
        got: usize,
    },
    /// A quoted cell runs to the end of the file.
    #[error("{at}: expected a closing quote, got the end of the file")]
    UnclosedQuote {
        /// The row in which the quote opens.
        at: Location,
    },
    /// A cell of a numeric column is text.
    #[error("{at}: expected a number or a mark for missing, got {got:?}")]
    Text {
        /// The cell.
        at: Location,
        /// What stands there, shortened.
        got: String,
    },
    /// A cell is not of the kind of its column.
    #[error("{at}: expected {expected}, got {got:?}")]
    Unlike {
        /// The cell.
        at: Location,
        /// What a cell of the column looks like.
        expected: &'static str,
        /// What stands there, shortened.
        got: String,
    },
    /// The texts of a column tell rows apart instead of saying something about them.
    #[error(
        "{at}: expected categories that repeat, got {distinct} different texts in {cells} cells"
    )]
    Ids {
        /// The column.
        at: Location,
        /// The number of different texts.
        distinct: usize,
        /// The number of cells that are not missing.
        cells: usize,
    },
    /// Features made from categories have the names of others.
    #[error("{file}: {cause}")]
    Clash {
        /// The file.
        file: String,
        /// Which.
        cause: String,
    },
    /// A cell is an infinite number, or too large for one.
    #[error("{at}: expected a finite number, got {got:?}")]
    Infinite {
        /// The cell.
        at: Location,
        /// What stands there, shortened.
        got: String,
    },
    /// A row does not end.
    #[error("{at}: expected a row of at most {limit} bytes, got a longer one")]
    TooLong {
        /// The row.
        at: Location,
        /// The bytes that a row may have.
        limit: usize,
    },
    /// A text is not in UTF-8.
    #[error("{at}: expected {what} in UTF-8, got the bytes {got}")]
    NotText {
        /// The cell or the line.
        at: Location,
        /// What was expected there: a target, ...
        what: &'static str,
        /// The first bytes that are not, in hexadecimal digits.
        got: String,
    },
    /// A line is not a JSON object.
    #[error("{at}: expected a JSON object, got {got:?} ({why})")]
    NotObject {
        /// The line.
        at: Location,
        /// What stands there, shortened.
        got: String,
        /// What is wrong with it, and at which byte.
        why: String,
    },
    /// A cell is an array or an object.
    #[error("{at}: expected a number, a text, true, false or null, got {got}")]
    Nested {
        /// The cell.
        at: Location,
        /// What stands there.
        got: &'static str,
    },
    /// A row has a key twice.
    #[error("{at}: expected each key once in a row, got it twice")]
    DuplicateKey {
        /// The second of the two.
        at: Location,
    },
    /// No row has a target.
    #[error("{at}: expected a target in some row, got none in all {rows}")]
    NoTarget {
        /// The target column.
        at: Location,
        /// The number of rows.
        rows: usize,
    },
    /// Numbers stand among labels.
    #[error("{at}: expected a label like those before, got the number {got:?}")]
    MixedTarget {
        /// The cell.
        at: Location,
        /// What stands there.
        got: String,
    },
    /// A label is none of the classes that there are.
    #[error("{at}: expected one of the classes {classes}, got {got:?}")]
    UnknownClass {
        /// The cell.
        at: Location,
        /// The labels of the classes, or the first of many.
        classes: Box<str>,
        /// What stands there, shortened.
        got: String,
    },
    /// There are too many labels to be classes.
    #[error("{at}: expected labels that repeat, at most {limit}, got {got}")]
    TooManyClasses {
        /// The target column.
        at: Location,
        /// The classes that there may be.
        limit: usize,
        /// How many there are.
        got: String,
    },
    /// All rows have the same label.
    #[error("{at}: expected two classes or more, got {label:?} alone in {rows} rows")]
    OneClass {
        /// The target column.
        at: Location,
        /// The label.
        label: String,
        /// The number of rows.
        rows: usize,
    },
    /// A row has no weight, group or time.
    #[error("{at}: expected a {role} in every row, got a missing one")]
    Incomplete {
        /// The cell.
        at: Location,
        /// What the column is for.
        role: &'static str,
    },
    /// A cell of the time column is no time, or not written as those before.
    #[error("{at}: expected {expected}, got {got:?}")]
    NotTime {
        /// The cell.
        at: Location,
        /// What a time looks like.
        expected: &'static str,
        /// What stands there, shortened.
        got: String,
    },
    /// A row weight is negative.
    #[error("{at}: expected a weight that is not negative, got {got}")]
    NegativeWeight {
        /// The cell.
        at: Location,
        /// The weight.
        got: f64,
    },
    /// No row counts.
    #[error("{at}: expected a positive weight in some row, got none in all {rows}")]
    NoWeight {
        /// The weight column.
        at: Location,
        /// The number of rows that have a target.
        rows: usize,
    },
    /// One column cannot have two roles.
    #[error("{at}: expected different columns for {first} and {second}, got the same for both")]
    SharedColumn {
        /// The column.
        at: Location,
        /// What it is for.
        first: &'static str,
        /// What it is also for.
        second: &'static str,
    },
    /// Nothing is left to learn from.
    #[error(
        "{file}: expected a column besides target, weight, group, time and ignored ones, got none"
    )]
    NoFeatures {
        /// The file.
        file: String,
    },
}

impl Error {
    /// Whether one row is at fault and the reader that gave it can go on with the next.
    ///
    /// ```
    /// use gapfit_io::csv::{Options, Reader};
    /// let text = "size,price\n1,2,3\n4,5\n";
    /// let mut reader = Reader::new(text.as_bytes(), "huts.csv", &Options::default())?;
    /// assert!(reader.next_row().unwrap_err().is_row_fault());
    /// assert_eq!(reader.next_row()?.unwrap().cells, [Some(4.0), Some(5.0)]);
    /// # Ok::<_, gapfit_io::Error>(())
    /// ```
    pub fn is_row_fault(&self) -> bool {
        matches!(
            self,
            Self::Ragged { .. }
                | Self::Text { .. }
                | Self::Infinite { .. }
                | Self::Unlike { .. }
                | Self::TooLong { .. }
                | Self::NotText { .. }
                | Self::NotObject { .. }
                | Self::Nested { .. }
                | Self::DuplicateKey { .. }
                | Self::MixedTarget { .. }
                | Self::UnknownClass { .. }
                | Self::Incomplete { .. }
                | Self::NotTime { .. }
                | Self::NegativeWeight { .. }
        )
    }
}

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The end of the message about an absent column: the name that was meant, or what there is.
fn described(closest: &Option<String>, columns: &[String]) -> String {
    const SHOWN: usize = 8;
    if let Some(name) = closest {
        return format!("none of that name; did you mean {name:?}?");
    }
    let shown: Vec<_> = columns.iter().take(SHOWN).map(String::as_str).collect();
    let more = if columns.len() > SHOWN { ", ..." } else { "" };
    format!("{} columns: {}{more}", columns.len(), shown.join(", "))
}
