//! The keys of JSON rows: what each is for, and which have been seen.

use std::collections::HashMap;

use super::options::{Options, Roles};

/// What the value under a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Target,
    Weight,
    Id,
    Ignored,
    /// The feature of this number.
    Feature(usize),
}

/// All keys that have a place. New ones become features, until their row is refused.
#[derive(Debug)]
pub(super) struct Keys {
    /// The names of the features.
    names: Vec<String>,
    known: Vec<Key>,
    /// Where each stands in `known`.
    numbers: HashMap<String, usize>,
    /// The number of keys before the current row.
    before: usize,
    row: u64,
    /// The key that follows if this row has the keys of the others, in the same order.
    next: usize,
}

#[derive(Debug)]
struct Key {
    name: String,
    place: Place,
    /// The last row that had it.
    row: u64,
}

impl Keys {
    pub(super) fn new(roles: &Roles, options: &Options) -> Self {
        let mut keys = Self {
            names: Vec::new(),
            known: Vec::new(),
            numbers: HashMap::new(),
            before: 0,
            row: 0,
            next: 0,
        };
        for (role, name) in options.and_ignored(roles) {
            let place = match role {
                "target" => Place::Target,
                "weight" => Place::Weight,
                "id" => Place::Id,
                _ => Place::Ignored,
            };
            keys.add(name, place);
        }
        keys
    }

    /// The names of the features.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// A new row begins; the keys of the one before stay.
    pub(super) fn begin_row(&mut self) {
        self.before = self.known.len();
        self.row += 1;
        self.next = 0;
    }

    /// Forgets the keys that the current row has brought.
    pub(super) fn refuse_row(&mut self) {
        for key in self.known.drain(self.before..) {
            self.numbers.remove(&key.name);
            self.names.pop();
        }
    }

    /// The place of the next key of the row; `None` when the row has had it before.
    pub(super) fn place(&mut self, name: &str) -> Option<Place> {
        let number = match self.known.get(self.next) {
            Some(key) if key.name == name => self.next,
            _ => self.find_or_add(name),
        };
        self.next = number + 1;
        let key = &mut self.known[number];
        let is_new = std::mem::replace(&mut key.row, self.row) != self.row;
        is_new.then_some(key.place)
    }

    /// The name last given to [`place`](Self::place) in this row.
    pub(super) fn current(&self) -> &str {
        &self.known[self.next - 1].name
    }

    fn find_or_add(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.names.push(name.to_owned());
        self.add(name, Place::Feature(self.names.len() - 1))
    }

    fn add(&mut self, name: &str, place: Place) -> usize {
        let number = self.known.len();
        self.numbers.insert(name.to_owned(), number);
        self.known.push(Key {
            name: name.to_owned(),
            place,
            row: 0,
        });
        number
    }
}
