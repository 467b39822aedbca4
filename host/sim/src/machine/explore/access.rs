//! One access to memory that other threads reach, under the memory model.
//!
//! If the model lets a load read an older value, that value is put into memory before the load
//! runs, and the newest value is put back after it. So the operations themselves are not involved
//! in weak memory. Lanes that run together and read one place all read the same value.

use super::late::Waited;
use super::steps::StepRecord;
use super::weak::Order;
use super::{Explore, Footprint, ThreadId};
use crate::machine::checks::checker;
use crate::machine::checks::race::AccessKind;
use crate::machine::core::Core;
use crate::machine::event::Event;
use crate::machine::lane::lanes;
use crate::machine::memory::access::LaneAccess;
use crate::machine::memory::atomics::ELEMENTS;
use crate::machine::memory::flag;
use crate::machine::memory::state_space::NamedSpace;
use crate::machine::op::Op;
use crate::machine::program::{Class, OpInfo, SpaceClass};
use crate::memory::window::{self, Window};

/// Bytes that an operation accesses. They are listed once, however many lanes access them.
#[derive(Debug, Clone)]
struct Bytes {
    host: *mut u8,
    size: usize,
    /// The bytes before the operation.
    before: Vec<u8>,
    /// Under weak memory, the position of the write that is read.
    read: Option<usize>,
}

impl Bytes {
    /// Adds the bytes at `host` to the list, unless it contains them.
    fn add(found: &mut Vec<Bytes>, host: *mut u8, size: usize) {
        if found.iter().all(|it| it.host != host) {
            let (before, read) = (Vec::new(), None);
            let mut it = Bytes {
                host,
                size,
                before,
                read,
            };
            it.before = it.now();
            found.push(it);
        }
    }

    /// Returns the present bytes.
    fn now(&self) -> Vec<u8> {
        // SAFETY: `locate` gave this many bytes, and only this host thread runs the launch.
        unsafe { std::slice::from_raw_parts(self.host, self.size) }.to_vec()
    }

    fn put(&self, bytes: &[u8]) {
        // SAFETY: as above; at most as many bytes.
        unsafe {
            self.host
                .copy_from_nonoverlapping(bytes.as_ptr(), self.size.min(bytes.len()));
        }
    }

    fn address(&self) -> u64 {
        self.host as u64
    }
}

/// Returns the memory space of an operation that accesses memory which other threads reach.
fn space(info: &OpInfo) -> Option<SpaceClass> {
    match info.class {
        Class::Load(space) | Class::Store(space) | Class::Atomic(space) => match space {
            SpaceClass::Local | SpaceClass::Constant => None,
            space => Some(space),
        },
        _ => None,
    }
}

/// Returns whether threads stop before an operation.
pub(super) fn is_visible(info: &OpInfo) -> bool {
    space(info).is_some() || info.class == Class::Fence
}

impl Core<'_> {
    /// Returns the info of an operation.
    pub(super) fn info(&self, op: *const Op) -> OpInfo {
        let program = self.run.program;
        program.infos[crate::machine::frame::op_index(program, op)]
    }

    /// Returns the bytes that an operation's lanes access, in memory that other threads reach.
    /// Returns none for an access that will fault.
    ///
    /// # Safety
    /// `op` must be an operation of the running frame.
    unsafe fn touched(&mut self, op: *const Op, info: &OpInfo, mask: u32) -> Vec<Bytes> {
        let Some(space) = space(info) else {
            return Vec::new();
        };
        // SAFETY: operations of these classes have an address row.
        let (addresses, aux) = unsafe { (self.addresses(op), (*op).aux) };
        let (act, shift) = match info.class {
            Class::Load(_) => (AccessKind::Read, flag::ELEMENTS),
            Class::Store(_) => (AccessKind::Write, flag::ELEMENTS),
            _ => (AccessKind::Atomic, ELEMENTS),
        };
        let count = u64::from(aux >> shift) + 1;
        let whole = u64::from(info.bytes);
        let named = match space {
            SpaceClass::Shared => NamedSpace::Shared,
            SpaceClass::Generic => NamedSpace::Generic,
            _ => NamedSpace::Global,
        };
        let mut found: Vec<Bytes> = Vec::new();
        for lane in lanes(mask) {
            let address = addresses[lane];
            let reached = !matches!(window::of(address), Window::Local | Window::Param);
            if space == SpaceClass::Generic && !reached {
                continue;
            }
            let size = (whole / count).max(1) as usize;
            let pieces =
                |host: *mut u8| (0..count as usize).map(move |e| host.wrapping_add(e * size));
            if info.multicast {
                for host in self.places_of(address, whole).into_iter().flat_map(pieces) {
                    Bytes::add(&mut found, host, size);
                }
                continue;
            }
            let access = LaneAccess {
                lane,
                act,
                space: named,
                address,
                bytes: whole,
                align: whole,
            };
            let Some(host) = self.locate(op, access) else {
                // The operation itself raises the fault.
                self.event = Event::None;
                return Vec::new();
            };
            for host in pieces(host) {
                Bytes::add(&mut found, host, size);
            }
        }
        found
    }

    /// Returns what the running lanes are about to access at `op`.
    ///
    /// # Safety
    /// `op` must be an operation of the running frame.
    pub(super) unsafe fn footprint(&mut self, op: *const Op) -> Footprint {
        let info = self.info(op);
        // SAFETY: the caller guarantees this.
        let found = unsafe {
            let mask = self.mask(&*op);
            self.touched(op, &info, mask)
        };
        Footprint {
            ranges: found
                .iter()
                .map(|it| (it.address(), it.size as u64))
                .collect(),
            writes: !matches!(info.class, Class::Load(_)),
            sc: info.class == Class::Fence && info.sc,
        }
    }

    /// Returns what the running lanes access next at `op`. If a delayed load has to be performed
    /// before `op`, returns what that load accesses.
    ///
    /// # Safety
    /// `op` must be an operation of the running frame.
    pub(super) unsafe fn next_footprint(&mut self, op: *const Op) -> Footprint {
        let load = self.due_load(op).map(|load| load.op());
        // SAFETY: the caller guarantees this. A delayed load waits in the frame that it belongs to.
        let mut footprint = unsafe { self.footprint(load.unwrap_or(op)) };
        if load.is_none() {
            for load in self.loads_at_fence(op) {
                // SAFETY: as above.
                footprint.join(unsafe { self.footprint(load.op()) });
            }
        }
        footprint
    }

    /// Runs an operation that other threads can observe, for the lanes of `mask`. Returns the next
    /// operation. `late` is for a delayed load.
    ///
    /// # Safety
    /// `op` must be an operation of the running frame.
    pub(super) unsafe fn run_visible(
        &mut self,
        op: *const Op,
        info: &OpInfo,
        mask: u32,
        late: Option<Waited>,
    ) -> *const Op {
        let who = self.who(mask);
        // SAFETY: the caller guarantees this.
        let mut all = unsafe { self.touched(op, info, mask) };
        let Some(mut explore) = self.explore.take() else {
            return op;
        };
        explore.jumps = (0, 0);
        let order = Order {
            scope: info.scope,
            acquires: info.acquires,
            releases: info.releases,
        };
        let knowing = match explore.alone {
            true => who,
            false => ThreadId { lane: 0, ..who },
        };
        let spinner = explore.spinners.entry(who).or_default();
        let state = spinner.state();
        let after: Vec<u64> = all.iter().map(|it| spinner.seen(it.address())).collect();
        if !matches!(info.class, Class::Store(_)) {
            for (it, after) in all.iter_mut().zip(after) {
                let atomic = matches!(info.class, Class::Atomic(_));
                explore.choose_read(knowing, it, (order, atomic), (after, late));
            }
        }
        self.explore = Some(explore);
        if self.run.is_checked {
            // SAFETY: as above.
            unsafe { checker(self.run)(self, op) };
        }
        // SAFETY: as above.
        let next = unsafe { ((*op).run)(self, op) };
        let failed = !matches!(self.event, Event::None);
        let Some(mut explore) = self.explore.take() else {
            return next;
        };
        if failed {
            all.clear();
        }
        let mut did = Vec::new();
        let mut moved = info.class == Class::Fence && info.sc || failed;
        for it in &all {
            match info.class {
                Class::Load(_) => did.push(explore.has_read(knowing, it, order, late)),
                Class::Store(_) => {
                    did.push(explore.has_written(knowing, it, order));
                    moved = true;
                }
                _ => {
                    let (what, silent) = explore.has_changed(knowing, it, order, info.cas);
                    did.push(what);
                    moved |= !silent;
                }
            }
        }
        if info.class == Class::Fence
            && let Some(weak) = &mut explore.weak
        {
            weak.fence(knowing, order, info.sc);
        }
        let fence = info.class == Class::Fence && info.acquires;
        let spinner = explore.spinners.entry(who).or_default();
        if moved {
            explore.changes += 1;
            spinner.moved();
        } else if info.class != Class::Fence {
            for it in &all {
                let version = did
                    .iter()
                    .find(|d| d.host == it.address())
                    .map_or(0, |d| d.version);
                let (host, bytes) = (it.address(), it.now());
                spinner.read(super::spin::Poll {
                    op,
                    state,
                    host,
                    bytes,
                    version,
                });
            }
        }
        let index = crate::machine::frame::op_index(self.run.program, op) as u32;
        explore.steps.add(who, mask, index, did);
        self.explore = Some(explore);
        if fence {
            self.passes_fence(info.scope);
        }
        next
    }
}

impl Explore {
    /// Chooses the value that a load or an atomic reads, and puts it into memory.
    fn choose_read(
        &mut self,
        who: ThreadId,
        it: &mut Bytes,
        (order, atomic): (Order, bool),
        (after, late): (u64, Option<Waited>),
    ) {
        let Some(weak) = &mut self.weak else { return };
        let start = it.address();
        if atomic {
            weak.make(start, &it.before);
        }
        let mut choices = weak.readable(who, (start, &it.before), order.scope, atomic, after);
        if let Some(waited) = late {
            let most = weak.most_for_late(who, start, waited.seq);
            choices
                .retain(|&at| at <= most && !weak.acquired_by(who, (start, at), waited.acquires));
        }
        if choices.is_empty() {
            return;
        }
        let at = choices[self.chooser.value(choices.len())];
        it.read = Some(at);
        if let Some(bytes) = weak.bytes(start, at) {
            it.put(&bytes);
        }
    }

    /// Records a load that has run.
    fn has_read(
        &mut self,
        who: ThreadId,
        it: &Bytes,
        order: Order,
        late: Option<Waited>,
    ) -> StepRecord {
        let mut did = StepRecord::read(it.address(), &it.now());
        did.late = late.is_some();
        if let (Some(weak), Some(at)) = (&mut self.weak, it.read) {
            did.old = (it.now() != it.before).then(|| it.before.clone());
            did.writer = weak.writer(it.address(), at);
            did.version = weak.read(who, it.address(), at, (order, late.map(|it| it.seq)));
        }
        it.put(&it.before);
        did
    }

    /// Records a store that has run.
    fn has_written(&mut self, who: ThreadId, it: &Bytes, order: Order) -> StepRecord {
        let now = it.now();
        let mut did = StepRecord::written(it.address(), &now);
        if let Some(weak) = &mut self.weak {
            let start = it.address();
            weak.make(start, &it.before);
            let choices = weak.writable(who, start, order.scope);
            if !choices.is_empty() {
                let at = choices[self.chooser.value(choices.len())];
                if let Some(bytes) = weak.write(who, (start, &now), (at, None), order) {
                    it.put(&bytes);
                    did.old = (it.now() != now).then(|| it.now());
                }
            }
        }
        did
    }

    /// Records an atomic that has run. The bool is whether it has changed nothing that another
    /// thread could observe.
    fn has_changed(
        &mut self,
        who: ThreadId,
        it: &Bytes,
        order: Order,
        cas: bool,
    ) -> (StepRecord, bool) {
        let now = it.now();
        let start = it.address();
        let (Some(weak), Some(at)) = (&mut self.weak, it.read) else {
            let silent = now == it.before;
            return (StepRecord::changed(start, &it.before, &now), silent);
        };
        let read = weak.bytes(start, at).unwrap_or_default();
        let silent = read[..it.size.min(8)] == *now;
        let mut did = StepRecord::changed(start, &read[..it.size.min(8)], &now);
        did.writer = weak.writer(start, at);
        did.version = weak.read(who, start, at, (order, None));
        if silent && cas {
            it.put(&it.before);
            return (did, true);
        }
        let choices = weak.after_read(who, (start, at), order.scope);
        let behind = choices[self.chooser.value(choices.len())];
        if let Some(bytes) = weak.write(who, (start, &now), (behind, Some(at)), order) {
            it.put(&bytes);
        }
        (did, silent)
    }
}
