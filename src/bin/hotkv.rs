//! The command line: parses arguments and hands over to the library.

fn main() {}
