//! Frames: filling rows of constants and special registers, and copying arguments between frames.
//!
//! PTX ISA, "Special Registers" and "Parameter State Space". A kernel's frame belongs to one warp
//! and is filled for all lanes at once. A called function's frame may be shared with other lanes of
//! the warp that are already in the function, so it is filled lane by lane.

use super::core::Core;
use super::lane::{FULL, LANES, lanes};
use super::op::Op;
use crate::machine::program::{Area, Function, PresetRow, Program, Value};
use crate::memory::window;
use crate::ptx::ast::SpecialRegister;

/// Returns the function that contains `op`.
pub(super) fn function_of(program: &Program, op: *const Op) -> &Function {
    &program.functions[function_index(program, op)]
}

/// Returns the index of an operation of the program.
#[inline(always)]
pub(super) fn op_index(program: &Program, op: *const Op) -> usize {
    (op as usize - program.ops.as_ptr() as usize) / size_of::<Op>()
}

/// Returns the index of the function that contains `op`.
pub(super) fn function_index(program: &Program, op: *const Op) -> usize {
    let index = op_index(program, op);
    program
        .functions
        .partition_point(|f| f.start as usize <= index)
        - 1
}

/// Returns the size in bytes of the frame that `op` runs in.
pub(super) fn size_of_caller(program: &Program, op: *const Op) -> u32 {
    function_of(program, op).frame
}

/// Returns whether a value may differ between blocks.
fn varies(value: Value) -> bool {
    use SpecialRegister as S;
    match value {
        Value::Special(register, _) => !matches!(
            register,
            S::Tid
                | S::Ntid
                | S::Nctaid
                | S::Laneid
                | S::Warpid
                | S::Nwarpid
                | S::LanemaskEq
                | S::LanemaskLe
                | S::LanemaskLt
                | S::LanemaskGe
                | S::LanemaskGt
                | S::DynamicSmemSize
                | S::TotalSmemSize
                | S::Envreg1
                | S::Envreg2
        ),
        _ => false,
    }
}

/// Returns whether a value may differ between lanes.
fn by_lane(value: Value) -> bool {
    use SpecialRegister as S;
    match value {
        Value::Special(register, _) => matches!(
            register,
            S::Tid
                | S::Laneid
                | S::LanemaskEq
                | S::LanemaskLe
                | S::LanemaskLt
                | S::LanemaskGe
                | S::LanemaskGt
        ),
        _ => false,
    }
}

/// The address at which local memory starts in each thread. A null pointer is thus not
/// a local address.
pub(super) const LOCAL_START: u32 = 256;

impl Core<'_> {
    /// Prepares the running warp for a block's first instruction: fills rows of the kernel's frame,
    /// and sets registers to zero.
    pub(super) fn start_frame(&mut self, function: &Function, rows: &[PresetRow]) {
        let filled = std::mem::replace(&mut self.warp().filled, true);
        if !filled {
            // SAFETY: the predicate that is always true is the first word of the frame.
            unsafe { *self.frame.cast::<u32>() = FULL };
        }
        for row in rows.iter().filter(|row| !filled || varies(row.value)) {
            self.fill_row(row, FULL, LOCAL_START);
        }
        // Clears predicates and the carry flag, after the first word; then registers that might be
        // read before they are written.
        // SAFETY: words and rows lie inside the frame, and the warp's registers hold
        // the whole frame.
        unsafe {
            self.frame
                .add(4)
                .write_bytes(0, function.words as usize - 4);
            for &(row, width) in &function.cleared {
                self.frame
                    .add(row as usize)
                    .write_bytes(0, width as usize * LANES);
            }
        }
    }

    /// Prepares a called function's frame for the lanes of `mask`; its variables start at `local`.
    pub(super) fn fill_frame(
        &mut self,
        function: &Function,
        rows: &[PresetRow],
        mask: u32,
        local: u32,
    ) {
        for word in 0..function.words / 4 {
            // SAFETY: words are at the start of the frame. The first is true for the lanes
            // that are here.
            unsafe { self.set_predicate(word * 4, if word == 0 { FULL } else { 0 }, mask) };
        }
        let zero = |&(offset, width): &(u32, u32)| PresetRow {
            offset,
            width,
            value: Value::Bits(0),
        };
        for row in rows
            .iter()
            .copied()
            .chain(function.cleared.iter().map(zero))
        {
            self.fill_row(&row, mask, local);
        }
    }

    /// Fills one row for the lanes of `mask`.
    fn fill_row(&mut self, row: &PresetRow, mask: u32, local: u32) {
        let mut value = match row.value {
            Value::Bits(bits) => bits,
            Value::Special(register, component) => u128::from(self.special(register, component, 0)),
            Value::Local(offset) => u128::from(local + offset),
            Value::DynamicShared(offset) => {
                u128::from(self.run.dynamic_shared.wrapping_add_signed(offset))
            }
            Value::Symbol(..) => 0, // resolved by the instance: none is left
        };
        if mask == FULL && row.width == 4 && !by_lane(row.value) {
            // SAFETY: as below; what a new block changes most often.
            *unsafe { self.lanes::<u32>(row.offset) } = [value as u32; LANES];
            return;
        }
        for lane in lanes(mask) {
            if let Value::Special(register, component) = row.value {
                value = u128::from(self.special(register, component, lane));
            }
            // SAFETY: the row lies in the frame and has this width.
            unsafe {
                match row.width {
                    4 => self.lanes::<u32>(row.offset)[lane] = value as u32,
                    8 => self.lanes::<u64>(row.offset)[lane] = value as u64,
                    _ => self.lanes::<u128>(row.offset)[lane] = value,
                }
            }
        }
    }

    /// Copies arguments or results from areas of one frame to those of another, for the
    /// lanes of `mask`.
    pub(super) fn copy_areas(
        &mut self,
        from: u32,
        source: &[Area],
        to: u32,
        target: &[Area],
        mask: u32,
    ) {
        let registers = self.warp().registers.start();
        for (source, target) in source.iter().zip(target) {
            for word in 0..source.size.min(target.size).div_ceil(4) {
                let row = |frame: u32, area: &Area| {
                    (frame + area.offset + word * 4 * LANES as u32) as usize
                };
                // SAFETY: both rows lie in frames of this warp. The frames do not overlap, because
                // one is after the other.
                let (source, target) = unsafe {
                    let source = registers.add(row(from, source)).cast::<[u32; LANES]>();
                    (
                        *source,
                        &mut *registers.add(row(to, target)).cast::<[u32; LANES]>(),
                    )
                };
                for lane in lanes(mask) {
                    target[lane] = source[lane];
                }
            }
        }
    }

    /// Returns the value of a special register in one lane of the running warp.
    ///
    /// Values that a program must not rely on are chosen so that runs are repeatable: `smid` is the
    /// block's number modulo the number of multiprocessors, and `warpid` is the warp's index in its
    /// block. Clocks are read by the operation `clock`.
    pub(super) fn special(&self, register: SpecialRegister, component: u8, lane: usize) -> u64 {
        use SpecialRegister as S;
        let run = self.run;
        let (block, warp) = (&self.team.blocks[self.current.0], self.current.1 as u32);
        let linear = warp * LANES as u32 + lane as u32;
        let [x, y, _] = run.launch.block;
        let of = |v: [u32; 3]| u64::from(v.get(usize::from(component)).copied().unwrap_or(0));
        let launch = run.launch;
        let cluster = run.cluster;
        let ranks = || cluster.iter().product::<u32>();
        let bit = 1u64 << lane;
        let linear_block = block.linear;
        match register {
            S::Tid => of([linear % x, linear / x % y, linear / (x * y)]),
            S::Ntid => of(launch.block),
            S::Ctaid => of(block.id),
            S::Nctaid => of(launch.grid),
            S::Laneid => lane as u64,
            S::Warpid => u64::from(warp),
            S::Nwarpid => u64::from(run.model.warps_per_multiprocessor()),
            S::Smid => linear_block % u64::from(run.model.multiprocessors),
            S::Nsmid => u64::from(run.model.multiprocessors),
            S::Gridid => 1,
            S::LanemaskEq => bit,
            S::LanemaskLt => bit - 1,
            S::LanemaskLe => bit | (bit - 1),
            S::LanemaskGt => u64::from(FULL) & !(bit | (bit - 1)),
            S::LanemaskGe => u64::from(FULL) & !(bit - 1),
            S::Clusterid => of(std::array::from_fn(|i| block.id[i] / cluster[i])),
            S::Nclusterid => of(std::array::from_fn(|i| launch.grid[i] / cluster[i])),
            S::ClusterCtaid => of(std::array::from_fn(|i| block.id[i] % cluster[i])),
            S::ClusterNctaid => of(cluster),
            S::ClusterCtarank => u64::from(block.rank),
            S::ClusterNctarank => u64::from(ranks()),
            S::IsExplicitCluster => u64::from(ranks() > 1),
            S::DynamicSmemSize => u64::from(launch.dynamic_shared),
            S::TotalSmemSize => u64::from(run.own_shared()),
            S::AggrSmemSize => u64::from(run.own_shared()) * u64::from(ranks()),
            S::ReservedSmemOffsetEnd | S::ReservedSmemOffsetCap => {
                u64::from(run.model.limits.shared_reserved)
            }
            // That memory is used by groups of several warps; see `Run::scratch`.
            S::ReservedSmemOffset1 => u64::from(run.shared_start),
            S::ReservedSmemOffsetBegin | S::ReservedSmemOffset0 => 0,
            // CUDA's cooperative groups: the address of the grid's workspace, its upper half first.
            S::Envreg1 => run.workspace() >> 32,
            S::Envreg2 => run.workspace() & 0xffff_ffff,
            S::Clock
            | S::ClockHi
            | S::Clock64
            | S::Globaltimer
            | S::GlobaltimerLo
            | S::GlobaltimerHi => 0, // see `clock`
            _ => 0,
        }
    }

    /// Sets the window of local memory: its start, and the limit for the warp's lanes. The
    /// limit is that of the lane that uses most, because lanes at other call depths run without
    /// a call in between.
    pub(super) fn set_local(&mut self) {
        let warp = self.warp();
        // This is a loop, because explored launches come here at every step, and a loop compiles to
        // one instruction for eight lanes.
        let mut top = 0;
        for &lane in &warp.local_top {
            top = lane.max(top);
        }
        let host = warp.local.start();
        self.memory.local = super::core::View {
            host,
            start: u64::from(LOCAL_START),
            size: u64::from(top.saturating_sub(LOCAL_START)),
        };
    }
}

const _: () = assert!(window::LOCAL > LOCAL_START as u64);
