//! The file of statistics: a container like that of models, trusted as little.

use super::block::{Block, Extremes, Ties};
use super::kept::Kept;
use super::label::N_BLOCKS;
use super::scheme::{Scheme, Tail};
use super::summed::Summed;
use super::summed_file::BlockHeader;
use super::{Gathering, State, Statistics, Sums};
use crate::container::{self, Container, FORMAT, Part, Tensor, broken, in_part};
use crate::data::{Dataset, MaskedMatrix, RowSlice, WORD};
use crate::error::{Error, Result};
use crate::model::schema::{self, ColumnHeader};
use crate::moments::{Frame, Unit};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::{self, Write};

/// What the header of such a file calls its content.
const KIND: &str = "statistics";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: u32,
    /// Filled in and checked by the container.
    checksum: u32,
    kind: String,
    /// Names of the features, in order.
    features: Vec<String>,
    target: String,
    /// The columns that the features were made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schema: Option<Vec<ColumnHeader>>,
    clip: f64,
    is_blocked: bool,
    is_weighted: bool,
    has_tails: bool,
    is_smooth: bool,
    /// Rows that are kept as they are, where there are no sums.
    rows: usize,
    /// One for each block of sums.
    blocks: Vec<BlockHeader>,
}

impl Statistics {
    /// The bytes of a file of statistics; the same statistics give the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write(&mut bytes)
            .expect("memory takes whatever is written");
        bytes
    }

    /// Writes the bytes of a file of statistics, without a copy of the rows that are kept; how many bytes there are.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut (impl Write + ?Sized)) -> io::Result<usize> {
        let blank = self.blank();
        let (rows, blocks, scheme) = match &self.state {
            State::Rows(rows) => (rows.n_rows(), &[][..], None),
            State::Sums(sums) => (0, &sums.blocks[..], Some(&sums.scheme)),
        };
        let header = Header {
            format: FORMAT,
            checksum: 0,
            kind: KIND.to_owned(),
            features: blank.names().to_vec(),
            target: blank.target_name().to_owned(),
            schema: blank.schema().map(|schema| schema::header(schema)),
            clip: self.gathering.clip,
            is_blocked: self.gathering.is_blocked,
            is_weighted: blank.weights().is_some(),
            has_tails: scheme.is_some_and(|scheme| scheme.has_tails),
            is_smooth: scheme.is_some_and(|scheme| scheme.is_smooth),
            rows,
            blocks: blocks.iter().map(Block::header).collect(),
        };
        let tensors = match &self.state {
            State::Rows(rows) => row_tensors(std::slice::from_ref(rows)),
            State::Sums(sums) => {
                let blocks = sums.blocks.iter().enumerate();
                let blocks = blocks.flat_map(|(b, block)| in_part(&b.to_string(), block.tensors()));
                sums.scheme.tensors().into_iter().chain(blocks).collect()
            }
        };
        container::write_to(out, &header, tensors)
    }

    /// The statistics in `bytes`.
    ///
    /// # Errors
    /// [`Error::Model`] for anything but a sound file of statistics of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let file = Container::open(bytes)?;
        match container::kind(bytes).as_deref() {
            Some(KIND) => {}
            other => return Err(broken("kind", KIND, other.unwrap_or("a batch model"))),
        }
        let header: Header = file.header()?;
        let gathering = Gathering {
            clip: header.clip,
            is_blocked: header.is_blocked,
        };
        gathering
            .validate()
            .map_err(|e| container::bad_settings(&e))?;
        let blank = header.blank()?;
        let whole = Part::whole(&file);
        let per_table = 3 + usize::from(header.is_weighted);
        if header.blocks.is_empty() {
            let rows = read_rows(&whole, header.rows, &blank)?;
            file.check_count(per_table)?;
            let state = State::Rows(rows);
            return Ok(Self { gathering, state });
        }
        let expected = if header.is_blocked { N_BLOCKS } else { 1 };
        if header.blocks.len() != expected || header.rows > 0 {
            let expected = format!("{expected} and no other rows");
            return Err(broken(
                "blocks",
                &expected,
                &header.blocks.len().to_string(),
            ));
        }
        let scheme = Scheme::read(&whole, &header)?;
        let block =
            |(b, of): (usize, &BlockHeader)| Block::read(&whole.part(&b.to_string()), of, &blank);
        let blocks: Result<Vec<Block>> = header.blocks.iter().enumerate().map(block).collect();
        file.check_count(3 + expected * (5 + per_table))?;
        let sums = Sums {
            blocks: blocks?,
            blank,
            scheme,
        };
        let state = State::Sums(Box::new(sums));
        Ok(Self { gathering, state })
    }
}

impl Header {
    /// A table of its columns without rows.
    fn blank(&self) -> Result<Dataset> {
        let unsound = |error: Error| broken("columns", "sound ones", &error.to_string());
        let blank = Dataset::new(MaskedMatrix::new(self.features.len()), Vec::new());
        let blank = blank.and_then(|blank| blank.with_names(self.features.clone()));
        let mut blank = blank.map_err(unsound)?.with_target_name(&self.target);
        if let Some(columns) = &self.schema {
            let schema = schema::parse(columns.clone(), &self.features)?;
            blank = blank.with_schema(schema).map_err(unsound)?;
        }
        match self.is_weighted {
            true => blank.with_weights(Vec::new()).map_err(unsound),
            false => Ok(blank),
        }
    }
}

/// A word as two numbers of 32 bits, which are exact.
pub(super) fn halves(word: &u64) -> [f64; 2] {
    [(word & u64::from(u32::MAX)) as f64, (word >> 32) as f64]
}

/// The word of two halves, unless they are none.
fn word(halves: &[f64]) -> Option<u64> {
    let half =
        |x: f64| (x.fract() == 0.0 && (0.0..4_294_967_296.0).contains(&x)).then_some(x as u64);
    Some(half(halves[0])? | half(halves[1])? << 32)
}

/// Bits of as many rows, none of them beyond the features.
pub(super) fn read_bits(
    part: &Part<'_>,
    name: &str,
    n_rows: usize,
    n_features: usize,
) -> Result<Vec<u64>> {
    let words = n_features.div_ceil(WORD);
    let numbers = part.tensor(name, &[n_rows, 2 * words])?;
    let bits: Option<Vec<u64>> = numbers.chunks_exact(2).map(word).collect();
    let bits = bits.ok_or_else(|| broken(name, "halves of words", "other numbers"))?;
    let beyond = match n_features % WORD {
        0 => 0,
        used => u64::MAX << used,
    };
    let mut last = bits.chunks_exact(words.max(1)).filter_map(<[u64]>::last);
    match last.any(|word| word & beyond != 0) {
        true => Err(broken(name, "bits of features only", "others")),
        false => Ok(bits),
    }
}

/// Tensors of which the numbers may be those of the statistics themselves, some after the other.
pub(super) type Tensors<'a> = Vec<Tensor<Vec<Cow<'a, [f64]>>>>;

/// The tensor of numbers that are nowhere else.
pub(super) fn tensor(
    name: &str,
    shape: &[usize],
    data: Vec<f64>,
) -> Tensor<Vec<Cow<'static, [f64]>>> {
    (name.to_owned(), shape.to_vec(), vec![data.into()])
}

/// The rows of tables that have the same columns.
fn row_tensors(rows: &[Dataset]) -> Tensors<'_> {
    let n: usize = rows.iter().map(Dataset::n_rows).sum();
    let d = rows.first().map_or(0, Dataset::n_features);
    let tables = || rows.iter().map(|rows| RowSlice::from(rows.features()));
    let words = d.div_ceil(WORD);
    let mut bits = Vec::with_capacity(2 * n * words);
    tables().for_each(|table| bits.extend(table.words.iter().flat_map(halves)));
    let runs = |run: fn(&Dataset) -> &[f64]| rows.iter().map(|rows| run(rows).into()).collect();
    let values = tables().map(|table| table.values.into()).collect();
    let mut tensors = vec![
        ("values".to_owned(), vec![n, d], values),
        tensor("observed", &[n, 2 * words], bits),
        ("target".to_owned(), vec![n], runs(Dataset::target)),
    ];
    if rows.iter().all(|rows| rows.weights().is_some()) {
        let weights = runs(|rows| rows.weights().unwrap_or_default());
        tensors.push(("weights".to_owned(), vec![n], weights));
    }
    tensors
}

/// Rows of the columns of `blank`.
fn read_rows(part: &Part<'_>, n: usize, blank: &Dataset) -> Result<Dataset> {
    let d = blank.n_features();
    let values = part.tensor("values", &[n, d])?;
    let bits = read_bits(part, "observed", n, d)?;
    let features = MaskedMatrix::from_bits(n, d, values, bits);
    let target = part.tensor("target", &[n])?;
    let weights = blank
        .weights()
        .map(|_| part.tensor("weights", &[n]))
        .transpose()?;
    let unsound = |error: Error| broken("rows", "sound ones", &error.to_string());
    blank.with_rows(features, target, weights).map_err(unsound)
}

impl Scheme {
    fn tensors(&self) -> Tensors<'_> {
        let units = self.frame.columns.iter().chain(&self.frame.targets);
        let units: Vec<f64> = units.flat_map(|unit| [unit.shift, unit.scale]).collect();
        let tails: Vec<f64> = self
            .tails
            .iter()
            .flat_map(|tail| [tail.low, tail.high])
            .collect();
        let d = self.tails.len();
        vec![
            tensor("units", &[d + 1, 2], units),
            tensor("thresholds", &[d, 2], tails),
            tensor("weight_unit", &[1], vec![self.weight_unit]),
        ]
    }

    fn read(part: &Part<'_>, header: &Header) -> Result<Self> {
        let d = header.features.len();
        let units = part.tensor("units", &[d + 1, 2])?;
        let unit = |pair: &[f64]| Unit::unclipped(pair[0], pair[1]);
        let units: Option<Vec<Unit>> = units.chunks_exact(2).map(unit).collect();
        let mut units = units.ok_or_else(|| broken("units", "powers of two", "other scales"))?;
        let target = units.pop().expect("one more than columns");
        let tails = part.tensor("thresholds", &[d, 2])?;
        let tails: Vec<Tail> = tails
            .chunks_exact(2)
            .map(|t| Tail {
                low: t[0],
                high: t[1],
            })
            .collect();
        let is_sound = |(tail, unit): (&Tail, &Unit)| {
            tail.low < tail.high && tail.low <= unit.shift && unit.shift <= tail.high
        };
        let tails_are_sound = tails.iter().zip(&units).all(is_sound);
        let weight_unit = part.tensor("weight_unit", &[1])?[0];
        if weight_unit <= 0.0 || (1.0 / weight_unit).is_infinite() {
            return Err(broken(
                "weight_unit",
                "a power of two",
                &weight_unit.to_string(),
            ));
        }
        Ok(Self {
            frame: Frame {
                columns: units,
                targets: vec![target],
            },
            tails,
            weight_unit,
            has_tails: header.has_tails,
            is_smooth: header.is_smooth && header.has_tails && tails_are_sound,
        })
    }
}

impl Block {
    fn header(&self) -> BlockHeader {
        self.sums.header(self.kept.n_rows())
    }

    fn tensors(&self) -> Tensors<'_> {
        let d = self.ties.len();
        let extremes = self.extremes.0.iter().flat_map(|(low, high)| [*low, *high]);
        let ties = self.ties.iter().flat_map(|ties| [ties.low, ties.high]);
        let mut tensors = self.sums.tensors(d);
        tensors.extend([
            tensor("extremes", &[d, 2], extremes.collect()),
            tensor("ties", &[d, 2], ties.collect()),
        ]);
        tensors.extend(row_tensors(self.kept.pieces()));
        tensors
    }

    fn read(part: &Part<'_>, of: &BlockHeader, blank: &Dataset) -> Result<Self> {
        let d = blank.n_features();
        let sums = Summed::read(part, of, d)?;
        let extremes = part.tensor("extremes", &[d, 2])?;
        let extremes = extremes.chunks_exact(2).map(|x| (x[0], x[1]));
        let ties = part.tensor("ties", &[d, 2])?;
        Ok(Self {
            sums,
            extremes: Extremes(extremes.collect()),
            ties: ties
                .chunks_exact(2)
                .map(|t| Ties {
                    low: t[0],
                    high: t[1],
                })
                .collect(),
            kept: Kept::new(read_rows(part, of.rows, blank)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_not_summed_in_one_go_where_thresholds_do_not_tell_what_is_far_out() {
        let n = 1 << 15;
        let cells: Vec<f64> = (0..n).map(|i| (i * 7919 % 10_007) as f64).collect();
        let features = MaskedMatrix::from_nan(n, 1, &cells).unwrap();
        let data = Dataset::new(features, cells).unwrap();
        let statistics = Statistics::of(&data, Gathering::default()).unwrap();
        let is_smooth = |statistics: &Statistics| match &statistics.state {
            State::Rows(_) => panic!("rows enough for sums"),
            State::Sums(sums) => sums.scheme.is_smooth,
        };
        let again = Statistics::from_bytes(&statistics.to_bytes()).unwrap();
        assert!(is_smooth(&statistics) && is_smooth(&again));
        let nothing_is_far_out = |scheme: &mut Scheme| scheme.has_tails = false;
        let on_one_side_of_the_unit = |scheme: &mut Scheme| {
            scheme.tails[0].low = scheme.frame.columns[0].shift + 1.0;
        };
        for craft in [nothing_is_far_out, on_one_side_of_the_unit] {
            let mut crafted = statistics.clone();
            if let State::Sums(sums) = &mut crafted.state {
                craft(&mut sums.scheme);
            }
            let crafted = Statistics::from_bytes(&crafted.to_bytes()).unwrap();
            assert!(!is_smooth(&crafted));
        }
    }
}
