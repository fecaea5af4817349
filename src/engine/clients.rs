//! All connections of an engine. What is looked at for every command is known without walking through thousands that are
//! idle.

use super::{Client, ClientId};

/// Connections in the order in which their ids were given.
#[derive(Clone, Debug, Default)]
pub(super) struct Clients {
    slots: Vec<Slot>,
    /// Those that hung up, whose ids are free.
    free: Vec<ClientId>,
    /// Whoever has a transaction, watches something, sees everything or is not answered, and perhaps others, in no order.
    busy: Vec<ClientId>,
    /// How many were ever opened.
    opened: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Slot {
    client: Client,
    /// Counted from 1; 0 of one that hung up.
    number: u64,
    /// Where it comes from, when a shell knows.
    address: String,
    /// Whether it is one of the busy.
    busy: bool,
}

/// Who is busy follows from what is kept of each.
impl PartialEq for Clients {
    fn eq(&self, other: &Self) -> bool {
        let seen = |clients: &Self| (clients.opened, clients.free.clone());
        seen(self) == seen(other)
            && self.slots.len() == other.slots.len()
            && self.slots.iter().zip(&other.slots).all(|(a, b)| (&a.client, a.number) == (&b.client, b.number))
    }
}

impl Clients {
    pub(super) fn open(&mut self, address: String) -> ClientId {
        self.opened += 1;
        let slot = Slot { client: Client::default(), number: self.opened, address, busy: false };
        if let Some(id) = self.free.pop() {
            self.slots[id.index()] = slot;
            return id;
        }
        self.slots.push(slot);
        ClientId::nth(self.slots.len() - 1)
    }

    pub(super) fn hang_up(&mut self, id: ClientId) {
        self.reset(id);
        let slot = &mut self.slots[id.index()];
        slot.number = 0;
        slot.address = String::new();
        self.free.push(id);
    }

    /// Makes a connection as it was when it opened.
    pub(super) fn reset(&mut self, id: ClientId) {
        self.slots[id.index()].client = Client::default();
        self.settle(id);
    }

    pub(super) fn reset_all(&mut self) {
        for slot in &mut self.slots {
            slot.busy = false;
            if !slot.client.is_new() {
                slot.client = Client::default();
            }
        }
        self.busy.clear();
    }

    pub(super) fn get(&self, id: ClientId) -> &Client {
        &self.slots[id.index()].client
    }

    pub(super) fn get_mut(&mut self, id: ClientId) -> &mut Client {
        let slot = &mut self.slots[id.index()];
        if !slot.busy {
            slot.busy = true;
            self.busy.push(id);
        }
        &mut slot.client
    }

    /// Takes a connection that has nothing open from among the busy.
    pub(super) fn settle(&mut self, id: ClientId) {
        let slot = &mut self.slots[id.index()];
        if slot.busy && !slot.client.is_busy() {
            slot.busy = false;
            self.busy.retain(|busy| *busy != id);
        }
    }

    pub(super) fn number(&self, id: ClientId) -> i64 {
        self.slots[id.index()].number as i64
    }

    pub(super) fn address(&self, id: ClientId) -> &str {
        &self.slots[id.index()].address
    }

    /// Whether a connection had that id once.
    pub(super) fn knows(&self, id: ClientId) -> bool {
        id.index() < self.slots.len()
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (ClientId, &Client)> {
        let slots = self.slots.iter().enumerate().filter(|(_, slot)| slot.number > 0);
        slots.map(|(n, slot)| (ClientId::nth(n), &slot.client))
    }

    /// Whether nobody is busy.
    pub(super) fn is_quiet(&self) -> bool {
        self.busy.is_empty()
    }

    pub(super) fn busy(&self) -> impl Iterator<Item = (ClientId, &Client)> {
        self.busy.iter().map(|id| (*id, self.get(*id)))
    }

    /// The memory that waiting commands and watched keys take, in bytes.
    pub(super) fn used(&self) -> usize {
        self.busy().map(|(_, client)| client.used()).sum()
    }

    /// Does something to each that watches something.
    pub(super) fn each_watching(&mut self, mut touch: impl FnMut(&mut Client)) {
        for id in &self.busy {
            let client = &mut self.slots[id.index()].client;
            if !client.watched.is_empty() {
                touch(client);
            }
        }
    }

    /// Checks what is known of each.
    ///
    /// # Panics
    /// When it is wrong.
    pub(super) fn verify(&self) {
        for (n, Slot { client, number, address: _, busy }) in self.slots.iter().enumerate() {
            let id = ClientId::nth(n);
            assert_eq!(
                self.busy.iter().filter(|busy| **busy == id).count(),
                usize::from(*busy),
                "{id:?} is told wrong"
            );
            assert!(*busy || !client.is_busy(), "{id:?} is busy, and nobody knows");
            assert_eq!(self.free.contains(&id), *number == 0, "{id:?} is free, or is not");
            assert!(*number > 0 || client.is_new(), "{id:?} hung up and left something");
            assert!(!client.dirty || !client.watched.is_empty(), "{id:?} watches nothing and has a touched watch");
            client.verify();
        }
    }
}
