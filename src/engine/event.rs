//! What happened to a lock: the facts that the stage draws and the page speaks.

use super::{Bytes, ClientId, Millis};

/// One thing that happened to one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, in Unix milliseconds. An expiry carries the first instant at which the key is gone.
    pub at: Millis,
    /// In which database.
    pub db: usize,
    /// To which key.
    pub key: Bytes,
    /// What.
    pub kind: EventKind,
}

/// The kinds of event. `client` is who acted, `holder` who wrote the value that was there before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The client took the lock. `previous` is set when it took over from a holder whose value it named.
    Granted {
        /// Who acted.
        client: ClientId,
        /// The value written.
        token: Bytes,
        /// Until when, or for ever.
        deadline: Option<Millis>,
        /// Whom it was taken over from.
        previous: Option<ClientId>,
    },
    /// The client wrote over a lock that another holds.
    Overwritten {
        /// Who acted.
        client: ClientId,
        /// Who held the lock.
        holder: ClientId,
        /// The value written.
        token: Bytes,
        /// Until when, or for ever.
        deadline: Option<Millis>,
    },
    /// A condition on the key's existence failed, so nothing was written.
    Refused {
        /// Who acted.
        client: ClientId,
        /// Who holds the lock, if anybody does.
        holder: Option<ClientId>,
    },
    /// A condition on the key's value failed, so nothing changed.
    WrongToken {
        /// Who acted.
        client: ClientId,
        /// Who holds the lock.
        holder: ClientId,
    },
    /// The client meant to release or renew a lock that is not there.
    Missed {
        /// Who acted.
        client: ClientId,
    },
    /// The client read the value or the time left.
    Read {
        /// Who acted.
        client: ClientId,
    },
    /// The deadline moved, or was dropped or set.
    Renewed {
        /// Who acted.
        client: ClientId,
        /// Whose lock it is; another than `client` means a foreign renewal, unless `by_token`.
        holder: ClientId,
        /// The deadline until now.
        before: Option<Millis>,
        /// The deadline from now on.
        after: Option<Millis>,
        /// Whether the client named the value that it expected.
        by_token: bool,
    },
    /// The holder, or a client that named its token, gave the lock up.
    Released {
        /// Who acted.
        client: ClientId,
        /// Who held the lock.
        holder: ClientId,
    },
    /// A client deleted a lock that another holds, without naming its token.
    DeletedByAnother {
        /// Who acted.
        client: ClientId,
        /// Who held the lock.
        holder: ClientId,
    },
    /// The deadline passed.
    Expired {
        /// Who wrote the value.
        holder: ClientId,
        /// The deadline; the key was gone one millisecond after it.
        deadline: Millis,
        /// Whether the key was a lock.
        lock: bool,
    },
}

impl EventKind {
    /// Who acted; nobody for an expiry.
    pub fn client(&self) -> Option<ClientId> {
        match *self {
            Self::Granted { client, .. }
            | Self::Overwritten { client, .. }
            | Self::Refused { client, .. }
            | Self::WrongToken { client, .. }
            | Self::Missed { client }
            | Self::Read { client }
            | Self::Renewed { client, .. }
            | Self::Released { client, .. }
            | Self::DeletedByAnother { client, .. } => Some(client),
            Self::Expired { .. } => None,
        }
    }

    /// Whether the key was a lock. Only expiries are told of other keys too.
    pub fn is_lock(&self) -> bool {
        !matches!(self, Self::Expired { lock: false, .. })
    }
}
