//! Graphs of a random program: what they do, and the expected result.

mod bodies;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};

use gpu::streams::advance::advance;
use kernels::{count_bins, count_up};
use lanewise::{
    Device, ExecutableGraph, Graph, GraphBuilder, GraphError, KernelNode, LaunchConfig,
    MemoryError, Record,
};

use super::calls::Queue;
use super::model;
use super::ops::{Op, Pick, different};
use super::slots::{Alone, Shared, Slot, missed, turn};
use super::world::{Buffer, Did, World, config};

/// A slot and the number of what was there.
type Key = (usize, u64);

/// What a node does.
#[derive(Debug, Clone, Copy)]
enum Work {
    Advance(Key, Key, u32),
    Copy(Key, Key),
    Zero(Key),
    Bins(Key, Key),
    Fill(Key, u8),
    Count,
    Call,
    /// Begins the body of a conditional node whose condition is false.
    Idle,
    /// Begins a loop over the given count of works, which runs while the number is even and not 0.
    Loop(Key, usize),
    /// Halves the number, and counts that.
    Halve(Key, Key),
    /// Advances zeros of the graph's own.
    FromZeros(Key),
}

impl Work {
    /// The buffers that it reads and writes.
    fn uses(self) -> [Option<Key>; 2] {
        match self {
            Self::Advance(from, to, _) | Self::Copy(from, to) | Self::Bins(from, to) => {
                [Some(from), Some(to)]
            }
            Self::Halve(number, times) => [Some(number), Some(times)],
            Self::Zero(to) | Self::Fill(to, _) | Self::Loop(to, _) | Self::FromZeros(to) => {
                [None, Some(to)]
            }
            Self::Count | Self::Call | Self::Idle => [None, None],
        }
    }
}

/// How often a template's function should have been called, and was.
#[derive(Debug, Clone, Default)]
pub(super) struct Calls {
    expected: Arc<AtomicUsize>,
    called: Arc<AtomicUsize>,
}

impl Calls {
    /// Sees whether it was, once nothing runs.
    pub(super) fn check(&self) -> Did {
        let [expected, called] =
            [&self.expected, &self.called].map(|count| count.load(Ordering::Acquire));
        match expected == called {
            true => Ok(()),
            false => Err(format!(
                "a graph's function was called {called} times, expected {expected}"
            )),
        }
    }
}

/// What a graph was built as.
#[derive(Clone, Default)]
struct Plan {
    work: Vec<Work>,
    /// The node that may get other arguments, and which of the work it is.
    change: Option<(KernelNode<advance>, usize)>,
    /// One for each of its functions.
    calls: Vec<Calls>,
    /// It has conditions or memory of its own: it is executable once at a time, and no part
    /// of other graphs.
    once: bool,
}

/// An executable graph.
pub(super) struct Made {
    graph: ExecutableGraph,
    plan: Plan,
    template: Option<Arc<(Graph, Plan)>>,
    device: Device,
}

/// A buffer for as long as a graph is made or launched.
enum Locked<'a> {
    None,
    Read(Shared<'a, Buffer>),
    Write(Alone<'a, Buffer>),
}

impl Locked<'_> {
    fn get(&self) -> Option<&Buffer> {
        match self {
            Self::None => None,
            Self::Read(buffer) => Some(buffer),
            Self::Write(buffer) => Some(buffer),
        }
    }

    fn get_mut(&mut self) -> Option<&mut Buffer> {
        match self {
            Self::Write(buffer) => Some(buffer),
            _ => None,
        }
    }
}

/// A buffer that is read, and one that is written.
fn pair<'a>(
    locked: &'a mut [Locked<'_>],
    from: usize,
    to: usize,
) -> Option<(&'a Buffer, &'a mut Buffer)> {
    let [from, to] = locked.get_disjoint_mut([from, to]).ok()?;
    Some((from.get()?, to.get_mut()?))
}

/// Whether no buffer that the work uses is gone.
fn all_there(plan: &Plan, locked: &[Locked<'_>]) -> bool {
    let keys = plan.work.iter().flat_map(|work| work.uses()).flatten();
    let there = |(slot, number): Key| {
        let buffer = locked[slot].get();
        buffer.is_some_and(|buffer| buffer.number == number)
    };
    keys.into_iter().all(there)
}

/// What came of adding a node: none where there was nothing to add.
fn added<T>(
    answer: Result<T, GraphError>,
    work: Work,
    same_length: bool,
    same_device: bool,
) -> Result<Option<(T, Work)>, String> {
    match answer {
        Ok(node) if same_device => Ok(Some((node, work))),
        Ok(_) => Err("a graph took another device's buffer".to_owned()),
        Err(GraphError::NotWhole) if !same_device => Ok(None),
        Err(GraphError::Memory(MemoryError::LengthMismatch { .. })) if !same_length => Ok(None),
        Err(error) => Err(format!("{error:?}")),
    }
}

/// What a pick is with what is there now: the work, and whether the lengths and the
/// devices are one.
fn work(pick: Pick, locked: &[Locked<'_>], device: &Device) -> Option<(Work, bool, bool)> {
    let key = |slot: usize| Some((slot, locked[slot].get()?.number));
    let work = match pick {
        Pick::Advance(from, to) => Work::Advance(key(from)?, key(to)?, 1),
        Pick::Copy(from, to) => Work::Copy(key(from)?, key(to)?),
        Pick::Zero(to) => Work::Zero(key(to)?),
        Pick::Bins(from, to) => Work::Bins(key(from)?, key(to)?),
        Pick::Fill(to, value) => Work::Fill(key(to)?, value),
        Pick::Count => Work::Count,
        Pick::Call => Work::Call,
    };
    let used = work.uses().into_iter().flatten();
    let used: Vec<&Buffer> = used.filter_map(|(slot, _)| locked[slot].get()).collect();
    let same_length = used
        .windows(2)
        .all(|two| two[0].expected.len() == two[1].expected.len());
    let same_device = used.iter().all(|buffer| buffer.memory.device() == device);
    Some((work, same_length, same_device))
}

type Added<T> = Result<Option<(T, Work)>, String>;

fn recorded(
    record: &mut Record<'_>,
    pick: Pick,
    locked: &mut [Locked<'_>],
    device: &Device,
) -> Added<()> {
    let Some((work, lengths, devices)) = work(pick, locked, device) else {
        return Ok(None);
    };
    let missing = || "a buffer is not there".to_owned();
    let answer = match work {
        Work::Advance((from, _), (to, _), rounds) => {
            let (from, to) = pair(locked, from, to).ok_or_else(missing)?;
            record.launch(
                advance,
                config(to.expected.len()),
                (&from.memory, &mut to.memory, rounds),
            )
        }
        Work::Bins((from, _), (to, _)) => {
            let (from, to) = pair(locked, from, to).ok_or_else(missing)?;
            record.launch(
                count_bins,
                config(from.expected.len()),
                (&from.memory, &mut to.memory),
            )
        }
        Work::Copy((from, _), (to, _)) => {
            let (from, to) = pair(locked, from, to).ok_or_else(missing)?;
            record.copy(&from.memory, &mut to.memory)
        }
        Work::Zero((to, _)) => {
            record.fill_zero(&mut locked[to].get_mut().ok_or_else(missing)?.memory)
        }
        Work::Count => record.launch(count_up, LaunchConfig::new(1, 32), ()),
        // No step of a recording.
        _ => return Ok(None),
    };
    added(answer, work, lengths, devices)
}

fn built(
    graph: &mut GraphBuilder<'_>,
    pick: Pick,
    locked: &mut [Locked<'_>],
    device: &Device,
    calls: &Calls,
) -> Added<Option<KernelNode<advance>>> {
    let Some((work, lengths, devices)) = work(pick, locked, device) else {
        return Ok(None);
    };
    let missing = || "a buffer is not there".to_owned();
    let mut change = None;
    let answer = match work {
        Work::Advance((from, _), (to, _), rounds) => {
            let (from, to) = pair(locked, from, to).ok_or_else(missing)?;
            let shape = config(48);
            let node =
                graph.launch_to_change(&[], advance, shape, (&from.memory, &mut to.memory, rounds));
            node.map(|(node, kernel)| {
                change = Some(kernel);
                node
            })
        }
        Work::Bins((from, _), (to, _)) => {
            let (from, to) = pair(locked, from, to).ok_or_else(missing)?;
            graph.launch(
                &[],
                count_bins,
                config(from.expected.len()),
                (&from.memory, &mut to.memory),
            )
        }
        Work::Copy((from, _), (to, _)) => {
            let (from, to) = pair(locked, from, to).ok_or_else(missing)?;
            graph.copy(&[], &from.memory, &mut to.memory)
        }
        Work::Zero((to, _)) => {
            graph.fill_zero(&[], &mut locked[to].get_mut().ok_or_else(missing)?.memory)
        }
        Work::Fill((to, _), value) => graph.fill(
            &[],
            &mut locked[to].get_mut().ok_or_else(missing)?.memory,
            value.into(),
        ),
        Work::Count => graph.launch(&[], count_up, LaunchConfig::new(1, 32), ()),
        Work::Call => {
            let called = calls.called.clone();
            graph.call(&[], move || {
                called.fetch_add(1, Ordering::AcqRel);
            })
        }
        Work::Idle | Work::Loop(..) | Work::Halve(..) | Work::FromZeros(_) => return Ok(None),
    };
    let added = added(answer.map(drop), work, lengths, devices)?;
    Ok(added.map(|((), work)| (change, work)))
}

/// Does to what should be there what work does.
fn play(work: &[Work], locked: &mut [Locked<'_>], mut symbol: Option<&mut u32>) -> Option<()> {
    let mut rest = work;
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        match *first {
            Work::Advance((from, _), (to, _), rounds) => {
                let (from, to) = pair(locked, from, to)?;
                model::advance(&from.expected, &mut to.expected, rounds);
            }
            Work::Bins((from, _), (to, _)) => {
                let (from, to) = pair(locked, from, to)?;
                model::bins(&from.expected, &mut to.expected);
            }
            Work::Copy((from, _), (to, _)) => {
                let (from, to) = pair(locked, from, to)?;
                to.expected.clone_from(&from.expected);
            }
            Work::Zero((to, _)) => locked[to].get_mut()?.expected.fill(0),
            Work::Fill((to, _), value) => locked[to].get_mut()?.expected.fill(value.into()),
            Work::FromZeros((to, _)) => {
                let to = &mut locked[to].get_mut()?.expected;
                let zeros = vec![0; to.len()];
                model::advance(&zeros, to, 1);
            }
            Work::Count => {
                if let Some(symbol) = &mut symbol {
                    **symbol = symbol.wrapping_add(32);
                }
            }
            Work::Call => {}
            Work::Idle => rest = rest.get(1..)?,
            Work::Halve((number, _), (times, _)) => {
                locked[number].get_mut()?.expected[0] /= 2;
                let times = &mut locked[times].get_mut()?.expected[0];
                *times = times.wrapping_add(1);
            }
            Work::Loop((number, _), length) => {
                let (body, behind) = rest.split_at_checked(length)?;
                rest = behind;
                loop {
                    play(body, locked, symbol.as_deref_mut())?;
                    let number = locked[number].get()?.expected[0];
                    if number == 0 || number % 2 == 1 {
                        break;
                    }
                }
            }
        }
    }
    Some(())
}

impl World<'_> {
    /// The buffers of these numbers, each read or written; in order, as all threads lock them.
    fn lock(&self, uses: impl Iterator<Item = [Option<usize>; 2]> + Clone) -> Vec<Locked<'_>> {
        fn lock(slot: &Slot<Buffer>, [read, written]: [bool; 2]) -> Locked<'_> {
            match [read, written] {
                [_, true] => slot.write().map_or(Locked::None, Locked::Write),
                [true, false] => slot.read().map_or(Locked::None, Locked::Read),
                [false, false] => Locked::None,
            }
        }
        let used = |number, which: usize| uses.clone().any(|both| both[which] == Some(number));
        let slots = self.buffers.iter().enumerate();
        slots
            .map(|(number, slot)| lock(slot, [0, 1].map(|which| used(number, which))))
            .collect()
    }

    fn lock_picks(&self, picks: &[Pick]) -> Vec<Locked<'_>> {
        self.lock(picks.iter().map(|pick| pick.uses()))
    }

    fn lock_plan(&self, plan: &Plan) -> Vec<Locked<'_>> {
        let uses = plan.work.iter().map(|work| work.uses());
        self.lock(uses.map(|both| both.map(|used| used.map(|(slot, _)| slot))))
    }

    /// Returns what was made from a graph's work, or none if one of its buffers was gone.
    fn made<T>(&self, answer: Result<T, GraphError>, plan: &Plan) -> Result<Option<T>, String> {
        match answer {
            Ok(made) => Ok(Some(made)),
            // What is gone stays gone.
            Err(GraphError::BufferIsGone { .. })
                if !all_there(plan, &self.lock_plan(plan)) || missed() =>
            {
                Ok(None)
            }
            Err(
                GraphError::HasConditions | GraphError::ExecutableTwice | GraphError::Driver(_),
            ) if plan.once => Ok(None),
            Err(error) => Err(format!("{error:?} of {:?}", plan.work)),
        }
    }

    pub(super) fn on_graphs(&self, op: Op) -> Option<Did> {
        Some(match op {
            Op::RecordGraph {
                graph,
                first,
                second,
                drops,
            } => {
                let mut slot = turn(&self.graphs[graph.get()])?;
                self.record(&[first, second], drops.get())
                    .map(|made| drop(made.map(|made| slot.replace(made))))
            }
            Op::BuildGraph {
                graph,
                first,
                second,
                third,
            } => {
                let mut slot = turn(&self.graphs[graph.get()])?;
                self.build(None, &[first, second, third])
                    .map(|made| drop(made.map(|made| slot.replace(made))))
            }
            Op::LaunchGraph { graph, stream } => {
                let queue = self.queue(stream.get())?;
                let slot = turn(&self.graphs[graph.get()])?;
                self.launch(slot.as_ref()?, &queue)?
            }
            Op::DropGraph { graph } => {
                let made = turn(&self.graphs[graph.get()])?.take();
                drop(made);
                Ok(())
            }
            Op::SetLaunch {
                graph,
                from,
                to,
                rounds,
            } => {
                let mut slot = turn(&self.graphs[graph.get()])?;
                let (from, to) = different(from.get(), to.get(), self.buffers.len());
                self.set_launch(slot.as_mut()?, from, to, rounds.get() as u32)?
            }
            Op::Update {
                graph,
                first,
                second,
            } => {
                let mut slot = turn(&self.graphs[graph.get()])?;
                self.update(&mut slot, &[first, second])?
            }
            Op::UpdateFrom { graph, other } => {
                let (graph, other) = different(graph.get(), other.get(), self.graphs.len());
                let template = turn(&self.graphs[other])?.as_ref()?.template.clone()?;
                let mut slot = turn(&self.graphs[graph])?;
                let made = slot.as_mut()?;
                match made.graph.update_from(&template.0) {
                    Ok(()) => {
                        let change = made.plan.change;
                        made.plan = Plan {
                            change,
                            ..template.1.clone()
                        };
                        Ok(())
                    }
                    Err(GraphError::NotUpdated { source: None, .. }) => Ok(()),
                    // It cannot be launched any more.
                    Err(GraphError::NotUpdated { .. }) => {
                        *slot = None;
                        Ok(())
                    }
                    Err(GraphError::HasConditions) if template.1.once => Ok(()),
                    Err(GraphError::Driver(_)) if template.1.once => {
                        *slot = None;
                        Ok(())
                    }
                    Err(error @ GraphError::BufferIsGone { .. }) => {
                        self.made::<()>(Err(error), &template.1).map(drop)
                    }
                    // Of another device.
                    Err(GraphError::Driver(_)) if self.devices.len() > 1 => Ok(()),
                    Err(error) => Err(format!("{error:?}")),
                }
            }
            Op::Instantiate { graph, other } => {
                let (graph, other) = different(graph.get(), other.get(), self.graphs.len());
                let (template, device) = {
                    let other = turn(&self.graphs[other])?;
                    let other = other.as_ref()?;
                    (other.template.clone()?, other.device.clone())
                };
                let plan = template.1.clone();
                let made = self.made(template.0.instantiate(), &plan);
                made.map(|made| {
                    let Some(made) = made else { return };
                    let made = Made {
                        graph: made,
                        plan,
                        template: Some(template),
                        device,
                    };
                    if let Some(mut slot) = turn(&self.graphs[graph]) {
                        drop(slot.replace(made));
                    }
                })
            }
            Op::Extend {
                graph,
                other,
                first,
            }
            | Op::Child {
                graph,
                other,
                first,
            } => {
                let extends = matches!(op, Op::Extend { .. });
                let (graph, other) = different(graph.get(), other.get(), self.graphs.len());
                let template = turn(&self.graphs[other])?.as_ref()?.template.clone()?;
                let mut slot = turn(&self.graphs[graph])?;
                self.build(Some((&template, extends)), &[first])
                    .map(|made| drop(made.map(|made| slot.replace(made))))
            }
            op => return self.on_bodies(op),
        })
    }

    /// Puts a graph in most places.
    pub(super) fn first_graphs(&self) -> Did {
        for (number, slot) in self.graphs.iter().enumerate().skip(1) {
            let picks = [Pick::Advance(number, 4), Pick::Call, Pick::Zero(number + 1)];
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = self.build(None, &picks)?;
        }
        Ok(())
    }

    fn calls(&self) -> Calls {
        let calls = Calls::default();
        self.calls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(calls.clone());
        calls
    }

    /// The device that a graph is made for.
    fn device_of(&self, locked: &[Locked<'_>]) -> Device {
        let first = locked.iter().find_map(Locked::get);
        first.map_or_else(
            || self.devices[0].clone(),
            |buffer| buffer.memory.device().clone(),
        )
    }

    /// Records a graph; a buffer may be dropped in the middle.
    fn record(&self, picks: &[Pick], drops: usize) -> Result<Option<Made>, String> {
        let mut locked = self.lock_picks(picks);
        let device = self.device_of(&locked);
        let (mut plan, mut wrong) = (Plan::default(), Ok(()));
        let graph = device.record(|record| {
            for pick in picks {
                match recorded(record, *pick, &mut locked, &device) {
                    Ok(done) => plan.work.extend(done.map(|((), work)| work)),
                    Err(why) => wrong = Err(why),
                }
            }
            if let Some(Locked::Write(buffer)) = locked.get_mut(drops) {
                let length = buffer.expected.len();
                let other = lanewise::DeviceBuffer::zeroed(&device, length)?;
                **buffer = Buffer::new(other, vec![0; length]);
            }
            Ok(())
        });
        wrong?;
        drop(locked);
        let graph = self.made(graph, &plan)?;
        Ok(graph.map(|graph| Made {
            graph,
            plan,
            template: None,
            device,
        }))
    }

    /// Builds a graph, behind another's nodes or that one as a node.
    fn build(
        &self,
        template: Option<(&(Graph, Plan), bool)>,
        picks: &[Pick],
    ) -> Result<Option<Made>, String> {
        let mut locked = self.lock_picks(picks);
        let device = match template {
            Some((template, _)) => template.0.device().clone(),
            None => self.device_of(&locked),
        };
        let calls = self.calls();
        let (mut plan, mut wrong) = (Plan::default(), Ok(()));
        let mut more = |graph: &mut GraphBuilder<'_>, plan: &mut Plan| {
            for pick in picks {
                match built(graph, *pick, &mut locked, &device, &calls) {
                    Ok(Some((change, work))) => {
                        plan.change = change.map(|node| (node, plan.work.len())).or(plan.change);
                        plan.work.push(work);
                        if matches!(work, Work::Call) {
                            plan.calls.push(calls.clone());
                        }
                    }
                    Ok(None) => {}
                    Err(why) => wrong = Err(why),
                }
            }
        };
        let made = match template {
            Some((template, true)) => {
                plan = template.1.clone();
                template.0.extend(|graph| {
                    more(graph, &mut plan);
                    Ok(())
                })
            }
            Some((template, false)) => device.build_graph(|graph| {
                plan = Plan {
                    change: None,
                    ..template.1.clone()
                };
                graph.child(&[], &template.0)?;
                more(graph, &mut plan);
                Ok(())
            }),
            None => device.build_graph(|graph| {
                more(graph, &mut plan);
                Ok(())
            }),
        };
        wrong?;
        drop(locked);
        let Some((template, ())) = self.made(made, &plan)? else {
            return Ok(None);
        };
        let graph = self.made(template.instantiate(), &plan)?;
        let template = Some(Arc::new((template, plan.clone())));
        Ok(graph.map(|graph| Made {
            graph,
            plan,
            template,
            device,
        }))
    }

    fn launch(&self, made: &Made, queue: &Queue) -> Option<Did> {
        let plan = &made.plan;
        let counts = plan.work.iter().any(|work| matches!(work, Work::Count));
        let mut symbol = match counts {
            true => Some(turn(&self.symbols[made.device.ordinal()])?),
            false => None,
        };
        let mut locked = self.lock_plan(plan);
        if missed() {
            return None;
        }
        let all_there = all_there(plan, &locked);
        let same_device = *queue.stream.device() == made.device;
        match made.graph.launch(&queue.stream) {
            Ok(()) if all_there && same_device => {}
            Err(GraphError::BufferIsGone { .. }) if !all_there => return Some(Ok(())),
            Err(GraphError::OtherDevice { .. }) if !same_device => return Some(Ok(())),
            answer => {
                return Some(Err(format!(
                    "{answer:?} of {:?}, all there: {all_there}",
                    plan.work
                )));
            }
        }
        play(&plan.work, &mut locked, symbol.as_deref_mut())?;
        for calls in &plan.calls {
            calls.expected.fetch_add(1, Ordering::AcqRel);
        }
        Some(Ok(()))
    }

    fn set_launch(&self, made: &mut Made, from: usize, to: usize, rounds: u32) -> Option<Did> {
        let (node, number) = made.plan.change?;
        let (from_buffer, mut to_buffer) = super::slots::two(&self.buffers, from, to)?;
        let same_device =
            [from_buffer.memory.device(), to_buffer.memory.device()] == [&made.device; 2];
        let arguments = (&from_buffer.memory, &mut to_buffer.memory, rounds);
        match made.graph.set_launch(node, config(48), arguments) {
            Ok(()) if same_device => {
                let keys = ((from, from_buffer.number), (to, to_buffer.number));
                made.plan.work[number] = Work::Advance(keys.0, keys.1, rounds);
                Some(Ok(()))
            }
            Err(GraphError::NotWhole) if !same_device => Some(Ok(())),
            // Others may run at the same time, or it has been updated by recorded work.
            Err(GraphError::Unordered { .. } | GraphError::OtherGraph) => Some(Ok(())),
            answer => Some(Err(format!("{answer:?}"))),
        }
    }

    fn update(&self, slot: &mut Option<Made>, picks: &[Pick]) -> Option<Did> {
        let made = slot.as_mut()?;
        let mut locked = self.lock_picks(picks);
        let (mut plan, mut wrong) = (Plan::default(), Ok(()));
        let device = made.device.clone();
        let updated = made.graph.update(|record| {
            for pick in picks {
                match recorded(record, *pick, &mut locked, &device) {
                    Ok(done) => plan.work.extend(done.map(|((), work)| work)),
                    Err(why) => wrong = Err(why),
                }
            }
            Ok(())
        });
        match updated {
            Ok(()) => made.plan = plan,
            // It cannot be launched any more.
            Err(GraphError::NotUpdated { .. }) => *slot = None,
            Err(error) => wrong = Err(format!("{error:?}")),
        }
        Some(wrong)
    }
}
