//! The shell of the operating system: arguments, files, standard input and a server to compare with. Nothing below it
//! knows them.

mod check;
mod cli;
mod explore;
mod repl;
mod serve;
mod server;
mod snippet;
mod words;

pub use cli::main;
