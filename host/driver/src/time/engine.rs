//! The engines of a device, and which operations can use them at the same time.
//!
//! Each copy direction has an engine that does one copy at a time. On a device with a single copy
//! engine the directions share it. Copies to and from other devices have an engine of their own.
//! The multiprocessors are one engine that several kernels can share: a kernel takes the part that
//! its blocks can fill, and at most [`KERNELS`] kernels run at a time. An operation takes the first
//! gap, at or after the moment it is ready, that is long enough and has enough free capacity. The
//! timeline determines the order in which operations are placed.

use super::Nanoseconds;

/// The number of kernels that can be resident together (CUDA C++ Programming Guide, "Technical
/// Specifications": 128 from cc 5.0 on).
const KERNELS: u32 = 128;

/// A whole engine. Parts of it are counted in millionths, so that sums are exact.
pub(crate) const WHOLE: u32 = 1_000_000;

/// The engine that an operation occupies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    /// Nothing: an event, a wait, a function on the host.
    None,
    /// The copy engine towards the device.
    HostToDevice,
    /// The copy engine towards the host.
    DeviceToHost,
    /// The copy engine that moves bytes between this device and another.
    Peer,
    /// This part of the multiprocessors, in millionths.
    Compute(u32),
}

/// A kind of engine. Each hardware queue handles the kinds separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    Compute,
    ToDevice,
    ToHost,
    ToPeer,
}

impl Engine {
    /// Returns the kind of the engine; `None` if nothing is occupied.
    pub(crate) fn class(self) -> Option<Class> {
        match self {
            Engine::None => None,
            Engine::HostToDevice => Some(Class::ToDevice),
            Engine::DeviceToHost => Some(Class::ToHost),
            Engine::Peer => Some(Class::ToPeer),
            Engine::Compute(_) => Some(Class::Compute),
        }
    }
}

/// The engines of one device, and the times at which they are occupied.
#[derive(Debug)]
pub(crate) struct Engines {
    one_copy_engine: bool,
    /// The load of each engine, by [`Class`].
    loads: [Load; 4],
}

impl Engines {
    /// Makes the engines of an idle device.
    pub(crate) fn new(copy_engines: u32) -> Engines {
        Engines {
            one_copy_engine: copy_engines < 2,
            loads: [const { Load::idle() }; 4],
        }
    }

    /// Returns the index of an engine's load, the part of it that is occupied, and how many
    /// operations may share it.
    fn share(&self, engine: Engine) -> Option<(usize, u32, u32)> {
        let class = match engine.class()? {
            Class::ToHost if self.one_copy_engine => Class::ToDevice,
            class => class,
        };
        let (part, most) = match engine {
            Engine::Compute(part) => (part.min(WHOLE), KERNELS),
            _ => (WHOLE, 1),
        };
        Some((class as usize, part, most))
    }

    /// Returns the first moment from `ready` on at which `engine` is free for `duration`.
    pub(crate) fn first_gap(
        &self,
        engine: Engine,
        ready: Nanoseconds,
        duration: Nanoseconds,
    ) -> Nanoseconds {
        match self.share(engine) {
            None => ready,
            Some((load, part, most)) => self.loads[load].first_gap(ready, duration, part, most),
        }
    }

    /// Occupies `engine` for `duration` from the first suitable moment not before `ready`, and
    /// returns that moment.
    pub(crate) fn take(
        &mut self,
        engine: Engine,
        ready: Nanoseconds,
        duration: Nanoseconds,
    ) -> Nanoseconds {
        let start = self.first_gap(engine, ready, duration);
        if let Some((load, part, _)) = self.share(engine) {
            self.loads[load].add(start, start.saturating_add(duration), part);
        }
        start
    }

    /// Removes the load that ended by `time`. No operation will be ready before that.
    pub(crate) fn forget(&mut self, time: Nanoseconds) {
        self.loads.iter_mut().for_each(|load| load.forget(time));
    }
}

/// The part that is occupied from this moment to the next step's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    at: Nanoseconds,
    part: u32,
    count: u32,
}

/// The load of an engine over time, as steps. It is idle before the first step and after the last.
#[derive(Debug)]
struct Load(Vec<Step>);

impl Load {
    const fn idle() -> Load {
        Load(Vec::new())
    }

    /// Returns the first moment from `ready` on at which `part` of the engine is
    /// free for `duration`.
    fn first_gap(
        &self,
        ready: Nanoseconds,
        duration: Nanoseconds,
        part: u32,
        most: u32,
    ) -> Nanoseconds {
        let mut start = ready;
        // Steps that ended before are skipped, because programs leave thousands of them.
        let under_way = self.0.partition_point(|step| step.at <= ready);
        let steps = &self.0[under_way.saturating_sub(1)..];
        for (step, next) in steps.iter().zip(steps.iter().skip(1)) {
            let taken = step.part + part > WHOLE || step.count >= most;
            if step.at >= start.saturating_add(duration) {
                break;
            }
            if taken && next.at > start {
                start = next.at;
            }
        }
        start
    }

    /// Occupies `part` from `start` to `end`.
    fn add(&mut self, start: Nanoseconds, end: Nanoseconds, part: u32) {
        if start == end {
            return;
        }
        let (first, last) = (self.step_at(start), self.step_at(end));
        for step in &mut self.0[first..last] {
            step.part += part;
            step.count += 1;
        }
        // Adjacent steps with the same load are joined again, so that the list stays short for a
        // long queue. Only the two ends can have become equal to the steps before them.
        self.join(last);
        self.join(first);
    }

    /// Removes the step at this index if its load equals that of the step before.
    fn join(&mut self, index: usize) {
        let load = |index: usize| self.0.get(index).map(|step| (step.part, step.count));
        if index.checked_sub(1).and_then(load) == load(index) {
            self.0.remove(index);
        }
    }

    /// Returns the index of the step that begins at `at`. Makes the step if there is none.
    fn step_at(&mut self, at: Nanoseconds) -> usize {
        match self.0.binary_search_by_key(&at, |step| step.at) {
            Ok(index) => index,
            Err(index) => {
                let before = index.checked_sub(1).map_or(
                    Step {
                        at,
                        part: 0,
                        count: 0,
                    },
                    |i| self.0[i],
                );
                self.0.insert(index, Step { at, ..before });
                index
            }
        }
    }

    fn forget(&mut self, time: Nanoseconds) {
        let past = self.0.partition_point(|step| step.at <= time);
        // The step that contains `time` is kept.
        self.0.drain(..past.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_in_two_directions_overlap_and_in_one_direction_queue() {
        let mut engines = Engines::new(3);
        assert_eq!(engines.take(Engine::HostToDevice, 0, 100), 0);
        assert_eq!(engines.take(Engine::DeviceToHost, 0, 100), 0);
        assert_eq!(engines.take(Engine::HostToDevice, 0, 100), 100);
    }

    #[test]
    fn one_copy_engine_serves_both_directions() {
        let mut engines = Engines::new(1);
        assert_eq!(engines.take(Engine::HostToDevice, 0, 100), 0);
        assert_eq!(engines.take(Engine::DeviceToHost, 0, 100), 100);
    }

    #[test]
    fn small_kernels_share_the_multiprocessors_and_a_full_one_waits() {
        let mut engines = Engines::new(3);
        let part = Engine::Compute(400_000);
        assert_eq!(engines.take(part, 0, 100), 0);
        assert_eq!(engines.take(part, 0, 50), 0);
        assert_eq!(engines.take(part, 0, 10), 50);
        assert_eq!(engines.take(Engine::Compute(WHOLE), 0, 10), 100);
    }

    #[test]
    fn no_more_than_128_kernels_are_resident() {
        let mut engines = Engines::new(3);
        for _ in 0..KERNELS {
            assert_eq!(engines.take(Engine::Compute(1), 0, 100), 0);
        }
        assert_eq!(engines.take(Engine::Compute(1), 0, 100), 100);
    }

    #[test]
    fn what_is_ready_early_takes_a_gap_before_what_was_submitted_first() {
        let mut engines = Engines::new(3);
        assert_eq!(engines.take(Engine::HostToDevice, 1000, 100), 1000);
        assert_eq!(engines.take(Engine::HostToDevice, 0, 100), 0);
        assert_eq!(
            engines.take(Engine::HostToDevice, 0, 950),
            1100,
            "the gap from 100 to 1000 is too short"
        );
    }

    #[test]
    fn a_long_queue_is_one_step_and_the_past_is_forgotten() {
        let mut engines = Engines::new(3);
        for _ in 0..1000 {
            engines.take(Engine::Compute(WHOLE), 0, 100);
        }
        assert_eq!(engines.loads[Class::Compute as usize].0.len(), 2);
        engines.forget(99_999);
        assert_eq!(engines.take(Engine::Compute(WHOLE), 99_999, 10), 100_000);
        engines.forget(1_000_000);
        assert_eq!(engines.loads[Class::Compute as usize].0.len(), 1);
    }
}
