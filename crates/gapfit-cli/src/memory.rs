//! Whether the rows of tables fit into memory, and what is done where they do not.

use std::fs;

use anyhow::Result;

use crate::hint::Hinted;
use crate::tables::Tables;
use crate::talk::Talk;

/// Where rows are while something is learnt from them.
#[derive(Debug, clap::Args)]
pub(crate) struct Memory {
    /// Learns from sums, keeps no rows [default: where they do not fit].
    #[arg(long, requires = "file", conflicts_with = "in_memory")]
    out_of_core: bool,
    /// Keeps all rows in memory, whether they seem to fit or not.
    #[arg(long, requires = "file")]
    in_memory: bool,
}

/// How much more memory learning takes than the cells of the table.
const TIMES: u64 = 2;

impl Memory {
    /// Whether to learn from sums: as asked for, or where rows do not fit. `needs_rows` is what sums cannot do of what
    /// is asked for.
    pub(crate) fn is_out_of_core(
        &self,
        tables: &Tables,
        needs_rows: Option<&str>,
        talk: &Talk,
    ) -> Result<bool> {
        let needs_rows = match tables.is_stdin() {
            true => Some("standard input, which can be read once"),
            false => needs_rows,
        };
        if self.out_of_core {
            return match needs_rows {
                None => Ok(true),
                Some(what) => Err(Hinted::error(
                    format!("--out-of-core: expected what sums over rows can do, got {what}"),
                    NEEDS_ROWS,
                )),
            };
        }
        if self.in_memory {
            return Ok(false);
        }
        let Some((needed, free)) = tables.extent().zip(available()) else {
            return Ok(false);
        };
        if !is_too_much(needed, free) {
            return Ok(false);
        }
        let sizes = format!(
            "{}: the rows take about {:.1} GB and {:.1} GB of memory are free",
            tables.name(),
            needed as f64 / 1e9,
            free as f64 / 1e9
        );
        match needs_rows {
            None => talk.note(format_args!(
                "{sizes}: learning from sums over them (--in-memory keeps them)"
            )),
            Some(what) => talk.warn(format_args!(
                "{sizes}, but {what} needs them: this may end for want of memory"
            )),
        }
        Ok(needs_rows.is_none())
    }

    /// Says that sums are learnt from, where that was asked for and is not said yet.
    pub(crate) fn note(&self, talk: &Talk) {
        if self.out_of_core {
            talk.note("learning from sums over the rows, which are read in chunks and not kept");
        }
    }
}

/// What can be done about what sums cannot.
pub(crate) const NEEDS_ROWS: &str = "sums are for one target of numbers, the squared loss and folds by the cells of rows: leave the flag out, keep the rows by --in-memory, or take a sample of them";

fn is_too_much(needed: u64, free: u64) -> bool {
    needed.saturating_mul(TIMES) > free
}

/// Bytes of memory that can be had without pushing others out, where the system tells: what is free, or what the
/// limit of a container leaves.
fn available() -> Option<u64> {
    let read = |path: &str| fs::read_to_string(path).ok();
    let number = |path: &str| read(path)?.trim().parse::<u64>().ok();
    let of_system = of_meminfo(&read("/proc/meminfo")?)?;
    let left = |limit: &str, used: &str| Some(number(limit)?.saturating_sub(number(used)?));
    let of_group =
        left("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current").or_else(|| {
            left(
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/memory.usage_in_bytes",
            )
        });
    Some(of_group.map_or(of_system, |left| left.min(of_system)))
}

/// What Linux says is available.
fn of_meminfo(text: &str) -> Option<u64> {
    let mut lines = text.lines();
    let rest = lines.find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes = rest.split_whitespace().next()?.parse::<u64>().ok()?;
    Some(1024 * kilobytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_too_much_from_half_of_the_free_memory_on() {
        assert!(!is_too_much(500, 1000));
        assert!(is_too_much(501, 1000));
        assert!(is_too_much(u64::MAX, 1000));
    }

    #[test]
    fn free_memory_is_what_linux_calls_available() {
        let text = "MemTotal:  100 kB\nMemFree:  1 kB\nMemAvailable:     20 kB\n";
        assert_eq!(of_meminfo(text), Some(20 * 1024));
        assert_eq!(of_meminfo("MemTotal: 5 kB\n"), None);
    }
}
