//! The shell of the operating system: arguments, files and standard input. Nothing below it knows them.

mod cli;

pub use cli::main;
