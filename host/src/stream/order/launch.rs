//! A launch's use of memory, from before its arguments are made until it is queued.

use super::uses::{LastUse, Uses};
use super::{Access, Marked, Order, Queue};

/// A launch that has begun to use the memory. It must be ended.
#[derive(Debug)]
#[must_use]
pub(crate) struct BegunUse<S: Queue> {
    order: Order<S>,
    access: Access,
    /// The number of its [`LastUse`]; `None` if it was not noted, because the memory is used on
    /// this stream only.
    number: Option<u64>,
}

/// Ends the uses of one launch on `stream` together, and leaves the list empty.
pub(crate) fn end_together<S: Queue>(uses: &mut Vec<BegunUse<S>>, stream: &S) {
    // One point after the launch serves for all of its uses.
    let mut common: Option<Option<Marked<S>>> = None;
    for one in uses.drain(..) {
        one.end(stream, || {
            common.get_or_insert_with(|| stream.mark()).clone()
        });
    }
}

/// A use that ends when it is dropped, or when its work is known to be done.
#[derive(Debug)]
pub(crate) struct LaunchUse<S: Queue> {
    /// `None` once it has ended.
    begun: Option<BegunUse<S>>,
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
        Ok(LaunchUse {
            begun: Some(self.begin_unowned(stream, access, wait)?),
            stream: stream.clone(),
        })
    }

    /// As [`Self::begin`], for a launch that ends all of its uses together: adds this one to them.
    pub(crate) fn begin_among<E>(
        &self,
        uses: &mut Vec<BegunUse<S>>,
        stream: &S,
        access: Access,
        wait: impl FnMut(&S, Option<&Marked<S>>) -> Result<(), E>,
    ) -> Result<(), E> {
        // Nearly every use is one of these. It is made in its place, for a copy of it would wait
        // for its parts to be stored.
        if self.0.alone.is(stream, access) {
            uses.push(BegunUse {
                order: self.clone(),
                access,
                number: None,
            });
            return Ok(());
        }
        uses.push(self.begin_unowned(stream, access, wait)?);
        Ok(())
    }

    /// As [`Self::begin`], for a caller that ends the use itself.
    pub(crate) fn begin_unowned<E>(
        &self,
        stream: &S,
        access: Access,
        mut wait: impl FnMut(&S, Option<&Marked<S>>) -> Result<(), E>,
    ) -> Result<BegunUse<S>, E> {
        let order = self.clone();
        if self.0.alone.is(stream, access) {
            let number = None;
            return Ok(BegunUse {
                order,
                access,
                number,
            });
        }
        let mut uses = self.lock_free();
        self.0.alone.end();
        // Reads of a part did not wait for reads of other parts. So the whole treats all uses of
        // its parts as writes.
        uses.join_parts_but(|_| false);
        let number = uses.wait(stream, access, &mut wait)?;
        uses.under_way += 1;
        uses.writing += usize::from(access == Access::Write);
        self.0.alone.begin(stream, &uses);
        Ok(BegunUse {
            order,
            access,
            number: Some(number),
        })
    }
}

impl<S: Queue> BegunUse<S> {
    /// Ends the use, because its work is queued on `stream`. `mark` returns the point after that
    /// work.
    fn end(self, stream: &S, mark: impl FnOnce() -> Option<Marked<S>>) {
        if self.number.is_none() && self.order.0.alone.is(stream, self.access) {
            return;
        }
        let mut uses = self.order.lock();
        if self.number.is_none() {
            // Another stream has used the memory meanwhile, and its waits may have come before this
            // work. The next use waits for everything that is queued on this stream.
            uses.note(stream, self.access);
            return;
        }
        uses.under_way -= 1;
        uses.writing -= usize::from(self.access == Access::Write);
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
    pub(crate) fn settle(mut self) {
        let Some(begun) = self.begun.take() else {
            return;
        };
        let BegunUse {
            order,
            access,
            number,
        } = &begun;
        match access {
            Access::Write => order.forget(),
            // A stream with a number may have had later uses that were not noted.
            Access::Read if self.stream.number() > 0 => {}
            // Another thread may have begun a later use on the same stream, which need not be over.
            Access::Read => {
                let is_it =
                    |past: &LastUse<S>| past.stream == self.stream && Some(past.number) == *number;
                order.lock().readers.retain(|past| !is_it(past));
            }
        }
        begun.end(&self.stream, || self.stream.mark());
    }
}

impl<S: Queue> Drop for LaunchUse<S> {
    fn drop(&mut self) {
        if let Some(begun) = self.begun.take() {
            begun.end(&self.stream, || self.stream.mark());
        }
    }
}
