//! Memory that is used on one stream only, and by no graph. Its uses take no lock.
//!
//! The stream runs its work in order, so a launch has nothing to wait for. It has nothing to note
//! either, because the stream is in the lists of [`Uses`] already, without a point: whoever comes
//! next on another stream waits for everything that is queued on this one.
//!
//! A launch looks at the word before its work is queued and again afterwards. If another stream has
//! used the memory in between, that stream may have waited before the work was queued. Such a use
//! can only be a read besides a read: the launch borrows the buffer until it has looked again. So
//! it is enough that the launch then notes its own use, before a write can begin.
//!
//! The second look does not come too early. If a wait or a point of another thread came before the
//! work in the stream, the driver's lock of the stream has ordered the two, and the change of the
//! word came before the wait.

use std::sync::atomic::{AtomicU64, Ordering};

use super::uses::Uses;
use super::{Access, Queue};

/// The stream's number, and whether it may have written the memory, in the lowest bit. It is 0 if
/// uses have to be noted.
#[derive(Debug, Default)]
pub(super) struct Alone(AtomicU64);

impl Alone {
    /// Returns whether all uses so far were on this stream, and are noted as this one would be.
    #[inline]
    pub(super) fn is<S: Queue>(&self, stream: &S, access: Access) -> bool {
        let (word, number) = (self.0.load(Ordering::Acquire), stream.number());
        match access {
            Access::Read => number > 0 && word >> 1 == number,
            Access::Write => number > 0 && word == number << 1 | 1,
        }
    }

    /// Notes that uses have to be noted. The uses are locked.
    pub(super) fn end(&self) {
        self.0.store(0, Ordering::Release);
    }

    /// Notes that `stream`, which has just begun a use, is alone, if it is.
    pub(super) fn begin<S: Queue>(&self, stream: &S, uses: &Uses<S>) {
        if uses.crossed || uses.in_graphs || !uses.parts.is_empty() {
            return;
        }
        let wrote = uses.writers.iter().any(|past| past.stream == *stream);
        let word = stream.number() << 1 | u64::from(wrote);
        self.0.store(word, Ordering::Release);
    }
}
