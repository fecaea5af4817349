//! One connection: bytes from a socket to the hub, and replies back.

use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::yield_now;
use tokio::time::timeout;
use tracing::{debug, warn};

use super::hub::{Hub, KEPT, Next, Peer};
use super::moment;
use crate::engine::{ClientId, Protocol, Reply};
use crate::resp::{self, Requests};

/// A connection that is open, and what it holds.
pub(super) struct Connection {
    hub: Rc<RefCell<Hub>>,
    client: ClientId,
    /// What CLIENT ID answers.
    number: i64,
    peer: Rc<Peer>,
    requests: Requests,
    out: Vec<u8>,
    /// The memory that the hub knows of.
    booked: usize,
}

/// Whatever ends a connection, the hub forgets it.
impl Drop for Connection {
    fn drop(&mut self) {
        self.hub.borrow_mut().close(self.client, self.booked);
    }
}

impl Connection {
    /// Takes a place among the connections; `None` when there is none left.
    pub(super) fn open(hub: &Rc<RefCell<Hub>>, from: SocketAddr) -> Option<Self> {
        let (client, peer) = hub.borrow_mut().open(from.to_string())?;
        let (number, limits) = (hub.borrow().number(client), hub.borrow().limits());
        let requests = Requests::new(limits.request);
        Some(Self { hub: Rc::clone(hub), client, number, peer, requests, out: Vec::new(), booked: 0 })
    }

    /// Serves a socket until either side hangs up, nothing came for too long, or the server stops.
    pub(super) async fn serve(mut self, mut stream: TcpStream, idle: Option<Duration>, mut stop: watch::Receiver<()>) {
        if let Err(error) = self.converse(&mut stream, idle, &mut stop).await {
            debug!(client = self.number, %error, "a connection was lost");
        }
    }

    async fn converse(
        &mut self,
        stream: &mut TcpStream,
        idle: Option<Duration>,
        stop: &mut watch::Receiver<()>,
    ) -> io::Result<()> {
        let peer = Rc::clone(&self.peer);
        loop {
            self.feed(stream).await?;
            let read = async {
                let reading = stream.read_buf(self.requests.room());
                match idle {
                    Some(idle) => timeout(idle, reading).await.unwrap_or(Ok(0)),
                    None => reading.await,
                }
            };
            let read = tokio::select! {
                biased;
                _ = stop.changed() => return Ok(()),
                () = peer.woken.notified() => continue,
                read = read => read?,
            };
            if read == 0 || self.answer(stream).await? == Next::Close {
                return Ok(());
            }
        }
    }

    /// Runs what has come, and sends the replies, until more must come.
    async fn answer(&mut self, stream: &mut TcpStream) -> io::Result<Next> {
        loop {
            let mut next = self.hub.borrow_mut().run(self.client, &mut self.requests, &mut self.out, moment());
            let held = self.requests.held() + self.out.capacity();
            if !self.hub.borrow_mut().book(&mut self.booked, held) {
                warn!(client = self.number, bytes = held, "a request is longer than there is memory for");
                let error = "ERR this request takes more memory than is left for connections".to_owned();
                resp::write(&Reply::Error(error), Protocol::Resp2, &mut self.out);
                next = Next::Close;
            }
            self.send(stream).await?;
            if next != Next::Return {
                return Ok(next);
            }
            // Others come in between.
            yield_now().await;
        }
    }

    /// Sends what has come from others.
    async fn feed(&mut self, stream: &mut TcpStream) -> io::Result<()> {
        loop {
            let Some(feed) = self.hub.borrow_mut().feed(&self.peer)? else { return Ok(()) };
            self.out = feed;
            let held = self.requests.held() + self.out.capacity();
            if !self.hub.borrow_mut().book(&mut self.booked, held) {
                return Err(io::ErrorKind::OutOfMemory.into());
            }
            self.send(stream).await?;
        }
    }

    /// Sends all that waits. Whoever does not read holds up nobody else: nothing more is read from it meanwhile.
    async fn send(&mut self, stream: &mut TcpStream) -> io::Result<()> {
        let peer = Rc::clone(&self.peer);
        tokio::select! {
            biased;
            sent = stream.write_all(&self.out) => sent?,
            error = peer.cut_off() => return Err(error),
        }
        self.out.clear();
        if self.out.capacity() > KEPT {
            self.out = Vec::new();
        }
        self.requests.shrink();
        let held = self.requests.held() + self.out.capacity();
        self.hub.borrow_mut().book(&mut self.booked, held);
        Ok(())
    }
}
