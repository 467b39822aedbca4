//! The uses of one piece of memory: the last one on each stream, and those that are not queued yet.

use super::{Access, Marked, Order, Queue};

/// The number of reading streams that are remembered. The next one waits for all of them and then
/// stands for them all.
pub(super) const READERS: usize = 16;

/// The uses of one piece of memory that the next one may have to wait for.
#[derive(Debug)]
pub(super) struct Uses<S: Queue> {
    /// The number of the latest use, of the memory or of a part that has joined it.
    pub(super) number: u64,
    /// The streams that may have written since the last use that waited for all others.
    pub(super) writers: Vec<LastUse<S>>,
    /// The streams that have read since that use.
    pub(super) readers: Vec<LastUse<S>>,
    /// Whether it has been used on more than one stream.
    pub(super) crossed: bool,
    /// The orders of the parts that it was split into.
    pub(super) parts: Vec<Order<S>>,
    /// The number of launches that have begun a use and may not be queued yet.
    pub(super) under_way: usize,
    /// The number of those launches that may write the memory.
    pub(super) writing: usize,
    /// Whether the memory was freed.
    pub(super) gone: bool,
    /// Whether graphs, which borrow nothing, may use the memory.
    pub(super) in_graphs: bool,
}

/// The last uses on one stream.
#[derive(Debug, Clone)]
pub(super) struct LastUse<S: Queue> {
    pub(super) stream: S,
    /// The number of the latest use.
    pub(super) number: u64,
    /// The point after them. `None` if they may not be queued yet or were not marked; then a later
    /// use waits for everything that is queued on the stream.
    pub(super) mark: Option<Marked<S>>,
}

impl<S: Queue> Default for Uses<S> {
    fn default() -> Self {
        Self {
            number: 0,
            writers: Vec::new(),
            readers: Vec::new(),
            crossed: false,
            parts: Vec::new(),
            under_way: 0,
            writing: 0,
            gone: false,
            in_graphs: false,
        }
    }
}

impl<S: Queue> Uses<S> {
    /// Adds the uses of the parts to the whole, as writes, and forgets the parts, except
    /// those that stay.
    pub(super) fn join_parts_but(&mut self, stays: impl Fn(&Order<S>) -> bool) {
        for part in std::mem::take(&mut self.parts) {
            if stays(&part) {
                self.parts.push(part);
                continue;
            }
            let part = part.lock();
            self.crossed |= part.crossed;
            self.number = self.number.max(part.number);
            for earlier in part.writers.iter().chain(&part.readers) {
                join(&mut self.writers, earlier);
            }
        }
    }

    /// Calls `wait` with each stream that a use on `stream` comes after, notes the use, and
    /// returns its number.
    pub(super) fn wait<E>(
        &mut self,
        stream: &S,
        access: Access,
        wait: &mut impl FnMut(&S, Option<&Marked<S>>) -> Result<(), E>,
    ) -> Result<u64, E> {
        if let Some(number) = self.again(stream, access) {
            return Ok(number);
        }
        let compress = access == Access::Read && self.readers.len() >= READERS;
        let readers_too = (access == Access::Write || compress).then_some(&self.readers);
        let earlier = self.writers.iter().chain(readers_too.into_iter().flatten());
        for LastUse { stream, mark, .. } in earlier.filter(|earlier| earlier.stream != *stream) {
            self.crossed = true;
            wait(stream, mark.as_ref())?;
        }
        // Everything that was launched is queued, and this stream waits for it.
        let only = |past: &LastUse<S>| past.stream == *stream;
        match access {
            Access::Write if self.under_way == 0 => {
                self.writers.retain(only);
                self.readers.clear();
            }
            Access::Read if compress && self.under_way == 0 => self.readers.retain(only),
            _ => {}
        }
        Ok(self.note(stream, access))
    }

    /// Notes a use like the one before it, on the only stream with uses, and returns its number.
    /// It has nothing to wait for, as most uses by a graph.
    fn again(&mut self, stream: &S, access: Access) -> Option<u64> {
        let (list, others) = match access {
            Access::Write if self.readers.is_empty() => (&mut self.writers, &[][..]),
            Access::Write => return None,
            Access::Read => (&mut self.readers, &self.writers[..]),
        };
        let [past] = &mut list[..] else {
            return None;
        };
        let is_alone = past.stream == *stream && others.iter().all(|it| it.stream == *stream);
        is_alone.then(|| {
            self.number += 1;
            (past.number, past.mark) = (self.number, None);
            self.number
        })
    }

    /// Notes a use that may not be queued yet, and returns its number.
    pub(super) fn note(&mut self, stream: &S, access: Access) -> u64 {
        let list = match access {
            Access::Write => &mut self.writers,
            Access::Read => &mut self.readers,
        };
        self.number += 1;
        begin_again(list, stream, self.number);
        self.number
    }
}

/// Replaces the stream's last use by one that begins, or adds it.
fn begin_again<S: Queue>(list: &mut Vec<LastUse<S>>, stream: &S, number: u64) {
    match list.iter_mut().find(|past| past.stream == *stream) {
        Some(past) => (past.number, past.mark) = (number, None),
        None => list.push(LastUse {
            stream: stream.clone(),
            number,
            mark: None,
        }),
    }
}

/// Adds uses to a list. Of two marks of one stream, the later one stands for both. A missing mark
/// stands for the whole stream.
fn join<S: Queue>(list: &mut Vec<LastUse<S>>, other: &LastUse<S>) {
    let Some(past) = list.iter_mut().find(|past| past.stream == other.stream) else {
        list.push(other.clone());
        return;
    };
    past.number = past.number.max(other.number);
    match (&past.mark, &other.mark) {
        (Some((one, _)), Some((two, _))) if one >= two => {}
        (None, _) => {}
        _ => past.mark.clone_from(&other.mark),
    }
}
