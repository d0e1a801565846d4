//! Reads tables with holes from files.
