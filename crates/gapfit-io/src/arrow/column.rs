//! One column of a record batch, by the kinds that cells come from.

use std::fmt::Display;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal128Type, Decimal256Type, Float16Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, LargeStringArray, StringArray, StringViewArray,
};
use arrow_schema::{DataType, TimeUnit};
use gapfit::data::MaskedColumn;

use super::Values;
use super::temporal::time;
use crate::cell::{Missing, NotNumber};
use crate::reader::{Draft, Fault, Reading, Wanted};
use crate::time::date;

/// The cells of a column.
pub(super) enum Cells {
    Holes,
    Numbers(MaskedColumn<Values>),
    /// Numbers of which some are infinite.
    Infinite(Float64Array),
    Truths(BooleanArray),
    Short(StringArray),
    Long(LargeStringArray),
    View(StringViewArray),
    /// What is no text in the file and is read as one.
    Written(Vec<Option<String>>),
    /// Numbers of the distinct cells.
    Numbered {
        array: ArrayRef,
        keys: Vec<usize>,
        distinct: Box<Cells>,
    },
}

/// Whether columns of this type have cells.
pub(super) fn is_supported(data_type: &DataType) -> bool {
    use DataType as D;
    match data_type {
        D::Dictionary(_, values) => is_supported(values),
        D::Null | D::Boolean | D::Date32 | D::Date64 | D::Timestamp(..) => true,
        D::Utf8 | D::LargeUtf8 | D::Utf8View | D::Decimal128(..) | D::Decimal256(..) => true,
        other => other.is_integer() || other.is_floating(),
    }
}

impl Cells {
    /// The cells of a column of a [supported](is_supported) type.
    pub(super) fn new(array: &ArrayRef, reading: Reading, missing: &Missing) -> Self {
        use DataType as D;
        let rules = (reading, missing);
        match array.data_type() {
            D::Boolean => Self::Truths(array.as_boolean().clone()),
            D::Utf8 => Self::Short(array.as_string().clone()),
            D::LargeUtf8 => Self::Long(array.as_string().clone()),
            D::Utf8View => Self::View(array.as_string_view().clone()),
            D::Int8 => numbers::<Int8Type>(array, rules, f64::from),
            D::Int16 => numbers::<Int16Type>(array, rules, f64::from),
            D::Int32 => numbers::<Int32Type>(array, rules, f64::from),
            D::Int64 => numbers::<Int64Type>(array, rules, |x| x as f64),
            D::UInt8 => numbers::<UInt8Type>(array, rules, f64::from),
            D::UInt16 => numbers::<UInt16Type>(array, rules, f64::from),
            D::UInt32 => numbers::<UInt32Type>(array, rules, f64::from),
            D::UInt64 => numbers::<UInt64Type>(array, rules, |x| x as f64),
            D::Float16 => numbers::<Float16Type>(array, rules, |x| x.to_f64()),
            D::Float32 => numbers::<Float32Type>(array, rules, f64::from),
            D::Float64 if reading == Reading::Text => numbers::<Float64Type>(array, rules, |x| x),
            D::Float64 => measured(array.as_primitive::<Float64Type>().clone(), missing),
            D::Decimal128(..) => decimals(array.as_primitive::<Decimal128Type>(), |a, i| {
                a.value_as_string(i)
            }),
            D::Decimal256(..) => decimals(array.as_primitive::<Decimal256Type>(), |a, i| {
                a.value_as_string(i)
            }),
            D::Date32 => texts::<Date32Type>(array, |days| date(days.into())),
            D::Date64 => texts::<Date64Type>(array, |ms| match ms % 86_400_000 {
                0 => date(ms / 86_400_000),
                _ => time(ms, 1000, false),
            }),
            D::Timestamp(unit, zone) => times(array, *unit, zone.is_some()),
            D::Dictionary(..) => numbered(array, rules),
            _ => Self::Holes,
        }
    }

    /// Whether all cells are numbers or holes and none is infinite.
    pub(super) fn are_numbers(&self) -> bool {
        matches!(self, Self::Numbers(_))
    }

    /// The numbers, where there is nothing else.
    pub(super) fn into_numbers(self) -> Option<MaskedColumn<Values>> {
        match self {
            Self::Numbers(column) => Some(column),
            _ => None,
        }
    }

    /// Puts cell `i` behind those of `draft`, as the `j`-th; or says what is wrong with which text.
    pub(super) fn push(
        &self,
        i: usize,
        wanted: Wanted<'_>,
        j: usize,
        draft: &mut Draft,
    ) -> Result<(), (Fault, String)> {
        let text = match self {
            Self::Numbers(column) => {
                draft.push_number(column.get(i));
                return Ok(());
            }
            Self::Infinite(array) if array.is_valid(i) => {
                let number = array.value(i);
                if number.is_infinite() {
                    return Err((Fault::NotNumber(NotNumber::Infinite), number.to_string()));
                }
                draft.push_number(Some(number).filter(|x| !x.is_nan()));
                return Ok(());
            }
            Self::Numbered {
                array,
                keys,
                distinct,
            } if array.is_valid(i) => return distinct.push(keys[i], wanted, j, draft),
            Self::Truths(array) if array.is_valid(i) => {
                Some(if array.value(i) { "true" } else { "false" })
            }
            Self::Short(array) if array.is_valid(i) => Some(array.value(i)),
            Self::Long(array) if array.is_valid(i) => Some(array.value(i)),
            Self::View(array) if array.is_valid(i) => Some(array.value(i)),
            Self::Written(texts) => texts[i].as_deref(),
            _ => None,
        };
        match text {
            None => draft.push_number(None),
            Some(text) => draft
                .push(wanted, j, text.as_bytes())
                .map_err(|fault| (fault, text.to_owned()))?,
        }
        Ok(())
    }
}

/// How cells are read, and which of them are missing.
type Rules<'a> = (Reading, &'a Missing);

fn numbers<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    (reading, missing): Rules<'_>,
    number: impl Fn(T::Native) -> f64,
) -> Cells
where
    T::Native: Display,
{
    let array = array.as_primitive::<T>();
    if reading != Reading::Text {
        return measured(array.unary(number), missing);
    }
    let is_number = |x: &T::Native| !number(*x).is_nan();
    let texts = array.iter().map(|x| x.filter(is_number));
    Cells::Written(texts.map(|x| x.map(|x| x.to_string())).collect())
}

/// Cells that are numbers; holes are null, NaN and marks for missing.
fn measured(array: Float64Array, missing: &Missing) -> Cells {
    let array = if missing.has_numbers() {
        array.unary(|x| {
            if missing.matches_number(x) {
                f64::NAN
            } else {
                x
            }
        })
    } else {
        array
    };
    let values = array.values().clone();
    let column = match array.nulls() {
        None => MaskedColumn::from_nan(values),
        Some(valid) => MaskedColumn::from_bits(values, valid.inner().bit_chunks().iter_padded()),
    };
    column.map_or(Cells::Infinite(array), Cells::Numbers)
}

/// Decimal digits, which are read as those of a CSV file would be.
fn decimals<A: Array>(array: &A, text: impl Fn(&A, usize) -> String) -> Cells {
    let cell = |i| array.is_valid(i).then(|| text(array, i));
    Cells::Written((0..array.len()).map(cell).collect())
}

/// Cells written by `text`; as plain numbers where that is out of its range.
fn texts<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    text: impl Fn(T::Native) -> Option<String>,
) -> Cells
where
    T::Native: Display,
{
    let array = array.as_primitive::<T>();
    let text = |x| text(x).unwrap_or_else(|| x.to_string());
    Cells::Written(array.iter().map(|x| x.map(text)).collect())
}

fn times(array: &ArrayRef, unit: TimeUnit, has_zone: bool) -> Cells {
    use TimeUnit as U;
    match unit {
        U::Second => texts::<TimestampSecondType>(array, |t| time(t, 1, has_zone)),
        U::Millisecond => texts::<TimestampMillisecondType>(array, |t| time(t, 1000, has_zone)),
        U::Microsecond => {
            texts::<TimestampMicrosecondType>(array, |t| time(t, 1_000_000, has_zone))
        }
        U::Nanosecond => {
            texts::<TimestampNanosecondType>(array, |t| time(t, 1_000_000_000, has_zone))
        }
    }
}

fn numbered(array: &ArrayRef, (reading, missing): Rules<'_>) -> Cells {
    let dictionary = array.as_any_dictionary();
    if dictionary.values().is_empty() {
        return Cells::Holes;
    }
    Cells::Numbered {
        array: ArrayRef::clone(array),
        keys: dictionary.normalized_keys(),
        distinct: Box::new(Cells::new(dictionary.values(), reading, missing)),
    }
}
