//! Benchmarks of gapfit: `gapfit-bench gap|speed|paper`.

mod gap;
mod synthetic;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("gap") => gap::run(arguments.next().as_deref()),
        _ => anyhow::bail!("usage: gapfit-bench gap"),
    }
}
