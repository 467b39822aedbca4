//! Handles: numbers that name objects, so that a wrong one is an error and not a crash.
//!
//! A handle is never a pointer to its object. Each registry counts up, so a destroyed object's
//! handle names nothing ever after, and a handle of another kind, a small integer or garbage is not
//! found. Values start far from the special stream handles 1 and 2, and their low four bits are
//! zero as a pointer's would be, since some programs keep flags there.

use super::ledger::{self, ObjectKind};
use crate::abi::Handle;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// The next handle value; one count for all kinds, so that no two live objects of any kind share
/// one.
static NEXT: AtomicUsize = AtomicUsize::new(0x4c57_0000);

/// The live objects of one kind.
pub(crate) struct Registry<H, T> {
    entries: LazyLock<RwLock<HashMap<H, Arc<T>>>>,
    /// What its objects are for the check of leaks; none where they go with something else.
    what: Option<ObjectKind>,
}

impl<H: Handle, T> Registry<H, T> {
    /// An empty registry.
    pub(crate) const fn new() -> Self {
        Registry {
            entries: LazyLock::new(|| RwLock::new(HashMap::new())),
            what: None,
        }
    }

    /// An empty registry of objects that the program has to give back.
    pub(crate) const fn to_give_back(what: ObjectKind) -> Self {
        Registry {
            what: Some(what),
            entries: LazyLock::new(|| RwLock::new(HashMap::new())),
        }
    }

    /// Adds the object that `make` makes of its own handle.
    pub(crate) fn add(&self, make: impl FnOnce(H) -> T) -> Arc<T> {
        let handle = H::from_bits(NEXT.fetch_add(16, Ordering::Relaxed));
        let object = Arc::new(make(handle));
        self.entries.write().insert(handle, object.clone());
        if let Some(what) = self.what {
            ledger::made(what, handle.bits(), 0);
        }
        object
    }

    /// The object that `handle` names.
    pub(crate) fn get(&self, handle: H) -> Option<Arc<T>> {
        self.entries.read().get(&handle).cloned()
    }

    /// Runs `with` on every live object.
    pub(crate) fn for_each(&self, with: impl FnMut(&T)) {
        self.entries
            .read()
            .values()
            .map(|object| &**object)
            .for_each(with);
    }

    /// Takes the object out; the handle names nothing from now on.
    pub(crate) fn remove(&self, handle: H) -> Option<Arc<T>> {
        let removed = self.entries.write().remove(&handle);
        self.strike(handle);
        removed
    }

    /// The object is no leak any more.
    fn strike(&self, handle: H) {
        if let Some(what) = self.what {
            ledger::gone(what, handle.bits());
        }
    }

    /// Takes out every object that `matches`.
    pub(crate) fn remove_where(&self, matches: impl Fn(&T) -> bool) -> Vec<Arc<T>> {
        let mut entries = self.entries.write();
        let handles: Vec<H> = entries
            .iter()
            .filter(|(_, object)| matches(object))
            .map(|(&handle, _)| handle)
            .collect();
        handles
            .iter()
            .filter_map(|handle| {
                self.strike(*handle);
                entries.remove(handle)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::CUevent;

    #[test]
    fn a_removed_handle_names_nothing_ever_after() {
        let registry: Registry<CUevent, u32> = Registry::new();
        let mut handle = CUevent::default();
        registry.add(|h| {
            handle = h;
            7
        });
        assert_eq!(registry.get(handle).as_deref(), Some(&7));
        assert_eq!(registry.remove(handle).as_deref(), Some(&7));
        registry.add(|_| 8);
        assert!(registry.get(handle).is_none());
        assert!(registry.get(CUevent::from_bits(0xdead_beef)).is_none());
    }
}
