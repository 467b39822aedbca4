//! A launch's use of memory, from before its arguments are made until it is queued.

use super::uses::{LastUse, Uses};
use super::{Access, Marked, Order, Queue};

/// A launch that uses the memory, from before its arguments are made until it is queued.
#[derive(Debug)]
pub(crate) struct LaunchUse<S: Queue> {
    order: Order<S>,
    stream: S,
    access: Access,
    /// The number of its [`LastUse`].
    number: u64,
    /// Whether the launch is queued.
    is_over: bool,
}

/// Ends the uses of one launch together, and leaves the list empty.
pub(crate) fn end_together<S: Queue>(uses: &mut Vec<LaunchUse<S>>) {
    // One point after the launch serves for all of its uses.
    let mut common: Option<Option<Marked<S>>> = None;
    for part in &mut *uses {
        part.end(|stream| common.get_or_insert_with(|| stream.mark()).clone());
    }
    uses.clear();
}

impl<S: Queue> Order<S> {
    /// Begins a use on `stream`. Calls `wait` with each stream that has to be waited for, and with
    /// the point in it if one was marked.
    pub(crate) fn begin<E>(
        &self,
        stream: &S,
        access: Access,
        mut wait: impl FnMut(&S, Option<&Marked<S>>) -> Result<(), E>,
    ) -> Result<LaunchUse<S>, E> {
        let mut uses = self.lock_free();
        // Reads of a part did not wait for reads of other parts. So the whole treats all uses of
        // its parts as writes.
        uses.join_parts_but(|_| false);
        let number = uses.wait(stream, access, &mut wait)?;
        uses.under_way += 1;
        uses.writing += usize::from(access == Access::Write);
        Ok(LaunchUse {
            order: self.clone(),
            stream: stream.clone(),
            access,
            number,
            is_over: false,
        })
    }
}

impl<S: Queue> LaunchUse<S> {
    /// Notes that the host has waited for the work of this use. A write comes after all other uses,
    /// so all of them are over.
    pub(crate) fn settle(&self) {
        match self.access {
            Access::Write => self.order.forget(),
            // Another thread may have begun a later use on the same stream, which need not be over.
            Access::Read => {
                let is_it =
                    |past: &LastUse<S>| past.stream == self.stream && past.number == self.number;
                self.order.lock().readers.retain(|past| !is_it(past));
            }
        }
    }

    /// Ends the use, because its work is queued. `mark` returns the point of its stream after that
    /// work.
    fn end(&mut self, mark: impl FnOnce(&S) -> Option<Marked<S>>) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        let mut uses = self.order.lock();
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
            .filter(|past| past.stream == self.stream)
            .peekable();
        if own.peek().is_some() {
            let mark = mark(&self.stream);
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

impl<S: Queue> Drop for LaunchUse<S> {
    fn drop(&mut self) {
        self.end(S::mark);
    }
}
