//! Executable graphs: a copy of a graph's nodes from the time of instantiation, in an order in
//! which they can run.
//!
//! A launch adds the whole graph to a stream as one operation. The nodes run one after the other on
//! the stream's thread, which is an order that CUDA allows. In modelled time, nodes that do not
//! wait for each other overlap, as they would on a GPU.

use super::user_object::References;
use super::{Graph, Kind, Node};
use crate::abi::enums::{graph_instantiate as flag, graph_update as update};
use crate::abi::{CUgraphExec, CUgraphNode};
use crate::error::{Error, Result, ensure, fail};
use crate::objects::condition::Condition;
use crate::objects::handle::ledger::ObjectKind;
use crate::objects::handle::registry::Registry;
use crate::objects::memory::graph_memory;
use crate::objects::stream::work::Work;
use crate::time::operation::Cost;
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// All live executable graphs.
pub(crate) static EXECS: Registry<CUgraphExec, Exec> = Registry::to_give_back(ObjectKind::Exec);

/// A graph that can be launched.
#[derive(Debug)]
pub(crate) struct Exec {
    pub(crate) handle: CUgraphExec,
    /// The flags it was made with, `CUgraphInstantiate_flags`.
    pub(crate) flags: u64,
    /// The user objects that it keeps alive.
    pub(crate) objects: References,
    plan: Mutex<Plan>,
    /// Its last launch. The next launch waits for it.
    pub(crate) last: Mutex<Option<Arc<Work>>>,
}

/// The nodes in the order in which they run.
#[derive(Debug, Clone)]
struct Plan(Vec<Planned>);

#[derive(Debug, Clone)]
struct Planned {
    /// The graph's node that it was made from.
    node: CUgraphNode,
    kind: Kind,
    /// The indices of the nodes that it waits for.
    after: Vec<usize>,
    /// The graph that a child node runs.
    child: Option<Plan>,
    /// The bodies that a conditional node may run.
    bodies: Vec<Plan>,
    enabled: bool,
    /// Its position in the order in which nodes were added. An update uses it to find
    /// the matching node.
    added: usize,
}

/// One operation of a launch.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) kind: Kind,
    /// The indices of the operations that it waits for. The list is empty for one that begins
    /// with the launch.
    pub(crate) after: Vec<usize>,
    /// For a conditional node: the operations of its bodies, in an order in which they can run.
    bodies: Vec<Vec<Member>>,
}

impl Member {
    /// Runs the operation. For a conditional node it runs one body after another while the
    /// condition requires it. The bodies' operations run one after another, in modelled time too.
    pub(crate) fn run(&self, fault: Option<&Error>) -> Result<Cost> {
        let Kind::Conditional(conditional) = &self.kind else {
            return self.kind.run(fault);
        };
        let mut whole = Cost::NOTHING;
        if fault.is_none() {
            conditional.run(|body| {
                for member in &self.bodies[body] {
                    let cost = member.run(None)?;
                    if cost != Cost::NOTHING {
                        whole = Cost {
                            duration: whole.duration + cost.duration,
                            ..cost
                        };
                    }
                }
                Ok(())
            })?;
        }
        Ok(whole)
    }

    /// Returns whether it, or an operation in its bodies, is a function of the program.
    pub(crate) fn calls_program(&self) -> bool {
        let mut bodies = self.bodies.iter().flatten();
        matches!(self.kind, Kind::Host(_)) || bodies.any(Member::calls_program)
    }

    /// Adds the conditions that it and its bodies use to `all`.
    pub(crate) fn conditions(&self, all: &mut Vec<Arc<Condition>>) {
        if let Kind::Conditional(conditional) = &self.kind {
            all.push(conditional.condition.clone());
        }
        for member in self.bodies.iter().flatten() {
            member.conditions(all);
        }
    }
}

/// The reason why an update was not made: the `CUgraphExecUpdateResult`, the node, and a message.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) result: u32,
    pub(crate) node: CUgraphNode,
    pub(crate) why: String,
}

/// Returns the executable graph that `handle` names.
pub(crate) fn get(handle: CUgraphExec) -> Result<Arc<Exec>> {
    match EXECS.get(handle) {
        Some(exec) => Ok(exec),
        None => fail!(
            ERROR_INVALID_VALUE,
            "{:#x} is not a live executable graph: it was destroyed, or never was one",
            handle.0
        ),
    }
}

/// Makes an executable graph from `graph`.
pub(crate) fn instantiate(graph: &Graph, flags: u64) -> Result<Arc<Exec>> {
    ensure!(
        flags & !u64::from(flag::ALL) == 0,
        ERROR_INVALID_VALUE,
        "{flags:#x} are no CUgraphInstantiate_flags"
    );
    let both = u64::from(flag::AUTO_FREE_ON_LAUNCH | flag::DEVICE_LAUNCH);
    ensure!(
        flags & both != both,
        ERROR_INVALID_VALUE,
        "a graph that is launched from the device cannot free on launch; pass one of the two flags"
    );
    let plan = Plan::of(graph)?;
    ensure!(
        !plan.shares_a_condition(),
        ERROR_NOT_SUPPORTED,
        "a graph with conditional nodes has one executable graph at a time; destroy the one it has"
    );
    let exec = EXECS.add(|handle| Exec {
        handle,
        flags,
        objects: References::default(),
        plan: Mutex::new(plan),
        last: Mutex::default(),
    });
    exec.objects.retain_all(&graph.objects);
    Ok(exec)
}

impl Plan {
    /// Returns whether another live executable graph has one of this plan's conditional nodes. Both
    /// would use the same condition.
    fn shares_a_condition(&self) -> bool {
        let conditional = |it: &&Planned| matches!(it.kind, Kind::Conditional(_));
        let own: HashSet<CUgraphNode> = self
            .0
            .iter()
            .filter(conditional)
            .map(|it| it.node)
            .collect();
        let mut shared = false;
        if !own.is_empty() {
            EXECS.for_each(|exec| {
                shared |= exec.plan.lock().0.iter().any(|it| own.contains(&it.node))
            });
        }
        shared
    }

    fn of(graph: &Graph) -> Result<Plan> {
        let added: HashMap<CUgraphNode, usize> = graph
            .nodes()
            .iter()
            .enumerate()
            .map(|(i, node)| (node.handle, i))
            .collect();
        let planned = graph.order()?.into_iter().map(|(node, after)| {
            let kind = node.kind.lock().clone();
            let child = match &kind {
                Kind::Child(child) => Some(Plan::of(child)?),
                _ => None,
            };
            let bodies = match &kind {
                Kind::Conditional(conditional) => {
                    let body = |graph: &Arc<Graph>| {
                        check_body(graph)?;
                        Plan::of(graph)
                    };
                    conditional.bodies.iter().map(body).collect::<Result<_>>()?
                }
                _ => Vec::new(),
            };
            Ok(Planned {
                node: node.handle,
                kind,
                after,
                child,
                bodies,
                enabled: true,
                added: added.get(&node.handle).copied().unwrap_or_default(),
            })
        });
        Ok(Plan(planned.collect::<Result<_>>()?))
    }

    /// Adds its operations to `members`. Those that wait for nothing else wait for `start`. Returns
    /// the indices of its last operations.
    fn expand(&self, start: &[usize], members: &mut Vec<Member>) -> Vec<usize> {
        let mut place = Vec::with_capacity(self.0.len());
        let mut is_last = vec![true; self.0.len()];
        for planned in &self.0 {
            let mut after: Vec<usize> = planned.after.iter().map(|&i| place[i]).collect();
            planned.after.iter().for_each(|&i| is_last[i] = false);
            if after.is_empty() {
                after = start.to_vec();
            }
            let kind = match &planned.child {
                Some(child) => {
                    let ends = child.expand(&after, members);
                    after = if ends.is_empty() { after } else { ends };
                    Kind::Empty
                }
                None if !planned.enabled => Kind::Empty,
                None => planned.kind.clone(),
            };
            let members_of = |body: &Plan| {
                let mut members = Vec::new();
                body.expand(&[], &mut members);
                members
            };
            let bodies = planned.bodies.iter().map(members_of).collect();
            place.push(members.len());
            members.push(Member {
                kind,
                after,
                bodies,
            });
        }
        let last = place.iter().zip(is_last).filter(|(_, is_last)| *is_last);
        last.map(|(&place, _)| place).collect()
    }

    /// Copies the parameters of `graph`'s nodes, if the graphs do not differ otherwise.
    fn update(&mut self, graph: &Graph) -> std::result::Result<(), Refused> {
        let refuse = |result, node, why: &str| {
            Err(Refused {
                result,
                node,
                why: why.into(),
            })
        };
        let nodes = graph.nodes();
        if nodes.len() != self.0.len() {
            let why = format!("{} nodes instead of {}", nodes.len(), self.0.len());
            return refuse(update::TOPOLOGY_CHANGED, CUgraphNode::default(), &why);
        }
        let place: HashMap<CUgraphNode, usize> = nodes
            .iter()
            .enumerate()
            .map(|(i, node)| (node.handle, i))
            .collect();
        let mut waits = vec![BTreeSet::new(); nodes.len()];
        for (from, to) in graph.edges() {
            if let (Some(&from), Some(&to)) = (place.get(&from), place.get(&to)) {
                waits[to].insert(from);
            }
        }
        let added: Vec<usize> = self.0.iter().map(|planned| planned.added).collect();
        let mut updated = self.clone();
        for planned in &mut updated.0 {
            let (node, waits): (&Node, _) = (&nodes[planned.added], &waits[planned.added]);
            let before: BTreeSet<usize> = planned.after.iter().map(|&i| added[i]).collect();
            if before != *waits {
                return refuse(
                    update::TOPOLOGY_CHANGED,
                    node.handle,
                    "the node waits for others than before",
                );
            }
            let kind = node.kind.lock().clone();
            planned.replace(kind).map_err(|refused| Refused {
                node: node.handle,
                ..refused
            })?;
        }
        *self = updated;
        Ok(())
    }
}

impl Planned {
    /// Replaces the operation by another one of the same type, as far as CUDA permits a change of
    /// an instantiated node.
    fn replace(&mut self, kind: Kind) -> std::result::Result<(), Refused> {
        let refused = |result, why: &str| {
            Err(Refused {
                result,
                node: self.node,
                why: why.into(),
            })
        };
        match (&self.kind, &kind) {
            (Kind::Kernel(old), Kind::Kernel(new)) if old.context.handle != new.context.handle => {
                return refused(
                    update::UNSUPPORTED_FUNCTION_CHANGE,
                    "the new function is of another context",
                );
            }
            (Kind::Copy(old), Kind::Copy(new)) => {
                let types = |copy: &super::Copy| {
                    (
                        copy.context.handle,
                        copy.described.src.memory_type,
                        copy.described.dst.memory_type,
                    )
                };
                if types(old) != types(new) {
                    return refused(
                        update::PARAMETERS_CHANGED,
                        "the copy goes between other kinds of memory than before",
                    );
                }
            }
            (Kind::Set(old), Kind::Set(new)) => {
                let is_flat = |set: &super::Set| set.described.height <= 1;
                if old.context.handle != new.context.handle || !is_flat(old) || !is_flat(new) {
                    return refused(
                        update::PARAMETERS_CHANGED,
                        "only a memset of one row can be changed, and in its own context",
                    );
                }
            }
            (Kind::Child(_), Kind::Child(new)) => {
                if let Some(plan) = &mut self.child {
                    plan.update(new)?;
                }
            }
            (Kind::Conditional(old), Kind::Conditional(new)) => {
                if !Arc::ptr_eq(&old.condition, &new.condition) {
                    return refused(
                        update::NOT_SUPPORTED,
                        "the node decides by another condition than before",
                    );
                }
                for (plan, body) in self.bodies.iter_mut().zip(new.bodies.iter()) {
                    plan.update(body)?;
                }
            }
            (Kind::Alloc(old), Kind::Alloc(new)) if old.address != new.address => {
                return refused(update::NOT_SUPPORTED, "an allocation cannot be changed");
            }
            (old, new) if old.node_type() != new.node_type() => {
                return refused(
                    update::NODE_TYPE_CHANGED,
                    "the node is of another type than before",
                );
            }
            _ => {}
        }
        self.kind = kind;
        Ok(())
    }
}

impl Exec {
    /// Returns the operations of a launch, and accounts for the memory that it allocates and frees.
    pub(crate) fn members(&self) -> Result<Vec<Member>> {
        let mut members = Vec::new();
        self.plan.lock().expand(&[], &mut members);
        let frees_first = self.flags & u64::from(flag::AUTO_FREE_ON_LAUNCH) != 0;
        for member in &members {
            match &member.kind {
                Kind::Alloc(reserved) => {
                    if frees_first && graph_memory::is_allocated(reserved.address) {
                        graph_memory::set_allocated(reserved.address, false)?;
                    }
                    graph_memory::set_allocated(reserved.address, true)?;
                }
                Kind::Free(address) => graph_memory::set_allocated(*address, false)?,
                _ => {}
            }
        }
        Ok(members)
    }

    /// Calls `with` with the node made from `node`.
    fn planned<T>(&self, node: CUgraphNode, with: impl FnOnce(&mut Planned) -> T) -> Result<T> {
        let mut plan = self.plan.lock();
        match plan.0.iter_mut().find(|planned| planned.node == node) {
            Some(planned) => Ok(with(planned)),
            None => fail!(
                ERROR_INVALID_VALUE,
                "{:#x} is no node of the graph that was instantiated",
                node.0
            ),
        }
    }

    /// Returns the current operation of the node made from `node`.
    pub(crate) fn kind(&self, node: CUgraphNode) -> Result<Kind> {
        self.planned(node, |planned| planned.kind.clone())
    }

    /// Changes the parameters of the node made from `node`.
    pub(crate) fn set(&self, node: CUgraphNode, kind: Kind) -> Result {
        self.planned(node, |planned| planned.replace(kind))?
            .map_err(|refused| Error::new(crate::abi::CUresult::ERROR_INVALID_VALUE, refused.why))
    }

    /// Returns whether the node made from `node` is enabled.
    pub(crate) fn is_enabled(&self, node: CUgraphNode) -> Result<bool> {
        self.planned(node, |planned| {
            planned.switchable().map(|()| planned.enabled)
        })?
    }

    /// Enables or disables the node made from `node`.
    pub(crate) fn enable(&self, node: CUgraphNode, enabled: bool) -> Result {
        self.planned(node, |planned| {
            planned.switchable()?;
            planned.enabled = enabled;
            Ok(())
        })?
    }

    /// Copies the parameters of `graph`, if nothing else is different.
    pub(crate) fn update(&self, graph: &Graph) -> std::result::Result<(), Refused> {
        self.plan.lock().update(graph)
    }

    /// Copies the parameters of a child graph.
    pub(crate) fn update_child(&self, node: CUgraphNode, graph: &Arc<Graph>) -> Result {
        self.set(node, Kind::Child(graph.clone()))
    }

    /// Removes it. A launch that is running still completes.
    pub(crate) fn destroy(&self) {
        EXECS.remove(self.handle);
        self.objects.release_all();
    }
}

/// `CU_MEMORYTYPE_ARRAY`: one end of the copy is an array.
const ARRAY: u32 = 3;

/// Checks that a body contains only nodes that a body may have.
fn check_body(body: &Graph) -> Result {
    for node in body.nodes() {
        match &*node.kind.lock() {
            // An H200's driver refuses every kernel that could launch kernels, whether it does or
            // not (580.159.04, 2026-11-23).
            Kind::Kernel(launch) if launch.function.kernel.launches => fail!(
                ERROR_INVALID_VALUE,
                "the body of a conditional node has the kernel `{}`, which launches kernels; CUDA takes none that could: let nodes of the body be what it launches, \
                 or launch it in the graph around",
                launch.function.kernel.name
            ),
            Kind::Kernel(_) | Kind::Set(_) | Kind::Empty | Kind::Conditional(_) => {}
            Kind::Child(child) => check_body(child)?,
            Kind::Copy(copy)
                if copy.described.src.memory_type != ARRAY
                    && copy.described.dst.memory_type != ARRAY => {}
            other => fail!(
                ERROR_INVALID_VALUE,
                "the body of a conditional node has the node {:#x}, `{}`; a body has kernels, memsets, copies (not of arrays), graphs and conditional \
                 nodes",
                node.handle.0,
                other.label()
            ),
        }
    }
    Ok(())
}

impl Planned {
    fn switchable(&self) -> Result {
        ensure!(
            matches!(self.kind, Kind::Kernel(_) | Kind::Copy(_) | Kind::Set(_)),
            ERROR_INVALID_VALUE,
            "only kernel, copy and memset nodes can be switched off; the node is `{}`",
            self.kind.label()
        );
        Ok(())
    }
}
