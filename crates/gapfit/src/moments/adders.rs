//! What adds up rows on several threads.

use super::{Adder, Frame, Screen};
use std::sync::Mutex;

/// Adders in the same units, as many as are at work at once: their memory is large, so that of one part serves another.
pub(crate) struct Adders<'a> {
    pub(super) frame: &'a Frame,
    screens: Option<&'a [Screen]>,
    idle: Mutex<Vec<Adder<'a>>>,
}

impl<'a> Adders<'a> {
    /// For rows in these units; rows that the screens catch are set aside.
    pub(crate) fn new(frame: &'a Frame, screens: Option<&'a [Screen]>) -> Self {
        Self {
            frame,
            screens,
            idle: Mutex::default(),
        }
    }

    /// What `work` makes with one of them, which must have ended its part then.
    pub(crate) fn lend<T>(&self, work: impl FnOnce(&mut Adder<'a>) -> T) -> T {
        let mut adder = self.take();
        let made = work(&mut adder);
        self.give_back(adder);
        made
    }

    /// The same with one in other units, without screens.
    pub(super) fn lend_for<T>(&self, frame: &Frame, work: impl FnOnce(&mut Adder<'_>) -> T) -> T {
        let mut adder = self.take().recast(frame, None);
        let made = work(&mut adder);
        self.give_back(adder.recast(self.frame, self.screens));
        made
    }

    fn take(&self) -> Adder<'a> {
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        idle.unwrap_or_else(|| Adder::new(self.frame, self.screens))
    }

    fn give_back(&self, adder: Adder<'a>) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(adder);
        }
    }
}
