//! Handles: numbers that name objects, so that a wrong handle is an error and not a crash.
//!
//! A handle is never a pointer to its object. All registries share one counter, so the handle of a
//! destroyed object never names another one. A handle of another kind, a small integer or garbage
//! is not found. The values start far from the special stream handles 1 and 2. Their low four bits
//! are zero as in a pointer, because some programs keep flags there.

use super::ledger::{self, ObjectKind};
use crate::abi::Handle;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// The next handle value. All kinds share one counter, so that no two live objects of any kind have
/// the same handle.
static NEXT: AtomicUsize = AtomicUsize::new(0x4c57_0000);

/// The live objects of one kind.
pub(crate) struct Registry<H, T> {
    entries: LazyLock<RwLock<HashMap<H, Arc<T>>>>,
    /// The kind of its objects for the check of leaks; `None` if they are freed
    /// with another object.
    what: Option<ObjectKind>,
}

impl<H: Handle, T> Registry<H, T> {
    /// Makes an empty registry.
    pub(crate) const fn new() -> Self {
        Registry {
            entries: LazyLock::new(|| RwLock::new(HashMap::new())),
            what: None,
        }
    }

    /// Makes an empty registry of objects that the program has to release.
    pub(crate) const fn to_give_back(what: ObjectKind) -> Self {
        Registry {
            what: Some(what),
            entries: LazyLock::new(|| RwLock::new(HashMap::new())),
        }
    }

    /// Adds the object that `make` makes from its handle.
    pub(crate) fn add(&self, make: impl FnOnce(H) -> T) -> Arc<T> {
        let handle = H::from_bits(NEXT.fetch_add(16, Ordering::Relaxed));
        let object = Arc::new(make(handle));
        self.entries.write().insert(handle, object.clone());
        if let Some(what) = self.what {
            ledger::made(what, handle.bits(), 0);
        }
        object
    }

    /// Returns the object that `handle` names.
    pub(crate) fn get(&self, handle: H) -> Option<Arc<T>> {
        self.entries.read().get(&handle).cloned()
    }

    /// Calls `with` with every live object.
    pub(crate) fn for_each(&self, with: impl FnMut(&T)) {
        self.entries
            .read()
            .values()
            .map(|object| &**object)
            .for_each(with);
    }

    /// Removes the object. The handle is invalid from now on.
    pub(crate) fn remove(&self, handle: H) -> Option<Arc<T>> {
        let removed = self.entries.write().remove(&handle);
        self.strike(handle);
        removed
    }

    /// Removes the object from the check of leaks.
    fn strike(&self, handle: H) {
        if let Some(what) = self.what {
            ledger::gone(what, handle.bits());
        }
    }

    /// Removes every object that `matches` accepts.
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
