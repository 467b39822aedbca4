//! Places that threads share. Each is empty or holds one thing.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::sync::{
    Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError,
};

thread_local! {
    /// Whether this thread records a graph. It must not wait for another one then, which may wait
    /// for the end of the recording.
    static PATIENT: Cell<bool> = const { Cell::new(true) };
    /// Whether another thread has held something since this one is impatient.
    static MISSED: Cell<bool> = const { Cell::new(false) };
}

/// Does `work` without waiting for what other threads hold.
pub(super) fn impatiently<T>(work: impl FnOnce() -> T) -> T {
    PATIENT.set(false);
    MISSED.set(false);
    let done = work();
    PATIENT.set(true);
    done
}

/// Whether a place seemed empty because another thread held it.
pub(super) fn missed() -> bool {
    !PATIENT.get() && MISSED.get()
}

fn unless_busy<T>(locked: Result<T, TryLockError<T>>) -> Option<T> {
    match locked {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(guard)) => Some(guard.into_inner()),
        Err(TryLockError::WouldBlock) => {
            MISSED.set(true);
            None
        }
    }
}

/// Turn of this thread; none where it may not wait.
pub(super) fn turn<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match PATIENT.get() {
        true => Some(mutex.lock().unwrap_or_else(PoisonError::into_inner)),
        false => unless_busy(mutex.try_lock()),
    }
}

/// A place for one thing.
#[derive(Debug)]
pub(super) struct Slot<T>(RwLock<Option<T>>);

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self(RwLock::new(None))
    }
}

/// The thing, read.
pub(super) struct Shared<'a, T>(RwLockReadGuard<'a, Option<T>>);

impl<T> Deref for Shared<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("looked at when it was locked")
    }
}

/// The thing, to be changed.
pub(super) struct Alone<'a, T>(RwLockWriteGuard<'a, Option<T>>);

impl<T> Deref for Alone<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("looked at when it was locked")
    }
}

impl<T> DerefMut for Alone<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("looked at when it was locked")
    }
}

impl<T> Slot<T> {
    /// What is there.
    pub(super) fn read(&self) -> Option<Shared<'_, T>> {
        let guard = match PATIENT.get() {
            true => self.0.read().unwrap_or_else(PoisonError::into_inner),
            false => unless_busy(self.0.try_read())?,
        };
        guard.is_some().then_some(Shared(guard))
    }

    /// What is there, for this thread alone.
    pub(super) fn write(&self) -> Option<Alone<'_, T>> {
        let guard = self.place()?;
        guard.is_some().then_some(Alone(guard))
    }

    /// The place itself.
    pub(super) fn place(&self) -> Option<RwLockWriteGuard<'_, Option<T>>> {
        match PATIENT.get() {
            true => Some(self.0.write().unwrap_or_else(PoisonError::into_inner)),
            false => unless_busy(self.0.try_write()),
        }
    }

    /// Puts something there; what was there comes back.
    pub(super) fn put(&self, thing: T) -> Option<T> {
        match self.place() {
            Some(mut place) => place.replace(thing),
            None => Some(thing),
        }
    }

    /// Takes away what is there.
    pub(super) fn take(&self) -> Option<T> {
        self.place()?.take()
    }
}

/// Two of the same kind, one read and one changed; locked in the order of their numbers, as
/// all threads do.
pub(super) fn two<T>(
    slots: &[Slot<T>],
    from: usize,
    to: usize,
) -> Option<(Shared<'_, T>, Alone<'_, T>)> {
    if from < to {
        let from = slots[from].read()?;
        Some((from, slots[to].write()?))
    } else {
        let to = slots[to].write()?;
        Some((slots[from].read()?, to))
    }
}
