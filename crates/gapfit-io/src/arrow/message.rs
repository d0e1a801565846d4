//! Checks the sizes in one Arrow message, before a decoder asks for as much memory.

use arrow_ipc::{RecordBatch, root_as_message};
use arrow_schema::ArrowError;

/// Rows that one batch may have.
const ROWS: i64 = 1 << 32;
/// Bytes that one buffer may have once it is unpacked, however small it is, and how many times larger than
/// packed it may be beyond that: no more than equal numbers shrink to.
const UNPACKED: i64 = 1 << 26;
const RATIO: i64 = 1 << 16;

/// How a message begins, before its length.
pub(super) const CONTINUATION: [u8; 4] = [0xFF; 4];

/// Refuses a message, given its bytes from the first on and how many belong to its head, whose sizes no
/// file would have.
pub(super) fn check(bytes: &[u8], head: usize) -> Result<(), ArrowError> {
    let broken = |what: String| ArrowError::IpcError(what);
    let prefix = if bytes.starts_with(&CONTINUATION) {
        8
    } else {
        4
    };
    let (Some(metadata), Some(body)) = (bytes.get(prefix..head), bytes.get(head..)) else {
        return Err(broken("a message is too short".to_owned()));
    };
    let message = root_as_message(metadata).map_err(|cause| broken(cause.to_string()))?;
    let dictionary = message.header_as_dictionary_batch().and_then(|d| d.data());
    let batch = message.header_as_record_batch().or(dictionary);
    match batch {
        Some(batch) if !is_sensible(&batch, body) => {
            Err(broken("a size is out of any proportion".to_owned()))
        }
        _ => Ok(()),
    }
}

fn is_sensible(batch: &RecordBatch<'_>, body: &[u8]) -> bool {
    let is_size = |size: i64| (0..=ROWS).contains(&size);
    let mut nodes = batch.nodes().into_iter().flatten();
    if !is_size(batch.length()) || !nodes.all(|node| is_size(node.length())) {
        return false;
    }
    let mut buffers = batch.buffers().into_iter().flatten();
    buffers.all(|buffer| {
        let Ok(start) = usize::try_from(buffer.offset()) else {
            return false;
        };
        if batch.compression().is_none() || buffer.length() < 8 {
            return true;
        }
        let prefix = start.checked_add(8).and_then(|end| body.get(start..end));
        let prefix = prefix.and_then(|bytes| bytes.try_into().ok());
        let most = UNPACKED.max(buffer.length().saturating_mul(RATIO));
        // -1 stands for a buffer that is not packed
        prefix.is_some_and(|bytes| (-1..=most).contains(&i64::from_le_bytes(bytes)))
    })
}
