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

use super::temporal::time;
use crate::reader::{Draft, Fault, Reading, Wanted};
use crate::time::date;

/// The cells of a column.
pub(super) enum Cells {
    Holes,
    Numbers(Float64Array),
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
    pub(super) fn new(array: &ArrayRef, reading: Reading) -> Self {
        use DataType as D;
        match array.data_type() {
            D::Boolean => Self::Truths(array.as_boolean().clone()),
            D::Utf8 => Self::Short(array.as_string().clone()),
            D::LargeUtf8 => Self::Long(array.as_string().clone()),
            D::Utf8View => Self::View(array.as_string_view().clone()),
            D::Int8 => numbers::<Int8Type>(array, reading, f64::from),
            D::Int16 => numbers::<Int16Type>(array, reading, f64::from),
            D::Int32 => numbers::<Int32Type>(array, reading, f64::from),
            D::Int64 => numbers::<Int64Type>(array, reading, |x| x as f64),
            D::UInt8 => numbers::<UInt8Type>(array, reading, f64::from),
            D::UInt16 => numbers::<UInt16Type>(array, reading, f64::from),
            D::UInt32 => numbers::<UInt32Type>(array, reading, f64::from),
            D::UInt64 => numbers::<UInt64Type>(array, reading, |x| x as f64),
            D::Float16 => numbers::<Float16Type>(array, reading, |x| x.to_f64()),
            D::Float32 => numbers::<Float32Type>(array, reading, f64::from),
            D::Float64 => numbers::<Float64Type>(array, reading, |x| x),
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
            D::Dictionary(..) => numbered(array, reading),
            _ => Self::Holes,
        }
    }

    /// Writes the cells as numbers, NaN for holes; `false` where they are not numbers, or not all finite.
    pub(super) fn write_numbers(&self, to: &mut Vec<f64>) -> bool {
        let Self::Numbers(array) = self else {
            return false;
        };
        to.clear();
        to.extend_from_slice(array.values());
        if let Some(valid) = array.nulls().filter(|nulls| nulls.null_count() > 0) {
            for (x, is_valid) in to.iter_mut().zip(valid.iter()) {
                *x = if is_valid { *x } else { f64::NAN };
            }
        }
        !to.iter().any(|x| x.is_infinite())
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
            Self::Numbers(array) if array.is_valid(i) => {
                let number = array.value(i);
                let pushed = draft.push_number(wanted, number);
                return pushed.map_err(|fault| (fault, number.to_string()));
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
            None => draft.push_hole(),
            Some(text) => draft
                .push(wanted, j, text.as_bytes())
                .map_err(|fault| (fault, text.to_owned()))?,
        }
        Ok(())
    }
}

fn numbers<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    reading: Reading,
    number: impl Fn(T::Native) -> f64,
) -> Cells
where
    T::Native: Display,
{
    let array = array.as_primitive::<T>();
    if reading != Reading::Text {
        return Cells::Numbers(array.unary(number));
    }
    let is_number = |x: &T::Native| !number(*x).is_nan();
    let texts = array.iter().map(|x| x.filter(is_number));
    Cells::Written(texts.map(|x| x.map(|x| x.to_string())).collect())
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

fn numbered(array: &ArrayRef, reading: Reading) -> Cells {
    let dictionary = array.as_any_dictionary();
    if dictionary.values().is_empty() {
        return Cells::Holes;
    }
    Cells::Numbered {
        array: ArrayRef::clone(array),
        keys: dictionary.normalized_keys(),
        distinct: Box::new(Cells::new(dictionary.values(), reading)),
    }
}
