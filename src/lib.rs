//! HotKV Lock Playground: a pure, deterministic lock engine with a clock you move, and thin shells around it.
//!
//! The engine ([`engine`], [`command`]) answers like the real server and knows neither clock nor chance: both are
//! arguments. A [`transcript`] is the text of a session, the [`player`] moves along one, the [`console`] turns typed
//! lines into commands and replies into text, and [`app`] is the page without a page. A [`worker`] is a client that runs a
//! program, and [`explore`] tries every schedule of several; [`snippets`] are programs for the real server. `resp` is the
//! protocol of the wire. Only `web` names the browser, only `native` names the operating system.

#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod app;
pub mod command;
pub mod console;
pub mod engine;
pub mod explore;
mod later;
pub mod player;
#[cfg(feature = "resp")]
pub mod resp;
pub mod scenarios;
pub mod snippets;
pub mod transcript;
pub mod worker;

#[cfg(target_arch = "wasm32")]
pub mod web;

#[cfg(all(feature = "native", not(target_arch = "wasm32")))]
pub mod native;
