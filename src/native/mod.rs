//! The shell of the operating system: arguments, files and standard input. Nothing below it knows them.

mod cli;
mod repl;

pub use cli::main;
