//! A log that holds up nobody: who starts a server may read what it says, or not, or go away.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// How many lines wait to be written; more are left out.
const WAITING: usize = 1_024;
/// How long the last lines may take when the server ends.
const GRACE: Duration = Duration::from_millis(200);

/// Writes lines to standard error in the background.
pub(super) struct Log {
    lines: SyncSender<Vec<u8>>,
    ended: Receiver<()>,
}

impl Log {
    /// Starts.
    #[allow(clippy::disallowed_methods)] // the thread that waits for a reader, so that no other does
    pub(super) fn start() -> Self {
        let ((lines, written), (done, ended)) = (sync_channel::<Vec<u8>>(WAITING), sync_channel(1));
        thread::spawn(move || {
            let mut out = io::stderr();
            // An empty line is the end. Where nobody reads any more, there is nobody to tell.
            for line in written.iter().take_while(|line| !line.is_empty()) {
                let _ = out.write_all(&line);
            }
            let _ = done.try_send(());
        });
        Self { lines, ended }
    }

    /// What lines are given to.
    pub(super) fn lines(&self) -> Lines {
        Lines(self.lines.clone())
    }

    /// Waits until the lines so far are written, if somebody reads them.
    pub(super) fn end(self) {
        if self.lines.try_send(Vec::new()).is_ok() {
            // Later than that nobody reads.
            let _ = self.ended.recv_timeout(GRACE);
        }
    }
}

/// Takes lines, and never waits.
#[derive(Clone)]
pub(super) struct Lines(SyncSender<Vec<u8>>);

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // A line for which there is no room is left out.
        let _ = self.0.try_send(line.to_vec());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
