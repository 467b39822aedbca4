//! Handles of textures and surfaces.
//!
//! A handle contains an index into a list, and how often that index was used. So the handle of a
//! destroyed object is invalid, even when its index is used again. Launches read a snapshot, which
//! lives until they end.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Image, Texture};

/// The object of a handle.
#[derive(Debug, Clone, PartialEq)]
pub enum Object {
    /// A texture with its sampler.
    Texture(Texture),
    /// A surface, which has no sampler.
    Surface(Image),
    /// A `.texref` of a module to which the host has bound nothing yet.
    UnboundTexture,
    /// A `.surfref` of a module to which the host has bound nothing yet.
    UnboundSurface,
}

#[derive(Debug, Clone, Default)]
struct Slot {
    /// How often the index was used.
    generation: u32,
    object: Option<Arc<Object>>,
    /// Whether the handle belongs to a reference of a module, with or without a bound object.
    reference: bool,
}

/// All textures and surfaces of a device.
#[derive(Debug, Default)]
pub struct Images {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Made when a launch needs one, and kept until the list changes.
    snapshot: Option<Arc<Snapshot>>,
}

/// The position of the generation in a handle, in bits. The lower bits contain the index plus one.
const GENERATION: u32 = 32;

impl Images {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic while the lock is held is a bug in this crate. The list is consistent
        // between its statements.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an object and returns its handle.
    pub fn add(&self, object: Object) -> u64 {
        let state = &mut *self.lock();
        state.snapshot = None;
        let place = state.free.pop().unwrap_or_else(|| {
            state.slots.push(Slot::default());
            state.slots.len() as u32 - 1
        });
        let slot = &mut state.slots[place as usize];
        slot.generation = slot.generation.wrapping_add(1);
        slot.reference = matches!(object, Object::UnboundTexture | Object::UnboundSurface);
        slot.object = Some(Arc::new(object));
        u64::from(slot.generation) << GENERATION | u64::from(place + 1)
    }

    /// Binds another object to a live handle. Returns whether the handle was live.
    pub fn set(&self, handle: u64, object: Object) -> bool {
        let state = &mut *self.lock();
        state.snapshot = None;
        match find(&mut state.slots, handle) {
            Some(slot) => {
                slot.object = Some(Arc::new(object));
                true
            }
            None => false,
        }
    }

    /// Removes a handle. Returns whether it was live.
    pub fn remove(&self, handle: u64) -> bool {
        let state = &mut *self.lock();
        state.snapshot = None;
        match find(&mut state.slots, handle) {
            Some(slot) => {
                slot.object = None;
                state.free.push(handle as u32 - 1);
                true
            }
            None => false,
        }
    }

    /// Returns the object of a handle.
    pub fn get(&self, handle: u64) -> Option<Arc<Object>> {
        find(&mut self.lock().slots, handle)?.object.clone()
    }

    /// Returns the number of live handles.
    pub fn live(&self) -> usize {
        let state = self.lock();
        state.slots.len() - state.free.len()
    }

    /// Returns the live handles, in a form that a launch reads without a lock.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        let state = &mut *self.lock();
        let slots = &state.slots;
        state
            .snapshot
            .get_or_insert_with(|| {
                Arc::new(Snapshot {
                    slots: slots.clone(),
                })
            })
            .clone()
    }
}

/// Returns the live entry of a handle.
fn find(slots: &mut [Slot], handle: u64) -> Option<&mut Slot> {
    let place = (handle as u32).checked_sub(1)?;
    slots
        .get_mut(place as usize)
        .filter(|slot| u64::from(slot.generation) == handle >> GENERATION && slot.object.is_some())
}

/// The handles that were live at one moment.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    slots: Vec<Slot>,
}

impl Snapshot {
    /// Returns the number of handles that were live then.
    pub(crate) fn live(&self) -> usize {
        self.slots
            .iter()
            .filter(|slot| slot.object.is_some())
            .count()
    }

    fn slot(&self, handle: u64) -> Option<&Slot> {
        let place = (handle as u32).checked_sub(1)?;
        let slot = self.slots.get(place as usize)?;
        (u64::from(slot.generation) == handle >> GENERATION).then_some(slot)
    }

    /// Returns the object of a handle at that moment.
    pub(crate) fn get(&self, handle: u64) -> Option<&Object> {
        self.slot(handle)?.object.as_deref()
    }

    /// Returns whether a handle belonged to a module's reference, and not to an object that
    /// the host created.
    pub(crate) fn is_reference(&self, handle: u64) -> bool {
        self.slot(handle).is_some_and(|slot| slot.reference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_handle_names_nothing_when_its_place_is_taken_again() {
        let images = Images::default();
        let first = images.add(Object::UnboundTexture);
        assert!(images.remove(first));
        assert!(!images.remove(first));
        let second = images.add(Object::UnboundSurface);
        assert_ne!(first, second);
        assert!(images.get(first).is_none() && images.snapshot().get(first).is_none());
        assert_eq!(images.get(second).as_deref(), Some(&Object::UnboundSurface));
        assert_eq!(images.live(), 1);
    }

    #[test]
    fn a_snapshot_keeps_what_it_saw() {
        let images = Images::default();
        let handle = images.add(Object::UnboundTexture);
        let before = images.snapshot();
        assert!(images.set(handle, Object::UnboundSurface));
        assert_eq!(before.get(handle), Some(&Object::UnboundTexture));
        assert_eq!(images.snapshot().get(handle), Some(&Object::UnboundSurface));
    }

    #[test]
    fn no_number_is_a_handle_by_chance() {
        let images = Images::default();
        let handle = images.add(Object::UnboundTexture);
        for wrong in [
            0,
            1,
            2,
            u64::MAX,
            handle + 1,
            handle + (1 << 32),
            handle & 0xffff_ffff,
        ] {
            assert!(images.get(wrong).is_none(), "{wrong:#x}");
            assert!(!images.set(wrong, Object::UnboundTexture), "{wrong:#x}");
        }
    }
}
