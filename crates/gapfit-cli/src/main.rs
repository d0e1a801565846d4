//! The gapfit command.

fn main() {}
