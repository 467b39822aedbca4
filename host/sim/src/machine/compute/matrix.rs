//! `mma.sync`, `wmma.mma`, `ldmatrix`, `stmatrix`, `movmatrix`: a warp works on matrices that its lanes hold together.
//!
//! PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions". What fragments mean and how sums are rounded is
//! `semantics::matrix`; here are registers, addresses and checks. All 32 lanes must come: with a lane that has ended, or in a
//! block that has no full warp, the ISA leaves everything open, and the machine faults.
//! Reported: metadata of a sparse matrix that the ISA leaves undefined; rows outside of shared memory or not aligned to their 16 bytes. Lanes whose addresses are not used are not looked at.

use crate::checks::race::AccessKind;
use std::mem::MaybeUninit;

use crate::machine::core::Core;
use crate::machine::event::{FaultKind, Region};
use crate::machine::lane::{FULL, LANES};
use crate::machine::level::{Level, levels};
use crate::machine::meeting::exchange::members;
use crate::machine::memory::access::LaneAccess;
use crate::machine::memory::flag;
use crate::machine::memory::state_space::NamedSpace;
use crate::machine::op::{Op, STOP};
use crate::machine::program::{Class, SpaceClass};
use crate::semantics::Rounding;
use crate::semantics::matrix::load::{
    Packed, address_lane, load, load_bytes, load_bytes_trans, movmatrix, store, store_bytes_trans,
};
use crate::semantics::matrix::{
    Accumulator, BitOp, Element, Factor, Scale, Scales, mma, mma_b1, mma_f64, mma_m8n8k4, mma_sp,
    sparse, wmma,
};

/// A multiplication: what it is, and the rows of its operands.
#[derive(Debug, Clone)]
pub(crate) struct Product {
    /// Shape and types.
    pub(crate) kind: MatrixKind,
    /// Rows of A, B, C and D.
    pub(crate) rows: [Vec<u32>; 4],
    /// The factors of blocks of A and B.
    pub(crate) scaling: Option<Scaling>,
}

/// Where a product's factors stand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scaling {
    /// The type of the scale factors.
    pub(crate) factor: Factor,
    /// How many there are along k.
    pub(crate) blocks: usize,
    /// Of A and of B: the rows of the factors, of the first byte, and of the lanes that count.
    pub(crate) rows: [[u32; 3]; 2],
}

/// Shape and types of a multiplication.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MatrixKind {
    /// `mma` of two types of multiplicands; C's and D's types.
    Mma(usize, [Element; 2], [Accumulator; 2]),
    /// A product of which one matrix is sparse, `mma.sp`.
    Sparse(usize, Sparsity, [Element; 2], [Accumulator; 2]),
    /// `mma.m8n8k4` on f16: whether A and B are stored by rows; C's and D's types.
    Volta([bool; 2], [Accumulator; 2]),
    /// f64, rounded so.
    Double(usize, Rounding),
    /// Products of single bits, counted.
    Bits(usize, BitOp),
    /// `wmma` of this shape.
    Wmma((usize, usize, usize), [Element; 2], [Accumulator; 2]),
}

/// What says where a sparse matrix' elements go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sparsity {
    /// The row of the metadata.
    pub(crate) metadata: u32,
    /// Which lanes' metadata count.
    pub(crate) selector: usize,
    /// Whether it has to be in order.
    pub(crate) ordered: bool,
}

/// Registers of an operand at most: C of f32 has eight, A of f64 too.
const MOST: usize = 8;

impl Core<'_> {
    /// Waits for the whole warp, or says why it cannot come.
    pub(in crate::machine) fn whole_warp(&mut self, op: *const Op, mask: u32) -> Option<*const Op> {
        if mask == FULL {
            return None;
        }
        let message = format!(
            "an instruction on matrices in a warp of which only {} threads are there",
            mask.count_ones()
        );
        let help =
            "launch blocks of whole warps, and let no thread return before the matrices are done";
        let lane = mask.trailing_zeros() as usize;
        Some(self.fault(op, lane, FaultKind::Illegal { message, help }))
    }

    /// Reports metadata of a sparse matrix that means nothing: row, chunk, and the four bits.
    #[cold]
    pub(super) fn wrong_metadata(
        &mut self,
        op: *const Op,
        (row, chunk, bits): (usize, usize, u32),
    ) -> *const Op {
        let message = format!(
            "metadata {bits:#06b} for chunk {chunk} of row {row} of a sparse matrix, which is undefined"
        );
        let help = "each chunk's metadata names two different elements, the lower first; for tf32 it is 0b0100 or 0b1110";
        self.fault(op, row % 8 * 4, FaultKind::Illegal { message, help })
    }

    /// The factors of A and B, as the selectors in the first lane name them; else what is wrong with a selector.
    ///
    /// # Safety
    /// `scaling` must be of an operation of the running frame.
    unsafe fn scales<'d>(
        &mut self,
        scaling: &Scaling,
        data: &'d [[u32; LANES]; 2],
    ) -> Result<Scales<'d>, String> {
        let Scaling {
            factor,
            blocks,
            rows,
        } = *scaling;
        let mut selectors = [[0; 2]; 2];
        for (matrix, [_, byte, thread]) in rows.into_iter().enumerate() {
            // SAFETY: the decoder gave rows of 32-bit values.
            let [byte, thread] =
                [byte, thread].map(|row| unsafe { self.lanes::<u32>(row)[0] } as usize & 0xffff);
            let threads = [2, 4][matrix];
            if !byte.is_multiple_of(blocks) || byte + blocks > 4 || thread >= threads {
                return Err(format!(
                    "selectors {byte} and {thread} of the factors of {}, where bytes come in groups of {blocks} and threads are below {threads}",
                    ["A", "B"][matrix]
                ));
            }
            selectors[matrix] = [byte, thread];
        }
        Ok(Some([0, 1].map(|matrix| Scale {
            data: &data[matrix],
            factor,
            blocks,
            byte: selectors[matrix][0],
            thread: selectors[matrix][1],
        })))
    }

    /// Reports selectors that name no factors.
    #[cold]
    fn wrong_selector(&mut self, op: *const Op, message: String) -> *const Op {
        let help = "byte selectors are 0 to 3 for one factor, 0 or 2 for two, 0 for four; thread selectors 0 and 1 for A, 0 to 3 for B";
        self.fault(op, 0, FaultKind::Illegal { message, help })
    }

    /// Copies of rows of the frame, `MOST` at most.
    ///
    /// # Safety
    /// They must be rows of lanes of `T`'s size of the running frame.
    #[inline(always)]
    unsafe fn registers<'b, T: Copy>(
        &self,
        rows: &[u32],
        buffer: &'b mut [MaybeUninit<[T; LANES]>; MOST],
    ) -> &'b [[T; LANES]] {
        let rows = rows.get(..MOST).unwrap_or(rows);
        for (copy, &row) in buffer.iter_mut().zip(rows) {
            // SAFETY: passed on.
            copy.write(unsafe { *self.frame.add(row as usize).cast() });
        }
        // SAFETY: as many as there are rows were written.
        unsafe { std::slice::from_raw_parts(buffer.as_ptr().cast(), rows.len()) }
    }

    /// Writes rows of the frame.
    ///
    /// # Safety
    /// As for [`Core::registers`].
    unsafe fn set_registers<T: Copy>(&mut self, rows: &[u32], values: &[[T; LANES]]) {
        for (value, &row) in values.iter().zip(rows) {
            // SAFETY: passed on.
            unsafe { *self.frame.add(row as usize).cast() = *value };
        }
    }
}

/// The whole warp, or the operation to go on with.
macro_rules! warp {
    ($core:ident, $op:ident, $members:expr) => {{
        let mask = members!($core, $op, $members);
        if let Some(next) = $core.whole_warp($op, mask) {
            return next;
        }
    }};
}
pub(in crate::machine) use warp;

levels!(
    /// `mma.sync`, `wmma.mma`: product `aux`; member mask in row `b`.
    pub(crate) fn multiply = multiply_body
);

/// # Safety
/// As for every handler.
#[inline(always)]
unsafe fn multiply_body<L: Level>(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    warp!(core, op, o.b);
    let Product {
        kind,
        rows,
        scaling,
    } = &core.run.program.products[o.aux as usize];
    let [a, b, c, d] = rows;
    // SAFETY: the decoder gave this operation rows of 32 bits, for f64 of 64 bits, and no operand has more than `MOST`.
    unsafe {
        if let MatrixKind::Double(k, rounding) = *kind {
            let [left, right, sum] = &mut [[MaybeUninit::uninit(); MOST]; 3];
            let (left, right, sum) = (
                core.registers(a, left),
                core.registers(b, right),
                core.registers(c, sum),
            );
            let mut result = [[0u64; LANES]; MOST];
            mma_f64(k, rounding, left, right, sum, &mut result[..d.len()]);
            core.set_registers(d, &result);
            core.multiplied([a, b, c, d], 8, [8; 2], |[a, b, c]| {
                let mut to = vec![[0; LANES]; d.len()];
                mma_f64(k, rounding, a, b, c, &mut to);
                to
            });
            return op.wrapping_add(1);
        }
        let [left, right, sum] = &mut [[MaybeUninit::uninit(); MOST]; 3];
        let (left, right, sum) = (
            core.registers(a, left),
            core.registers(b, right),
            core.registers(c, sum),
        );
        let mut result = [[0u32; LANES]; MOST];
        let to = &mut result[..d.len()];
        let data = scaling.map(|scaling| scaling.rows.map(|[row, ..]| *core.lanes::<u32>(row)));
        let scales = match (scaling, &data) {
            (Some(scaling), Some(data)) => match core.scales(scaling, data) {
                Ok(scales) => scales,
                Err(message) => return core.wrong_selector(op, message),
            },
            _ => None,
        };
        let metadata = match *kind {
            MatrixKind::Sparse(k, sparsity, [a, _], _) => {
                let metadata = *core.lanes::<u32>(sparsity.metadata);
                let Sparsity {
                    selector, ordered, ..
                } = sparsity;
                if let Some(wrong) = sparse::misplaced(k, a, &metadata, (selector, ordered)) {
                    return core.wrong_metadata(op, wrong);
                }
                metadata
            }
            _ => [0; LANES],
        };
        if L::VECTOR {
            multiply_as(kind, scales, &metadata, [left, right, sum], to);
        } else {
            multiply_plainly(kind, scales, &metadata, [left, right, sum], to);
        }
        core.set_registers(d, &result);
        if core.tainted {
            multiply_stand_ins(core, kind, &metadata, [a, b, c, d]);
        }
    }
    op.wrapping_add(1)
}

/// A product of 32-bit registers.
#[inline(always)]
fn multiply_as(
    kind: &MatrixKind,
    scales: Scales<'_>,
    metadata: &[u32; LANES],
    [left, right, sum]: [&[[u32; LANES]]; 3],
    to: &mut [[u32; LANES]],
) {
    match *kind {
        MatrixKind::Mma(k, [a, b], [c, d]) => {
            mma(k, scales, (a, left), (b, right), (c, sum), (d, to))
        }
        MatrixKind::Sparse(k, sparsity, [a, b], [c, d]) => {
            let metadata = (metadata, sparsity.selector);
            let (left, right) = ((a, left), (b, right));
            mma_sp(k, scales, metadata, left, right, (c, sum), (d, to));
        }
        MatrixKind::Volta([a, b], [c, d]) => mma_m8n8k4((a, left), (b, right), (c, sum), (d, to)),
        MatrixKind::Bits(k, operation) => mma_b1(k, operation, left, right, sum, to),
        MatrixKind::Wmma(shape, [a, b], [c, d]) => {
            wmma(shape, (a, left), (b, right), (c, sum), (d, to));
        }
        MatrixKind::Double(..) => {}
    }
}

/// The same as a function of its own, for the crate's own target: all shapes and types in one body take long to compile.
#[inline(never)]
fn multiply_plainly(
    kind: &MatrixKind,
    scales: Scales<'_>,
    metadata: &[u32; LANES],
    operands: [&[[u32; LANES]]; 3],
    to: &mut [[u32; LANES]],
) {
    multiply_as(kind, scales, metadata, operands, to);
}

/// The product of what stands in for bytes that nobody wrote.
#[cold]
fn multiply_stand_ins(
    core: &mut Core<'_>,
    kind: &MatrixKind,
    metadata: &[u32; LANES],
    rows: [&[u32]; 4],
) {
    let sums = match *kind {
        MatrixKind::Mma(_, _, sums)
        | MatrixKind::Sparse(_, _, _, sums)
        | MatrixKind::Volta(_, sums)
        | MatrixKind::Wmma(_, _, sums) => sums,
        MatrixKind::Bits(..) | MatrixKind::Double(..) => [Accumulator::S32; 2],
    };
    // Of the same bits, `xor` would leave nothing.
    let kind = match *kind {
        MatrixKind::Bits(k, _) => MatrixKind::Bits(k, BitOp::And),
        kind => kind,
    };
    let elements = sums.map(|sum| 4 / sum.per_register() as u8);
    let count = rows[3].len();
    core.multiplied(rows, 4, elements, |matrices| {
        let low = |row: &[u64; LANES]| row.map(|bits| bits as u32);
        let [a, b, c] = matrices.map(|rows| rows.iter().map(low).collect::<Vec<_>>());
        let mut to = vec![[0; LANES]; count];
        multiply_plainly(&kind, None, metadata, [&a, &b, &c], &mut to);
        to.iter().map(|row| row.map(u64::from)).collect()
    });
}

/// In `aux` of `ldmatrix` and `stmatrix`.
pub(crate) mod rows {
    /// The matrix is transposed.
    pub(crate) const TRANS: u32 = 2;
    /// The address is generic.
    pub(crate) const GENERIC: u32 = 4;
    /// Elements have a byte in registers.
    pub(crate) const BYTES: u32 = 8;
    /// Elements have six bits in memory.
    pub(crate) const SIX: u32 = 16;
    /// Elements have four bits in memory.
    pub(crate) const FOUR: u32 = 32;
    /// Where the number of registers starts.
    pub(crate) const COUNT: u32 = 8;
}

/// Bytes of a matrix' row.
const ROW: u64 = 16;

impl Core<'_> {
    /// Where the rows of the matrices lie that `op` moves, of the lane that names each, and their shared addresses.
    ///
    /// # Safety
    /// `op` must be `ldmatrix` or `stmatrix` of the running frame.
    unsafe fn locate_rows(
        &mut self,
        op: *const Op,
        act: AccessKind,
    ) -> Option<([*mut u8; LANES], [u64; LANES])> {
        // SAFETY: passed on.
        let (o, mut addresses) = unsafe { (&*op, self.addresses(op)) };
        let lanes = 8 * (o.aux >> rows::COUNT) as usize;
        let space = if o.aux & rows::GENERIC == 0 {
            NamedSpace::Shared
        } else {
            NamedSpace::GenericShared
        };
        let mut places = [std::ptr::null_mut(); LANES];
        for lane in 0..lanes {
            let one = LaneAccess {
                lane,
                act,
                space,
                address: addresses[lane],
                bytes: ROW,
                align: ROW,
            };
            places[lane] = self.locate(op, one)?;
            addresses[lane] = space.spot(addresses[lane]).1;
        }
        if self.run.watches {
            let class = match act {
                AccessKind::Read => Class::Rows,
                _ => Class::Store(SpaceClass::Shared),
            };
            let mask = FULL >> (LANES - lanes);
            self.step_races();
            self.look_at(op, class, Region::Shared, (&addresses, mask), ROW as u8);
        }
        Some((places, addresses))
    }
}

/// `ldmatrix`: rows at addresses in row `a`, registers in list `b`, member mask in row `d`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn load_rows(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    warp!(core, op, o.d);
    // SAFETY: the decoder gave this operation an address row and a list of as many rows as there are matrices;
    // `locate_rows` gives places that hold a row.
    unsafe {
        let Some((places, addresses)) = core.locate_rows(op, AccessKind::Read) else {
            return STOP;
        };
        let count = (o.aux >> rows::COUNT) as usize;
        let registers = &core.run.program.lists[o.b as usize..][..count];
        let read = |lane: usize| places[lane].cast::<[u8; 16]>().read_unaligned();
        core.set_registers(registers, &fragments_of_rows(o.aux, read));
        if core.run.launch.checks.init {
            let by = (&addresses, FULL >> (LANES - 8 * count));
            let rows = core.unwritten_rows(op, Region::Shared, by, ROW as usize);
            core.rows_brought(rows.as_ref(), (registers, 4), |rows| {
                let row = |lane| std::array::from_fn(|i| rows.row(lane)[i]);
                let masks = fragments_of_rows(o.aux, row);
                masks.iter().map(|mask| mask.map(u64::from)).collect()
            });
        }
    }
    op.wrapping_add(1)
}

/// The registers that `ldmatrix` makes of rows, which `read` gives by the lane whose address they have.
fn fragments_of_rows(aux: u32, read: impl Fn(usize) -> [u8; 16]) -> Vec<[u32; LANES]> {
    let count = (aux >> rows::COUNT) as usize;
    let has = |flag| aux & flag != 0;
    let packed = match (has(rows::SIX), has(rows::FOUR)) {
        (true, _) => Packed::Six,
        (_, true) => Packed::Four,
        _ => Packed::Eight,
    };
    let mut fragments = Vec::with_capacity(count);
    for matrix in 0..count {
        match (has(rows::BYTES), has(rows::TRANS)) {
            (false, trans) => {
                let row = |row| {
                    let bytes = read(address_lane(matrix, row));
                    std::array::from_fn(|i| u16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]))
                };
                fragments.push(load(&std::array::from_fn(row), trans));
            }
            (true, false) => {
                let row = |row| packed.unpack(read(address_lane(matrix, row)));
                fragments.push(load_bytes(&std::array::from_fn(row)));
            }
            // Two registers hold one matrix of 16 rows.
            (true, true) if matrix % 2 == 0 => {
                let row = |row: usize| packed.unpack(read(matrix * 8 + row));
                fragments.extend(load_bytes_trans(&std::array::from_fn(row)));
            }
            (true, true) => {}
        }
    }
    fragments
}

/// The 16-byte rows that `stmatrix` makes of a register of each matrix, with the lane whose address each has.
fn rows_of_fragments(aux: u32, registers: &[[u32; LANES]]) -> Vec<(usize, [u8; 16])> {
    let mut rows = Vec::with_capacity(8 * registers.len());
    for (matrix, fragment) in registers.iter().enumerate() {
        let values = if aux & rows::BYTES != 0 {
            store_bytes_trans(fragment)
        } else {
            let halves = store(fragment, aux & rows::TRANS != 0);
            halves.map(|row| std::array::from_fn(|i| row[i / 2].to_le_bytes()[i % 2]))
        };
        let values = values.into_iter().enumerate();
        rows.extend(values.map(|(row, value)| (address_lane(matrix, row), value)));
    }
    rows
}

/// `stmatrix`: as `ldmatrix`. Where rows overlap, the later matrix and row win; the ISA leaves it open.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn store_rows(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    warp!(core, op, o.d);
    // SAFETY: as above, and the places may be written.
    unsafe {
        let Some((places, addresses)) = core.locate_rows(op, AccessKind::Write) else {
            return STOP;
        };
        let count = (o.aux >> rows::COUNT) as usize;
        let registers = &core.run.program.lists[o.b as usize..][..count];
        let mut fragments = Vec::with_capacity(count);
        for &register in registers {
            fragments.push(*core.lanes::<u32>(register));
        }
        for (lane, row) in rows_of_fragments(o.aux, &fragments) {
            places[lane].cast::<[u8; 16]>().write_unaligned(row);
        }
        if let Some(unwritten) = core.unwritten_registers(registers) {
            let rows = [&unwritten.copied, &unwritten.computed].map(|masks| {
                let masks: Vec<_> = masks.iter().map(|mask| mask.map(|of| of as u32)).collect();
                let mut rows = vec![Vec::new(); LANES];
                for (lane, row) in rows_of_fragments(o.aux, &masks) {
                    rows[lane] = row.to_vec();
                }
                rows
            });
            let by = (&addresses, FULL >> (LANES - 8 * count));
            let row = |lane: usize| rows.each_ref().map(|of| of[lane].clone());
            core.rows_taken(op, Region::Shared, by, &unwritten, row);
        }
    }
    op.wrapping_add(1)
}

/// `movmatrix`: row `d` gets the fragment of the transposed matrix whose fragment is row `a`; member mask in row `b`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn transpose(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    warp!(core, op, o.b);
    // SAFETY: the decoder gave this operation `u32` rows.
    unsafe {
        let fragment = *core.lanes::<u32>(o.a);
        *core.lanes::<u32>(o.d) = movmatrix(&fragment);
    }
    core.register_moved((o.d, o.a), movmatrix);
    op.wrapping_add(1)
}

const _: () = assert!(rows::TRANS != flag::NARROW && rows::GENERIC != flag::NARROW);
