//! `wgmma`: multiplication of a warpgroup's matrices, while its threads go on.
//!
//! PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
//! `semantics::matrix::warpgroup` defines the computation. Each warp computes its own 16 rows when
//! it comes to the instruction, because no warp of the four needs another's registers. The ISA
//! leaves open when the results are in the registers before the wait for them. Here they are there
//! at once, and [`track`](super::track) finds accesses that come too early. So the code that
//! compilers put in between (copies of registers, which an assembler folds) does no harm.
//!
//! Reported: a warpgroup that is not complete; descriptors that differ between lanes; a matrix
//! outside of shared memory; metadata that the ISA leaves undefined; registers accessed too early
//! or without `wgmma.fence` (`track`). With the race check: writes to a matrix's shared memory
//! before the wait.

use super::matrix::{Sparsity, warp};
use crate::checks::FindingKind;
use crate::machine::asynchronous::pending::CheckedPlace;
use crate::machine::checks::race::AccessKind;
use crate::machine::core::{Core, View};
use crate::machine::event::{FaultKind, Region};
use crate::machine::lane::{FULL, LANES};
use crate::machine::level::{Level, levels};
use crate::machine::meeting::exchange::members;
use crate::machine::op::{Op, STOP};
use crate::semantics::matrix::warpgroup::{
    Descriptor, Lines, Major, PIECE, ROWS, place, wgmma, wgmma_b1,
};
use crate::semantics::matrix::{Accumulator, Element, sparse};

/// Warps of a warpgroup.
pub(in crate::machine) const WARPS: usize = 4;

/// The operands of a `wgmma.mma_async`.
#[derive(Debug, Clone)]
pub(crate) struct WarpgroupSite {
    /// The number of columns of D, and the length k of the sum; for single bits k is in words.
    pub(crate) shape: (usize, usize),
    /// Types of A, B and D; none for single bits.
    pub(crate) types: Option<([Element; 2], Accumulator)>,
    /// Rows of D's registers.
    pub(crate) d: Vec<u32>,
    pub(crate) a: MatrixA,
    /// The row of B's descriptors, and B's layout.
    pub(crate) b: (u32, Major),
    /// The predicate for whether D is added.
    pub(crate) add: u32,
    /// Whether A and B are negated.
    pub(crate) negated: [bool; 2],
    /// The sparsity of A, if it is sparse.
    pub(crate) sparsity: Option<Sparsity>,
    /// The numbers of D's registers, and of A's, in `track`.
    pub(crate) tracked: [Vec<u32>; 2],
}

/// The place of A.
#[derive(Debug, Clone)]
pub(crate) enum MatrixA {
    /// In registers of these rows.
    Registers(Vec<u32>),
    /// In shared memory, at the place in this row of descriptors.
    Shared(u32, Major),
}

/// Shared memory of a matrix, which is read until a thread waits for the group.
#[derive(Debug)]
pub(in crate::machine) struct Reading {
    group: u32,
    spot: CheckedPlace,
    bytes: usize,
}

levels!(
    /// `wgmma.mma_async`: site `aux`; member mask in row `b`.
    pub(crate) fn multiply = multiply_body
);

/// # Safety
/// As for every handler.
#[inline(always)]
unsafe fn multiply_body<L: Level>(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    warp!(core, op, o.b);
    let run = core.run;
    let site = &run.program.warpgroups[o.aux as usize];
    if core.whole_warpgroup(op).is_none() || core.track_multiply(op, site).is_none() {
        return STOP;
    }
    let matrices = &mut core.warp().matrices;
    (matrices.count, matrices.last) = (matrices.count + 1, Some(op));
    // SAFETY: the decoder gave the site rows of the frame.
    match unsafe { multiply_one(core, op, site) } {
        Some(()) => op.wrapping_add(1),
        None => STOP,
    }
}

/// Multiplies for one warp. None for a fault.
///
/// # Safety
/// `site` must be that of `op`, an operation of the running frame.
#[inline(always)]
unsafe fn multiply_one(core: &mut Core<'_>, op: *const Op, site: &WarpgroupSite) -> Option<()> {
    let (n, k) = site.shape;
    // Bytes of an element of A or B.
    let size = site.types.map_or(4, |([a, _], _)| 4 / a.per_register());
    let stored = if site.sparsity.is_some() { k / 2 } else { k };
    let first = core.current.1 % WARPS * ROWS;
    let mut pieces = Vec::new();
    // SAFETY: the decoder gave the site rows of the frame. Rows of descriptors have 64 bits, and
    // the others have 32.
    unsafe {
        let a = match &site.a {
            MatrixA::Registers(rows) => {
                let registers: Vec<[u32; LANES]> =
                    rows.iter().map(|&row| *core.lanes::<u32>(row)).collect();
                let ty = site.types.map(|([a, _], _)| a);
                Lines::of_registers(stored, ty, &registers)
            }
            MatrixA::Shared(row, major) => {
                let lines = (first, first + ROWS);
                core.matrix(op, (*row, *major), lines, (stored, size), &mut pieces)?
            }
        };
        let (row, major) = site.b;
        let b = core.matrix(op, (row, major), (0, n), (k, size), &mut pieces)?;
        let a = match (site.sparsity, site.types) {
            (Some(sparsity), Some(([ty, _], _))) => {
                let metadata = *core.lanes::<u32>(sparsity.metadata);
                let (selector, ordered) = (sparsity.selector, sparsity.ordered);
                if let Some(wrong) = sparse::misplaced(k, ty, &metadata, (selector, ordered)) {
                    core.wrong_metadata(op, wrong);
                    return None;
                }
                a.spread(ty, &sparse::indices(k, ty, &metadata, selector))
            }
            _ => a,
        };
        // In a defined program the predicate is the same in all lanes.
        let add = core.predicate(site.add) != 0;
        let mut d: Vec<[u32; LANES]> = site.d.iter().map(|&row| *core.lanes::<u32>(row)).collect();
        match site.types {
            Some(([a_type, b_type], d_type)) => wgmma(
                (a_type, &a, site.negated[0]),
                (b_type, &b, site.negated[1]),
                (d_type, &mut d, add),
            ),
            None => wgmma_b1(&a, &b, &mut d, add),
        }
        for (&row, values) in site.d.iter().zip(&d) {
            *core.lanes::<u32>(row) = *values;
        }
    }
    if core.run.launch.checks.race {
        core.begin_matrices(op, pieces);
    }
    if core.run.launch.checks.init && (core.checks.tainted || !core.shared_is_written()) {
        // SAFETY: passed on.
        unsafe { spoil(core, op, site) };
    }
    Some(())
}

/// Follows uninitialised data from A, B and D into D.
///
/// # Safety
/// As for [`multiply_one`].
#[cold]
unsafe fn spoil(core: &mut Core<'_>, op: *const Op, site: &WarpgroupSite) {
    let (n, k) = site.shape;
    let size = site.types.map_or(4, |([a, _], _)| 4 / a.per_register());
    let stored = if site.sparsity.is_some() { k / 2 } else { k };
    let first = core.current.1 % WARPS * ROWS;
    let mut memory = None;
    // SAFETY: passed on.
    let (rows, columns, add) = unsafe {
        let (row, major) = site.b;
        let columns = core.unwritten_lines((row, major), (0, n), (k, size), &mut memory);
        let rows = match &site.a {
            MatrixA::Registers(rows) => {
                let registers = core.register_masks(rows);
                let ty = site.types.map(|([a, _], _)| a);
                Lines::of_registers(stored, ty, &registers).any()
            }
            MatrixA::Shared(row, major) => {
                let lines = (first, first + ROWS);
                core.unwritten_lines((*row, *major), lines, (stored, size), &mut memory)
            }
        };
        (rows, columns, core.predicate(site.add) != 0)
    };
    let per_register = site.types.map_or(1, |(_, d)| d.per_register());
    let registers = match &site.a {
        MatrixA::Registers(rows) => &rows[..],
        MatrixA::Shared(..) => &[],
    };
    let spoiled = |lane, index| {
        let (row, column) = place(lane, index);
        rows.get(row) == Some(&true) || columns.get(column) == Some(&true)
    };
    let d = (&site.d[..], per_register, add);
    core.warpgroup_multiplied(op, d, (memory, registers), spoiled);
}

impl Core<'_> {
    /// Checks that the warpgroup of the running warp has all its threads. None for a fault.
    fn whole_warpgroup(&mut self, op: *const Op) -> Option<()> {
        let first = self.current.1 / WARPS * WARPS;
        let warps = &self.team.blocks[self.current.0].warps;
        let whole = warps.get(first..first + WARPS);
        if whole.is_some_and(|warps| warps.iter().all(|warp| warp.exist == FULL)) {
            return Some(());
        }
        let message = "`wgmma` in a warpgroup that has fewer than 128 threads".into();
        let help =
            "launch blocks of a multiple of 128 threads; warps 0 to 3, 4 to 7, ... are warpgroups";
        self.fault(op, 0, FaultKind::Illegal { message, help });
        None
    }

    /// Finds warps that took part in fewer multiplications than others of their warpgroup, after
    /// the blocks of the team have ended.
    pub(in crate::machine) fn check_warpgroups(&mut self) {
        for block in 0..self.team.blocks.len() {
            let warps = &self.team.blocks[block].warps;
            let counts: Vec<_> = warps
                .iter()
                .map(|it| (it.matrices.count, it.matrices.last))
                .collect();
            for (group, counts) in counts.chunks(WARPS).enumerate() {
                let of = |warp: usize| counts[warp].0;
                let by_count = |&warp: &usize| of(warp);
                let least = (0..counts.len()).min_by_key(by_count).unwrap_or(0);
                let most = (0..counts.len()).rev().max_by_key(by_count).unwrap_or(0);
                let (Some(op), true) = (counts[most].1, of(least) < of(most)) else {
                    continue;
                };
                let [first, other] = [most, least].map(|warp| group * WARPS + warp);
                self.note_by(FindingKind::PartOfAWarpgroup, op, (block, first as u32, 0), || {
                    let what = "a warp of a warpgroup goes around a multiplication".into();
                    let note = format!(
                        "warp {other} took part in {} of them, and warp {first} in {}; this is the last of those",
                        of(least),
                        of(most)
                    );
                    Some((what, vec![note]))
                });
            }
        }
    }

    /// Loads lines of the matrix that a descriptor names, and adds the addresses of their pieces to
    /// `pieces`. None for a fault.
    ///
    /// # Safety
    /// `row` must be a row of 64 bits of the running frame.
    unsafe fn matrix(
        &mut self,
        op: *const Op,
        (row, major): (u32, Major),
        lines: (usize, usize),
        (k, size): (usize, usize),
        pieces: &mut Vec<u32>,
    ) -> Option<Lines> {
        // SAFETY: passed on.
        let descriptors = unsafe { *self.lanes::<u64>(row) };
        if let Some(lane) = (1..LANES).find(|&lane| descriptors[lane] != descriptors[0]) {
            let message = format!(
                "matrix descriptors {:#x} and {:#x} in one warp",
                descriptors[0], descriptors[lane]
            );
            let help = "a descriptor has to be the same in all threads of the warpgroup";
            self.fault(op, lane, FaultKind::Illegal { message, help });
            return None;
        }
        let View {
            host,
            start,
            size: room,
        } = self.memory.shared;
        let descriptor = Descriptor::of(descriptors[0]);
        let wanted = self.run.launch.checks.race;
        let read = |at: u32| {
            let offset = u64::from(at).wrapping_sub(start);
            if offset >= room || room - offset < PIECE as u64 {
                return Err(at);
            }
            if wanted {
                pieces.push(at);
            }
            // SAFETY: these bytes are inside of the block's shared memory.
            Ok(unsafe { host.add(offset as usize).cast::<[u8; PIECE]>().read() })
        };
        match Lines::load(&descriptor, major, lines, (k, size), read) {
            Ok(lines) => Some(lines),
            Err(at) => {
                let what = FaultKind::Access {
                    act: AccessKind::Read,
                    region: Region::Shared,
                    generic: false,
                    address: at.into(),
                    bytes: PIECE as u32,
                };
                self.fault(op, 0, what);
                None
            }
        }
    }

    /// Returns which lines of the matrix that a descriptor names have uninitialised bytes. The
    /// first such piece, and its bytes, are stored in `found`.
    ///
    /// # Safety
    /// As for [`Core::matrix`], which has found the matrix.
    unsafe fn unwritten_lines(
        &mut self,
        (row, major): (u32, Major),
        lines: (usize, usize),
        shape: (usize, usize),
        found: &mut Option<(u64, u32)>,
    ) -> Vec<bool> {
        // SAFETY: passed on.
        let descriptor = Descriptor::of(unsafe { self.lanes::<u64>(row)[0] });
        let masks = |at: u32| {
            let bytes = self.shared_unwritten(at.into(), PIECE as u64);
            if bytes != 0 {
                found.get_or_insert((at.into(), bytes));
            }
            let mask = |byte: usize| if bytes >> byte & 1 == 0 { 0 } else { u8::MAX };
            Ok::<_, std::convert::Infallible>(std::array::from_fn(mask))
        };
        match Lines::load(&descriptor, major, lines, shape, masks) {
            Ok(lines) => lines.any(),
            Err(never) => match never {},
        }
    }

    /// Tells the race check that pieces at these addresses are read until the warp waits.
    #[cold]
    fn begin_matrices(&mut self, op: *const Op, mut pieces: Vec<u32>) {
        pieces.sort_unstable();
        pieces.dedup();
        let piece = PIECE as u32;
        self.step_races();
        for stretch in pieces.chunk_by(|a, b| a + piece == *b) {
            let (spot, bytes) = (self.owner(stretch[0].into()), stretch.len() * PIECE);
            self.begin_access(op, 0, AccessKind::Read, spot, bytes as u64);
            let group = self.warp().matrices.group();
            self.warp()
                .matrices
                .readings
                .push(Reading { group, spot, bytes });
        }
    }
}

/// `wgmma.fence`; member mask in row `b`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn fence(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    warp!(core, op, o.b);
    core.warp().matrices.fence();
    op.wrapping_add(1)
}

/// `wgmma.commit_group`; member mask in row `b`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn commit(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    warp!(core, op, o.b);
    core.warp().matrices.commit();
    op.wrapping_add(1)
}

/// `wgmma.wait_group`: completes all groups except the latest `c`; member mask in row `b`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn wait(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    warp!(core, op, o.b);
    let last = core.warp().matrices.wait(o.c);
    let readings = &mut core.warp().matrices.readings;
    let over: Vec<Reading> = readings
        .extract_if(.., |reading| reading.group <= last)
        .collect();
    let by = (core.current.0, core.current.1 as u32, 0);
    for Reading { spot, bytes, .. } in over {
        core.done(by, spot, bytes);
    }
    op.wrapping_add(1)
}
