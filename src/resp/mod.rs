//! RESP2 and RESP3, the protocol of the wire: requests out of bytes, replies into bytes. It knows no sockets.
//!
//! Bytes come in pieces of any size and from anybody. [`Requests`] takes them as they come and lends the words of each
//! request whose last byte is there; what is no request ends in a [`ProtocolError`] in the words of the real server, after which
//! nothing can be read any more. [`write`] puts a reply behind others in a buffer.
//!
//! Source: the RESP specification, and how `redis-server` 8.6 reads and answers.

mod reply;
mod request;

pub use reply::write;
pub use request::{Limits, MAX_INLINE, ProtocolError, Requests};
