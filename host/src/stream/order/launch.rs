//! A launch's use of memory, from before its arguments are made until it is queued.

use super::uses::{LastUse, Uses};
use super::{Access, Marked, Memory, Order, Queue};

/// A launch that has begun to use memory that it borrows. It must be ended.
///
/// It is no handle of the memory's uses: a launch would count a handle of each buffer up and down,
/// which costs as much as all else that it does for one.
#[derive(Debug)]
#[must_use]
pub(crate) struct BegunUse<S: Queue> {
    /// It is there until the use has ended: see [`Order::begin_among`].
    memory: *const Memory<S>,
    access: Access,
    number: UseNumber,
}

/// The number of a [`LastUse`]; `None` if it was not noted, because the memory is used on this
/// stream only.
type UseNumber = Option<u64>;

/// Ends the uses of one launch on `stream` together, and leaves the list empty.
#[inline]
pub(crate) fn end_together<S: Queue>(uses: &mut Vec<BegunUse<S>>, stream: &S) {
    // One point after the launch serves for all of its uses.
    let mut common: Option<Option<Marked<S>>> = None;
    for BegunUse {
        memory,
        access,
        number,
    } in uses.drain(..)
    {
        // SAFETY: who began the use promised that the memory is there until now.
        let memory = unsafe { &*memory };
        if number.is_none() && memory.alone.is(stream, access) {
            continue; // nearly every use
        }
        memory.end_use(stream, access, number, || {
            common.get_or_insert_with(|| stream.mark()).clone()
        });
    }
}

/// A use that ends when it is dropped, or when its work is known to be done.
#[derive(Debug)]
pub(crate) struct LaunchUse<S: Queue> {
    order: Order<S>,
    access: Access,
    number: UseNumber,
    stream: S,
}

impl<S: Queue> Order<S> {
    /// Begins a use on `stream`. Calls `wait` with each stream that has to be waited for, and with
    /// the point in it if one was marked.
    pub(crate) fn begin<E>(
        &self,
        stream: &S,
        access: Access,
        wait: impl FnMut(&S, Option<&Marked<S>>) -> Result<(), E>,
    ) -> Result<LaunchUse<S>, E> {
        let number = if self.0.alone.is(stream, access) {
            None
        } else {
            Some(self.begin_noted(stream, access, wait)?)
        };
        Ok(LaunchUse {
            order: self.clone(),
            access,
            number,
            stream: stream.clone(),
        })
    }

    /// As [`Self::begin`], for a launch that ends all of its uses together: adds this one to them.
    ///
    /// # Safety
    /// The memory of this order is there until the uses have ended.
    #[inline(always)]
    pub(crate) unsafe fn begin_among<E>(
        &self,
        uses: &mut Vec<BegunUse<S>>,
        stream: &S,
        access: Access,
        wait: impl FnMut(&S, Option<&Marked<S>>) -> Result<(), E>,
    ) -> Result<(), E> {
        let number = if self.0.alone.is(stream, access) {
            None // nearly every use
        } else {
            Some(self.begin_noted(stream, access, wait)?)
        };
        uses.push(BegunUse {
            memory: &raw const *self.0,
            access,
            number,
        });
        Ok(())
    }

    /// Begins a use and notes it, for memory that is not used on this stream only.
    #[inline(never)] // so that what surrounds it stays small
    fn begin_noted<E>(
        &self,
        stream: &S,
        access: Access,
        mut wait: impl FnMut(&S, Option<&Marked<S>>) -> Result<(), E>,
    ) -> Result<u64, E> {
        let mut uses = self.lock_free();
        self.0.alone.end();
        // Reads of a part did not wait for reads of other parts. So the whole treats all uses of
        // its parts as writes.
        uses.join_parts_but(|_| false);
        let number = uses.wait(stream, access, &mut wait)?;
        uses.under_way += 1;
        uses.writing += usize::from(access == Access::Write);
        self.0.alone.begin(stream, &uses);
        Ok(number)
    }
}

impl<S: Queue> Memory<S> {
    /// Notes that the launch has been queued on `stream`. `mark` marks the point after it.
    fn end_use(
        &self,
        stream: &S,
        access: Access,
        number: UseNumber,
        mark: impl FnOnce() -> Option<Marked<S>>,
    ) {
        if number.is_none() && self.alone.is(stream, access) {
            return;
        }
        let mut uses = self.lock();
        if number.is_none() {
            // Another stream has used the memory meanwhile, and its waits may have come before this
            // work. The next use waits for everything that is queued on this stream.
            uses.note(stream, access);
            return;
        }
        uses.under_way -= 1;
        uses.writing -= usize::from(access == Access::Write);
        if !uses.crossed {
            return;
        }
        // If the stream is no longer in the lists, it was waited for, or its uses are over.
        let Uses {
            writers, readers, ..
        } = &mut *uses;
        let mut own = writers
            .iter_mut()
            .chain(readers)
            .filter(|past| past.stream == *stream)
            .peekable();
        if own.peek().is_some() {
            let mark = mark();
            // Another thread's use may have begun and ended since this launch was queued. Its point
            // is the later one.
            let is_newer = |past: &&mut LastUse<S>| match (&past.mark, &mark) {
                (Some((earlier, _)), Some((this, _))) => earlier < this,
                _ => true,
            };
            own.filter(is_newer)
                .for_each(|past| past.mark.clone_from(&mark));
        }
    }
}

impl<S: Queue> LaunchUse<S> {
    /// Ends the use, and notes that the host has waited for its work. A write comes after all other
    /// uses, so all of them are over.
    pub(crate) fn settle(self) {
        match self.access {
            Access::Write => self.order.forget(),
            // A stream with a number may have had later uses that were not noted.
            Access::Read if self.stream.number() > 0 => {}
            // Another thread may have begun a later use on the same stream, which need not be over.
            Access::Read => {
                let is_it = |past: &LastUse<S>| {
                    past.stream == self.stream && Some(past.number) == self.number
                };
                self.order.lock().readers.retain(|past| !is_it(past));
            }
        }
        // It ends as it is dropped.
    }
}

impl<S: Queue> Drop for LaunchUse<S> {
    fn drop(&mut self) {
        let Self {
            order,
            access,
            number,
            stream,
        } = self;
        order.0.end_use(stream, *access, *number, || stream.mark());
    }
}
