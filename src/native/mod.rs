//! The shell of the operating system: arguments, files, standard input and a server to compare with. Nothing below it
//! knows them.

mod check;
mod cli;
mod repl;
mod server;

pub use cli::main;
