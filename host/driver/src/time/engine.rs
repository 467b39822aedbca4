//! The engines of a device: who can work at the same time as whom.
//!
//! Each copy direction has an engine that does one copy at a time (with one copy engine in all, the
//! directions share it), and so have copies to and from other devices. The multiprocessors are one
//! engine that several kernels can share: a kernel takes the part of it that its blocks can fill,
//! at most [`KERNELS`] at a time. An operation takes the first gap at or after the moment it is
//! ready that is long enough and free enough; who is asked first, the timeline says.

use super::Nanoseconds;

/// Kernels that can be resident together (CUDA C++ Programming Guide, "Technical Specifications":
/// 128 from cc 5.0 on).
const KERNELS: u32 = 128;

/// All of an engine; parts of it are counted in millionths, so that sums are exact.
pub(crate) const WHOLE: u32 = 1_000_000;

/// What an operation occupies.
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

/// A kind of engine: what hardware queues keep apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    Compute,
    ToDevice,
    ToHost,
    ToPeer,
}

impl Engine {
    /// The kind it is of; none where nothing is occupied.
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

/// The engines of one device and when they are taken.
#[derive(Debug)]
pub(crate) struct Engines {
    one_copy_engine: bool,
    /// What is under way, by [`Class`].
    loads: [Load; 4],
}

impl Engines {
    /// The engines of a device on which nothing runs.
    pub(crate) fn new(copy_engines: u32) -> Engines {
        Engines {
            one_copy_engine: copy_engines < 2,
            loads: [const { Load::idle() }; 4],
        }
    }

    /// Which load is meant, which part of it, and how many may share it.
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

    /// The first moment from `ready` on at which `engine` can be taken for `duration`.
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

    /// Takes `engine` for `duration` from the first suitable moment not before `ready`, and returns
    /// that moment.
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

    /// Forgets what ended by `time`: nothing will be ready before that.
    pub(crate) fn forget(&mut self, time: Nanoseconds) {
        self.loads.iter_mut().for_each(|load| load.forget(time));
    }
}

/// From this moment to the next step's, so much is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    at: Nanoseconds,
    part: u32,
    count: u32,
}

/// How an engine's load goes over time, as steps; before the first and after the last it is idle.
#[derive(Debug)]
struct Load(Vec<Step>);

impl Load {
    const fn idle() -> Load {
        Load(Vec::new())
    }

    /// The first moment from `ready` on at which `part` of the engine is free for `duration`.
    fn first_gap(
        &self,
        ready: Nanoseconds,
        duration: Nanoseconds,
        part: u32,
        most: u32,
    ) -> Nanoseconds {
        let mut start = ready;
        // What ended by then is in nobody's way: programs leave thousands of steps behind.
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

    /// Takes `part` from `start` to `end`.
    fn add(&mut self, start: Nanoseconds, end: Nanoseconds, part: u32) {
        if start == end {
            return;
        }
        let (first, last) = (self.step_at(start), self.step_at(end));
        for step in &mut self.0[first..last] {
            step.part += part;
            step.count += 1;
        }
        // Work back to back becomes one step again, so that a long queue stays short here. Only the
        // two ends can have become like what is before them.
        self.join(last);
        self.join(first);
    }

    /// Removes the step at this index if it is like the one before.
    fn join(&mut self, index: usize) {
        let load = |index: usize| self.0.get(index).map(|step| (step.part, step.count));
        if index.checked_sub(1).and_then(load) == load(index) {
            self.0.remove(index);
        }
    }

    /// The index of the step that begins at `at`, which is made if there is none.
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
        // The step that `time` falls into still holds.
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
