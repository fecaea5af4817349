//! HotKV Lock Playground: a pure, deterministic lock engine with a clock you move, and thin shells around it.
//!
//! The engine ([`engine`], [`command`]) answers like the real server and knows neither clock nor chance: both are
//! arguments. A [`transcript`] is the text of a session, the [`player`] moves along one, the [`console`] turns typed
//! lines into commands and replies into text, and [`app`] is the page without a page. Only `web` names the browser,
//! only `native` names the operating system.

#![warn(clippy::disallowed_methods, clippy::disallowed_types)]


pub mod command;

pub mod engine;

pub mod scenarios;
pub mod transcript;

#[cfg(target_arch = "wasm32")]
pub mod web;

