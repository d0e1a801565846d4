#![no_main]

#[path = "../check/table.rs"]
mod table;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| table::check(table::Kind::Csv, bytes));
