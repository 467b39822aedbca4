//! Values that nobody wrote: followed from memory through registers to where they decide something.
//!
//! To copy such bytes is no mistake: a structure has gaps, and an enumeration holds less than its size. So loads, stores and moves
//! carry along which bytes are unwritten, byte by byte, and reported is a use: a branch or a vote that depends on them, an address that
//! is made of them, an atomic that takes or changes them, and a store of what was computed from them. Arithmetic alone is none, since
//! compilers compute ahead and throw away; and of a selection only the chosen value counts.
//!
//! Each warp has a list of registers that hold such bytes, which is empty nearly always: then only loads and stores are looked at. Not
//! followed, and taken for written: what goes through matrix units, textures, parameters of calls and lanes that meet at
//! different instructions. What is stored in `.local` memory counts as copied when it comes back.

use super::explain::index;
use super::flow::{Flow, FlowKind, Part};
use crate::checks::FindingKind;
use crate::machine::core::Core;
use crate::machine::event::Region;
use crate::machine::lane::{LANES, lanes};
use crate::machine::op::Op;
use crate::machine::program::{Class, OpInfo, VariableSpace};
use crate::memory::{Shadow, window, words};

/// Where bytes came from that nobody wrote.
#[derive(Debug, Clone, Copy)]
struct Origin {
    /// The operation that read them.
    op: u32,
    region: Region,
    /// The first of them.
    address: u64,
    /// Which of those that were read, a bit each.
    bytes: u32,
}

impl Origin {
    /// The first of these lanes that found unwritten bytes, and where they come from; none if no lane did.
    fn of_first(
        op: u32,
        region: Region,
        addresses: &[u64; LANES],
        mask: u32,
        found: &[u32; LANES],
    ) -> Option<(usize, Self)> {
        let lane = lanes(mask).find(|&lane| found[lane] != 0)?;
        let origin = Self {
            op,
            region,
            address: addresses[lane] + u64::from(found[lane].trailing_zeros()),
            bytes: found[lane],
        };
        Some((lane, origin))
    }
}

/// A register that holds such bytes.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct Taint {
    /// Which, a bit each, by lane; of a predicate the lowest bit.
    bytes: [u16; LANES],
    /// Lanes whose value was computed, and is no copy.
    computed: u32,
    origin: Origin,
}

/// The registers of a warp that hold such bytes, by their place in its register file.
pub(in crate::machine) type Taints = Vec<(u32, Taint)>;

/// What a core saw last at one place in the code: an allocation, and its number among those with unwritten bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::machine) struct ShadowSite {
    base: u64,
    size: u64,
    /// None where all of it counts as written.
    shadow: Option<u32>,
}

/// The bits of `size` bytes.
fn all(size: u8) -> u16 {
    ((1u32 << size.min(16)) - 1) as u16
}

/// What a use is called, and why it matters.
#[derive(Debug, Clone, Copy)]
enum Use {
    Branch,
    Guard,
    Address,
    Stored,
    Operand,
    Updated,
    Decision,
}

impl Use {
    fn words(self) -> &'static str {
        match self {
            Self::Branch => "a branch depends on memory that nobody wrote",
            Self::Guard => "whether an instruction runs depends on memory that nobody wrote",
            Self::Address => "an address depends on memory that nobody wrote",
            Self::Stored => "a value is stored that was computed from memory that nobody wrote",
            Self::Operand => "an atomic takes a value from memory that nobody wrote",
            Self::Updated => "an atomic changes memory that nobody wrote",
            Self::Decision => "a decision of several threads depends on memory that nobody wrote",
        }
    }
}

impl<'l> Core<'l> {
    fn taint(&mut self, row: u32) -> Option<&mut Taint> {
        let key = self.at.frame + (row & !1);
        let found = self.warp().taints.iter_mut().find(|(at, _)| *at == key);
        found.map(|(_, taint)| taint)
    }

    /// The lanes of `mask` of a register hold what was written.
    fn cleanse(&mut self, row: u32, mask: u32) {
        let key = self.at.frame + (row & !1);
        let taints = &mut self.warp().taints;
        let Some(at) = taints.iter().position(|(at, _)| *at == key) else {
            return;
        };
        let taint = &mut taints[at].1;
        lanes(mask).for_each(|lane| taint.bytes[lane] = 0);
        if taint.bytes == [0; LANES] {
            taints.swap_remove(at);
            self.tainted = !self.warp().taints.is_empty();
        }
    }

    /// The lanes of `mask` of a register become `bytes`.
    fn set_taint(
        &mut self,
        part: Part,
        mask: u32,
        bytes: &[u16; LANES],
        computed: u32,
        origin: Origin,
    ) {
        let row = match part {
            Part::Row(row, _) | Part::Truth(row) => row,
            _ => return,
        };
        if lanes(mask).all(|lane| bytes[lane] == 0) {
            return self.cleanse(row, mask);
        }
        let key = self.at.frame + (row & !1);
        let taints = &mut self.warp().taints;
        let at = taints.iter().position(|(at, _)| *at == key);
        let at = at.unwrap_or_else(|| {
            let taint = Taint {
                bytes: [0; LANES],
                computed: 0,
                origin,
            };
            taints.push((key, taint));
            taints.len() - 1
        });
        let taint = &mut taints[at].1;
        for lane in lanes(mask) {
            taint.bytes[lane] = bytes[lane];
        }
        taint.computed = taint.computed & !mask | computed & mask;
        taint.origin = origin;
        self.tainted = true;
    }

    /// What is known of a part: its unwritten bytes by lane.
    fn unwritten(&mut self, part: Part) -> Option<Taint> {
        match part {
            Part::Row(row, _) | Part::Truth(row) => self.taint(row).copied(),
            _ => None,
        }
    }

    /// One lane's value of a part.
    fn value(&mut self, part: Part, lane: usize) -> Option<u64> {
        // SAFETY: parts are operands of an operation of the running frame.
        unsafe {
            match part {
                Part::Row(row, 8) => Some(self.lanes::<u64>(row)[lane]),
                Part::Row(row, 1..=4) => Some(self.lanes::<u32>(row)[lane].into()),
                Part::Truth(row) => Some(u64::from(self.predicate(row) >> lane & 1)),
                Part::Value(value) => Some(value),
                _ => None,
            }
        }
    }

    /// Follows values through an operation that is about to run; for accesses of memory, addresses and results only.
    #[cold]
    pub(super) fn follow(&mut self, op: *const Op, info: OpInfo, mask: u32) {
        let run = self.run;
        let Some(index) = index(run.program, op).map(|index| index as u32) else {
            return;
        };
        // SAFETY: `op` is an operation of the program.
        let guard = unsafe { (*op).guard };
        if guard != 0
            && let Some(taint) = self.unwritten(Part::Truth(guard))
        {
            let active = self.active;
            let of = match run.place(op).text.starts_with("bra") {
                true => Use::Branch,
                false => Use::Guard,
            };
            self.used(op, of, &taint, active);
            self.cleanse(guard, active);
        }
        let flows = &run.program.flows;
        let Some(flow) = flows.of(index) else {
            return;
        };
        let accesses = matches!(
            info.class,
            Class::Load(_) | Class::Store(_) | Class::Atomic(_)
        );
        if mask == 0 || flow.op != index && !accesses {
            return;
        }
        for &part in flows.addresses(flow) {
            if let Some(taint) = self.unwritten(part) {
                self.used(op, Use::Address, &taint, mask);
                if let Part::Row(row, _) = part {
                    self.cleanse(row, mask);
                }
            }
        }
        match flow.kind {
            FlowKind::Store => {}
            FlowKind::Atomic(_) | FlowKind::Decide => {
                for &part in flows.reads(flow) {
                    if let (Some(taint), Part::Row(row, _) | Part::Truth(row)) =
                        (self.unwritten(part), part)
                    {
                        let of = match flow.kind {
                            FlowKind::Decide => Use::Decision,
                            _ => Use::Operand,
                        };
                        self.used(op, of, &taint, mask);
                        self.cleanse(row, mask);
                    }
                }
                self.cleanse_all(flow, mask);
            }
            // The shuffle itself says where from.
            FlowKind::Shuffle => {}
            FlowKind::Load(_) | FlowKind::Unknown => self.cleanse_all(flow, mask),
            _ => self.compute(flow, mask),
        }
    }

    fn cleanse_all(&mut self, flow: &Flow, mask: u32) {
        for &part in self.run.program.flows.writes(flow) {
            if let Part::Row(row, _) | Part::Truth(row) = part {
                self.cleanse(row, mask);
            }
        }
    }

    /// What an instruction on registers makes of unwritten bytes.
    fn compute(&mut self, flow: &Flow, mask: u32) {
        let flows = &self.run.program.flows;
        let (reads, writes) = (flows.reads(flow), flows.writes(flow));
        let mut taints = [None; 6];
        for (to, &part) in taints.iter_mut().zip(reads) {
            *to = self.unwritten(part);
        }
        let Some(first) = taints.iter().flatten().next().copied() else {
            return self.cleanse_all(flow, mask);
        };
        let of = |i: usize, lane: usize| taints[i].as_ref().map_or(0, |t| t.bytes[lane]);
        let is_computed = |lane: usize| {
            let of = |t: &&Taint| t.bytes[lane] != 0 && t.computed >> lane & 1 != 0;
            taints.iter().flatten().any(|t| of(&t))
        };
        let mut results = vec![[0u16; LANES]; writes.len()];
        let (mut computed, mut origin) = (0u32, first.origin);
        for lane in lanes(mask) {
            let Some(taint) = taints.iter().flatten().find(|t| t.bytes[lane] != 0) else {
                continue;
            };
            origin = taint.origin;
            let found = self.result(flow, lane, &|i| of(i, lane));
            // Two values joined are no copy of one.
            let joins = flow.kind == FlowKind::Not && reads.len() > 1;
            computed |= u32::from(joins || is_computed(lane)) << lane;
            match found {
                Some(Ok(bytes)) => {
                    let mut from = 0;
                    for (result, part) in results.iter_mut().zip(writes) {
                        let (size, truth) = match *part {
                            Part::Row(_, size) => (size, false),
                            Part::Truth(_) => (1, true),
                            _ => (reads.first().map_or(0, width), false),
                        };
                        let bytes = (u64::from(bytes) >> from) as u16 & all(size);
                        result[lane] = if truth { u16::from(bytes != 0) } else { bytes };
                        from += u32::from(size);
                    }
                }
                Some(Err(i)) => {
                    // One of the sources, whole.
                    computed = computed & !(1 << lane)
                        | taints[i].as_ref().map_or(0, |t| t.computed & 1 << lane);
                    results.iter_mut().for_each(|r| r[lane] = of(i, lane));
                }
                None => {
                    computed |= 1 << lane;
                    for (result, part) in results.iter_mut().zip(writes) {
                        result[lane] = match *part {
                            Part::Row(_, size) => all(size),
                            _ => 1,
                        };
                    }
                }
            }
        }
        for (&part, bytes) in writes.iter().zip(&results) {
            self.set_taint(part, mask, bytes, computed, origin);
        }
    }

    /// The unwritten bytes of a result, or the source that it is; none where all that goes in counts for all of it.
    fn result(
        &mut self,
        flow: &Flow,
        lane: usize,
        of: &dyn Fn(usize) -> u16,
    ) -> Option<Result<u32, usize>> {
        let flows = &self.run.program.flows;
        let (reads, writes) = (flows.reads(flow), flows.writes(flow));
        let truth = matches!(writes.first(), Some(Part::Truth(_)));
        let size = writes.first().map_or(0, width);
        match flow.kind {
            FlowKind::Move => {
                // Sources side by side.
                let (mut bytes, mut at) = (0u32, 0);
                for i in 0..reads.len() {
                    bytes |= u32::from(of(i)) << at;
                    at += u32::from(size) / reads.len() as u32;
                }
                Some(Ok(bytes))
            }
            FlowKind::Widen(from, signed) => {
                let low = of(0) & all(from);
                let fills = signed && size > from && low >> (from - 1) & 1 != 0;
                let high = if fills { all(size) & !all(from) } else { 0 };
                Some(Ok(u32::from((low | high) & all(size))))
            }
            FlowKind::And | FlowKind::Or => {
                let (a, b) = (of(0), of(1));
                let (x, y) = (
                    self.value(*reads.first()?, lane),
                    self.value(*reads.get(1)?, lane),
                );
                let or = flow.kind == FlowKind::Or;
                if truth {
                    // A side that is known may decide alone.
                    let alone = |known: u16, value: Option<u64>| {
                        known == 0 && value.is_some_and(|v| (v & 1 != 0) == or)
                    };
                    let decided = alone(a, x) || alone(b, y);
                    return Some(Ok(u32::from(!decided && (a | b) & 1 != 0)));
                }
                let mut bytes = 0;
                for at in 0..u32::from(size.min(8)) {
                    let byte = |value: Option<u64>| value.map(|v| (v >> (8 * at)) as u8);
                    let decides = |known: u16, value: Option<u64>| {
                        known >> at & 1 == 0 && byte(value) == Some(if or { u8::MAX } else { 0 })
                    };
                    let decided = decides(a, x) || decides(b, y);
                    bytes |= u32::from(!decided && (a | b) >> at & 1 != 0) << at;
                }
                Some(Ok(bytes))
            }
            FlowKind::Not => Some(Ok(u32::from(of(0) | of(1)))),
            FlowKind::ShiftLeft | FlowKind::ShiftRight(_) if of(1) == 0 => {
                let by = self.value(*reads.get(1)?, lane)? as u32;
                let (bytes, part) = ((by / 8).min(16), u32::from(!by.is_multiple_of(8)));
                let from = u32::from(of(0));
                let mut to = match flow.kind {
                    FlowKind::ShiftLeft => from << bytes | from << (bytes + part),
                    _ => from >> bytes | from >> (bytes + part).min(31),
                };
                let top = from >> (size.max(1) - 1) & 1 != 0;
                if flow.kind == FlowKind::ShiftRight(true) && top {
                    to |= u32::from(all(size))
                        & (u32::MAX << u32::from(size).saturating_sub(bytes + part));
                }
                Some(Ok(to & u32::from(all(size))))
            }
            FlowKind::Permute if of(2) == 0 => {
                let selectors = self.value(*reads.get(2)?, lane)?;
                let both = u32::from(of(0) & 0xf) | u32::from(of(1) & 0xf) << 4;
                let byte = |at: u32| both >> (selectors >> (4 * at) & 7) & 1;
                Some(Ok((0..4).fold(0, |bytes, at| bytes | byte(at) << at)))
            }
            FlowKind::Extract if of(1) | of(2) == 0 => {
                let at = self.value(*reads.get(1)?, lane)? as u32 & 0xff;
                let length = self.value(*reads.get(2)?, lane)? as u32 & 0xff;
                let end = (at + length).div_ceil(8).min(16);
                let covered = (0..end).filter(|byte| *byte >= at / 8);
                let any = covered.clone().any(|byte| of(0) >> byte & 1 != 0);
                let to = all(length.div_ceil(8).min(u32::from(size)) as u8);
                Some(Ok(if any { to.into() } else { 0 }))
            }
            FlowKind::Select if of(2) == 0 => {
                let chosen = self.value(*reads.get(2)?, lane)?;
                Some(Err(usize::from(chosen == 0)))
            }
            _ => None,
        }
    }

    /// A shuffle gives each lane of `mask` the value of the lane that `from` names.
    #[cold]
    pub(in crate::machine) fn shuffled(&mut self, op: *const Op, from: &[u32; LANES], mask: u32) {
        // SAFETY: `op` is an operation of the program.
        let (d, a) = unsafe { ((*op).d, (*op).a) };
        let Some(taint) = self.taint(a).copied() else {
            return self.cleanse(d, mask);
        };
        let (mut bytes, mut computed) = ([0; LANES], 0);
        for lane in lanes(mask) {
            let from = from[lane] as usize % LANES;
            bytes[lane] = taint.bytes[from];
            computed |= (taint.computed >> from & 1) << lane;
        }
        self.set_taint(Part::Row(d, 4), mask, &bytes, computed, taint.origin);
    }

    /// Of operands of lanes that meet at other instructions nothing is known.
    #[cold]
    pub(in crate::machine) fn forget_results(
        &mut self,
        frame: u32,
        rows: &[(u32, u32)],
        mask: u32,
    ) {
        let at = std::mem::replace(&mut self.at.frame, frame);
        rows.iter().for_each(|(row, _)| self.cleanse(*row, mask));
        self.at.frame = at;
    }

    /// The allocation with unwritten bytes that holds `address`; none where all counts as written.
    fn shadow(&mut self, op: *const Op, address: u64) -> Option<&'l Shadow> {
        let run = self.run;
        let site = &mut self.shadows[op as usize / size_of::<Op>() % 16];
        if address.wrapping_sub(site.base) >= site.size {
            let range = run.snapshot.find(address)?;
            *site = ShadowSite {
                base: range.base,
                size: range.size,
                shadow: run.snapshot.shadow_number(address),
            };
        }
        run.snapshot.numbered_shadow(site.shadow?)
    }

    /// Looks at lanes' accesses of `info.bytes` bytes to one memory: loads may bring what nobody wrote, stores write.
    pub(super) fn look_init(
        &mut self,
        op: *const Op,
        info: OpInfo,
        region: Region,
        addresses: &[u64; LANES],
        mask: u32,
    ) {
        let bytes = u32::from(info.bytes);
        match info.class {
            Class::Load(_) => {
                let mut found = [0u32; LANES];
                if self.find_unwritten(op, region, addresses, mask, bytes, &mut found) {
                    self.bring(op, info, region, addresses, mask, &found);
                }
            }
            Class::Store(_) => {
                self.write_region(op, region, addresses, mask, bytes);
                if self.tainted {
                    self.carry(op, info, region, addresses, mask);
                }
            }
            Class::Atomic(_) => {
                let mut found = [0u32; LANES];
                if self.find_unwritten(op, region, addresses, mask, bytes, &mut found) {
                    self.update(op, region, addresses, mask, &found);
                }
                self.write_region(op, region, addresses, mask, bytes);
            }
            _ => {}
        }
    }

    /// The unwritten bytes that each lane is about to read; false where there are none.
    fn find_unwritten(
        &mut self,
        op: *const Op,
        region: Region,
        addresses: &[u64; LANES],
        mask: u32,
        bytes: u32,
        found: &mut [u32; LANES],
    ) -> bool {
        let (mut low, mut high) = (u64::MAX, 0);
        for (lane, &address) in addresses.iter().enumerate() {
            let on = mask >> lane & 1 != 0;
            low = if on { low.min(address) } else { low };
            high = if on { high.max(address) } else { high };
        }
        let span = high - low + u64::from(bytes);
        match region {
            Region::Global => {
                let Some(shadow) = self.shadow(op, low) else {
                    // The others may be in other allocations: seldom, so one by one.
                    let site = self.shadows[op as usize / size_of::<Op>() % 16];
                    if high.wrapping_sub(site.base) < site.size {
                        return false;
                    }
                    for lane in lanes(mask) {
                        let address = addresses[lane];
                        let shadow = self.run.snapshot.shadow(address);
                        if let Some(shadow) = shadow.filter(|s| s.holds(address, bytes.into())) {
                            found[lane] = shadow.unwritten(address, bytes);
                        }
                    }
                    return found.iter().any(|bytes| *bytes != 0);
                };
                let whole = shadow.holds(low, span);
                if shadow.is_whole() && whole || whole && span <= 4096 && !shadow.lacks(low, span) {
                    return false;
                }
                for lane in lanes(mask) {
                    let address = addresses[lane];
                    let at = match shadow.holds(address, bytes.into()) {
                        true => Some(shadow),
                        false => self.run.snapshot.shadow(address),
                    };
                    if let Some(at) = at.filter(|s| s.holds(address, bytes.into())) {
                        found[lane] = at.unwritten(address, bytes);
                    }
                }
            }
            Region::Shared => {
                let start = u64::from(self.run.shared_start);
                let size = u64::from(self.run.shared_bytes);
                if low >= start && high + u64::from(bytes) <= start + size {
                    let written = &self.block().written;
                    let holds = |(word, mask): (usize, u64)| written[word] & mask == mask;
                    if span <= 4096 && words(low - start, span).all(holds) {
                        return false;
                    }
                }
                for lane in lanes(mask) {
                    let rank = (addresses[lane] / window::SHARED_PER_BLOCK).checked_sub(1);
                    let rank = rank.map_or(self.current.0, |rank| rank as usize);
                    let at = (addresses[lane] % window::SHARED_PER_BLOCK).wrapping_sub(start);
                    let Some(block) = self.team.blocks.get(rank) else {
                        continue;
                    };
                    if at >= size || u64::from(bytes) > size - at {
                        continue;
                    }
                    let mut shift = 0;
                    for (word, mask) in words(at, bytes.into()) {
                        let first = mask.trailing_zeros();
                        found[lane] |= ((!block.written[word] & mask) >> first << shift) as u32;
                        shift += mask.count_ones();
                    }
                }
            }
            Region::Local => {
                let written = &self.warp().local_written;
                for lane in lanes(mask) {
                    let at = addresses[lane] as usize;
                    for byte in 0..bytes as usize {
                        let is = written.get(at + byte).copied().unwrap_or(0) >> lane & 1;
                        found[lane] |= (is ^ 1) << byte;
                    }
                }
            }
            _ => return false,
        }
        found.iter().any(|bytes| *bytes != 0)
    }

    /// Bytes are written. Wrong addresses are left to the operation, which is about to say so.
    fn write_region(
        &mut self,
        op: *const Op,
        region: Region,
        addresses: &[u64; LANES],
        mask: u32,
        bytes: u32,
    ) {
        let len = u64::from(bytes);
        match region {
            Region::Global => {
                // Side by side, as most are: one piece.
                let first = mask.trailing_zeros() as usize % LANES;
                let last = 31 - mask.leading_zeros() as usize % LANES;
                let run = mask >> first;
                let even = run & run.wrapping_add(1) == 0
                    && lanes(mask).all(|lane| {
                        addresses[lane]
                            == addresses[first].wrapping_add((lane - first) as u64 * len)
                    });
                if even {
                    let span = (last - first + 1) as u64 * len;
                    if let Some(shadow) = self.shadow(op, addresses[first])
                        && shadow.holds(addresses[first], span)
                    {
                        shadow.write(addresses[first], span);
                    }
                    return;
                }
                for lane in lanes(mask) {
                    let address = addresses[lane];
                    if let Some(shadow) = self.shadow(op, address)
                        && shadow.holds(address, len)
                    {
                        shadow.write(address, len);
                    }
                }
            }
            Region::Shared => {
                for lane in lanes(mask) {
                    self.shared_written(addresses[lane], len);
                }
            }
            Region::Local => {
                let written = &mut self.warp().local_written;
                for lane in lanes(mask) {
                    let at = addresses[lane] as usize;
                    if at >= 1 << 24 {
                        continue;
                    }
                    if written.len() < at + len as usize {
                        written.resize(at + len as usize, 0);
                    }
                    for word in &mut written[at..at + len as usize] {
                        *word |= 1 << lane;
                    }
                }
            }
            _ => {}
        }
    }

    /// Bytes at a shared address are written.
    fn shared_written(&mut self, address: u64, len: u64) {
        let start = u64::from(self.run.shared_start);
        let size = u64::from(self.run.shared_bytes);
        let rank = (address / window::SHARED_PER_BLOCK).checked_sub(1);
        let rank = rank.map_or(self.current.0, |rank| rank as usize);
        let at = (address % window::SHARED_PER_BLOCK).wrapping_sub(start);
        if let Some(block) = self.team.blocks.get_mut(rank)
            && at < size
            && len <= size - at
        {
            words(at, len).for_each(|(word, mask)| block.written[word] |= mask);
        }
    }

    /// An asynchronous unit, or an instruction that the watch does not see, wrote bytes: of the shared memory of the block with
    /// this number, or of global memory.
    #[cold]
    pub(in crate::machine) fn was_written(
        &mut self,
        (block, address): (Option<u64>, u64),
        len: u64,
    ) {
        if !self.run.launch.checks.init {
            return;
        }
        match block {
            Some(block) => {
                let rank = self.team.blocks.iter().position(|b| b.linear == block);
                let at = address % window::SHARED_PER_BLOCK;
                if let Some(rank) = rank {
                    self.shared_written((rank as u64 + 1) * window::SHARED_PER_BLOCK + at, len);
                }
            }
            None => {
                let shadow = self.run.snapshot.shadow(address);
                if let Some(shadow) = shadow.filter(|s| s.holds(address, len)) {
                    shadow.write(address, len);
                }
            }
        }
    }

    /// A thread's copy to shared memory of a block is done: `read` bytes from an address of global memory and zeros, `all` together.
    #[cold]
    pub(in crate::machine) fn carried(
        &mut self,
        (block, to): (u64, u64),
        from: u64,
        (read, all): (u64, u64),
    ) {
        self.was_written((Some(block), to), all);
        let start = u64::from(self.run.shared_start);
        let Some(shadow) = self.run.snapshot.shadow(from) else {
            return;
        };
        if !shadow.holds(from, read) || !shadow.lacks(from, read) {
            return;
        }
        let team = &mut self.team.blocks;
        let Some(block) = team.iter_mut().find(|b| b.linear == block) else {
            return;
        };
        for byte in (0..read).filter(|byte| shadow.unwritten(from + byte, 1) != 0) {
            let at = (to % window::SHARED_PER_BLOCK).wrapping_sub(start) + byte;
            if let Some(word) = block.written.get_mut((at / 64) as usize) {
                *word &= !(1 << (at % 64));
            }
        }
    }

    /// Memory of the kernel's own heap was given out.
    #[cold]
    pub(in crate::machine) fn given_out(&mut self, address: u64, len: u64) {
        if self.run.launch.checks.init
            && let Some(shadow) = self.run.snapshot.shadow(address)
            && shadow.holds(address, len)
        {
            shadow.forget(address, len);
        }
    }

    /// A load brings unwritten bytes into registers.
    #[cold]
    fn bring(
        &mut self,
        op: *const Op,
        info: OpInfo,
        region: Region,
        addresses: &[u64; LANES],
        mask: u32,
        found: &[u32; LANES],
    ) {
        let run = self.run;
        let Some(index) = index(run.program, op).map(|index| index as u32) else {
            return;
        };
        let Some(flow) = run.program.flows.of(index) else {
            return;
        };
        let FlowKind::Load(signed) = flow.kind else {
            return;
        };
        let Some((_, origin)) = Origin::of_first(index, region, addresses, mask, found) else {
            return;
        };
        let writes = run.program.flows.writes(flow);
        let each = u32::from(info.bytes) / (writes.len() as u32).max(1);
        for (e, &part) in writes.iter().enumerate() {
            let Part::Row(_, size) = part else { continue };
            let mut bytes = [0u16; LANES];
            for lane in lanes(mask) {
                let of = (found[lane] >> (e as u32 * each)) as u16 & all(each as u8);
                let fills = signed && u32::from(size) > each && of >> (each - 1) & 1 != 0;
                bytes[lane] = of
                    | if fills {
                        all(size) & !all(each as u8)
                    } else {
                        0
                    };
            }
            if bytes != [0; LANES] {
                self.set_taint(part, mask, &bytes, 0, origin);
            }
        }
    }

    /// A store takes unwritten bytes along, or what was computed from them.
    #[cold]
    fn carry(
        &mut self,
        op: *const Op,
        info: OpInfo,
        region: Region,
        addresses: &[u64; LANES],
        mask: u32,
    ) {
        let run = self.run;
        let flow = index(run.program, op).and_then(|index| run.program.flows.of(index as u32));
        let Some(flow) = flow.filter(|flow| flow.kind == FlowKind::Store) else {
            return;
        };
        let reads = run.program.flows.reads(flow);
        let each = u32::from(info.bytes) / (reads.len() as u32).max(1);
        for (e, &part) in reads.iter().enumerate() {
            let Some(taint) = self.unwritten(part) else {
                continue;
            };
            let taken = lanes(mask).filter(|&lane| taint.bytes[lane] & all(each as u8) != 0);
            let taken = taken.fold(0u32, |set, lane| set | 1 << lane);
            let computed = match region {
                Region::Local => 0,
                _ => taken & taint.computed,
            };
            if computed != 0 {
                self.used(op, Use::Stored, &taint, computed);
            }
            for lane in lanes(taken & !computed) {
                let of = taint.bytes[lane] & all(each as u8);
                for byte in (0..each).filter(|byte| of >> byte & 1 != 0) {
                    let at = addresses[lane] + u64::from(e as u32 * each + byte);
                    self.unwrite(region, at, lane);
                }
            }
        }
    }

    /// A byte holds what nobody wrote.
    fn unwrite(&mut self, region: Region, address: u64, lane: usize) {
        match region {
            Region::Global => {
                let shadow = self.run.snapshot.shadow(address);
                if let Some(shadow) = shadow {
                    shadow.forget(address, 1);
                }
            }
            Region::Shared => {
                let start = u64::from(self.run.shared_start);
                let at = address.wrapping_sub(start);
                if at < u64::from(self.run.shared_bytes) {
                    self.block().written[(at / 64) as usize] &= !(1 << (at % 64));
                }
            }
            Region::Local => {
                if let Some(word) = self.warp().local_written.get_mut(address as usize) {
                    *word &= !(1 << lane);
                }
            }
            _ => {}
        }
    }

    /// An atomic finds unwritten bytes.
    #[cold]
    fn update(
        &mut self,
        op: *const Op,
        region: Region,
        addresses: &[u64; LANES],
        mask: u32,
        found: &[u32; LANES],
    ) {
        let run = self.run;
        let Some(index) = index(run.program, op).map(|index| index as u32) else {
            return;
        };
        let exchanges =
            run.program.flows.of(index).map(|flow| flow.kind) == Some(FlowKind::Atomic(true));
        if exchanges {
            return;
        }
        let Some((lane, origin)) = Origin::of_first(index, region, addresses, mask, found) else {
            return;
        };
        let mut bytes = [0; LANES];
        bytes[lane] = 1;
        let taint = Taint {
            bytes,
            computed: 0,
            origin,
        };
        self.used(op, Use::Updated, &taint, mask);
    }

    /// Reports a use by lanes of `mask` whose bytes are unwritten.
    #[cold]
    fn used(&mut self, op: *const Op, of: Use, taint: &Taint, mask: u32) {
        let Some(lane) = lanes(mask).find(|&lane| taint.bytes[lane] != 0) else {
            return;
        };
        let run = self.run;
        let Origin {
            op: read,
            region,
            address,
            bytes,
        } = taint.origin;
        let by = (self.current.0, self.current.1 as u32, lane);
        let is_own = index(run.program, op) == Some(read as usize);
        self.note_by(FindingKind::Unwritten, op, by, || {
            let mut notes = Vec::new();
            if !is_own {
                let place = run.place(&raw const run.program.ops[read as usize]);
                notes.push(match &place.source {
                    Some(source) => format!(
                        "it was read at {source} (ptx line {}, `{}`)",
                        place.line, place.text
                    ),
                    None => format!("it was read at ptx line {}, `{}`", place.line, place.text),
                });
            }
            let count = bytes.count_ones();
            let s = if count == 1 { "" } else { "s" };
            let at = match region {
                Region::Global => format!("the first {}", run.memory.whereabouts(address)),
                Region::Shared => shared_place(run, read, address),
                _ => format!("the first is at local address {address:#x} of the thread"),
            };
            notes.push(format!("{count} byte{s} that nobody wrote: {at}"));
            Some((of.words().into(), notes))
        });
    }
}

/// Bytes of one lane of a part.
fn width(part: &Part) -> u8 {
    match *part {
        Part::Row(_, size) => size,
        Part::Truth(_) => 1,
        _ => 0,
    }
}

/// A shared address, with the array that the access was meant for.
fn shared_place(run: &crate::machine::launch::run::Run<'_>, read: u32, address: u64) -> String {
    let start = u64::from(run.shared_start);
    let own = address % window::SHARED_PER_BLOCK;
    let arrays = &run.program.arrays;
    let meant = arrays.binary_search_by_key(&read, |&(op, _)| op);
    let variables = &run.program.variables;
    let meant = meant.ok().map(|at| &variables[arrays[at].1 as usize]);
    let inside = meant.and_then(|variable| match variable.space {
        VariableSpace::Shared(offset) => {
            let at = own.checked_sub(start + u64::from(offset))?;
            (at < variable.size).then_some((at, variable))
        }
        _ => None,
    });
    match inside {
        Some((at, variable)) => format!(
            "the first is at shared address {address:#x}, {at} bytes into `{}`, which has {} bytes",
            variable.name, variable.size
        ),
        None if own >= run.dynamic_shared => format!(
            "the first is at shared address {address:#x}, {} bytes into dynamic shared memory",
            own - run.dynamic_shared
        ),
        None => format!("the first is at shared address {address:#x}"),
    }
}
