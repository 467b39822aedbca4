//! Products of matrices: `mma.sync`, `wmma.mma`.

use std::mem::MaybeUninit;

use crate::machine::core::Core;
use crate::machine::event::FaultKind;
use crate::machine::lane::LANES;
use crate::machine::level::{Level, levels};
use crate::machine::meeting::exchange::members;
use crate::machine::op::Op;
use crate::semantics::Rounding;
use crate::semantics::matrix::{
    Accumulator, BitOp, Element, Factor, Scale, Scales, mma, mma_b1, mma_f64, mma_m8n8k4, mma_sp,
    sparse, wmma,
};

use super::warp;

/// The most registers of an operand: C of f32 has eight, and A of f64 has eight too.
const MOST: usize = 8;

/// A multiplication: its kind, and the rows of its operands.
#[derive(Debug, Clone)]
pub(crate) struct Product {
    /// Shape and types.
    pub(crate) kind: MatrixKind,
    /// Rows of A, B, C and D.
    pub(crate) rows: [Vec<u32>; 4],
    /// The scale factors of blocks of A and B.
    pub(crate) scaling: Option<Scaling>,
}

/// The places of a product's scale factors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scaling {
    /// The type of the scale factors.
    pub(crate) factor: Factor,
    /// The number of factors along k.
    pub(crate) blocks: usize,
    /// For A and for B: the rows of the factors, of the byte selectors, and of
    /// the thread selectors.
    pub(crate) rows: [[u32; 3]; 2],
}

/// Shape and types of a multiplication.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MatrixKind {
    /// `mma` with two types of multiplicands; C's and D's types.
    Mma(usize, [Element; 2], [Accumulator; 2]),
    /// A product with one sparse matrix, `mma.sp`.
    Sparse(usize, Sparsity, [Element; 2], [Accumulator; 2]),
    /// `mma.m8n8k4` on f16: whether A and B are stored by rows; C's and D's types.
    Volta([bool; 2], [Accumulator; 2]),
    /// f64, with this rounding.
    Double(usize, Rounding),
    /// Products of single bits, which are counted.
    Bits(usize, BitOp),
    /// `wmma` of this shape.
    Wmma((usize, usize, usize), [Element; 2], [Accumulator; 2]),
}

/// The operands that determine where a sparse matrix' elements go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sparsity {
    /// The row of the metadata.
    pub(crate) metadata: u32,
    /// The lanes whose metadata is used.
    pub(crate) selector: usize,
    /// Whether the metadata has to be in order.
    pub(crate) ordered: bool,
}

impl Core<'_> {
    /// Returns copies of rows of the frame, `MOST` at most.
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
        // SAFETY: the loop has written as many elements as there are rows.
        unsafe { std::slice::from_raw_parts(buffer.as_ptr().cast(), rows.len()) }
    }

    /// Returns the factors of A and B that the selectors in the first lane name, or a description
    /// of what is wrong with a selector.
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
}

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
    // SAFETY: the decoder gave this operation rows of 32 bits, for f64 of 64 bits, and no operand
    // has more than `MOST`.
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
        if core.checks.tainted {
            multiply_stand_ins(core, kind, &metadata, [a, b, c, d]);
        }
    }
    op.wrapping_add(1)
}

/// Computes a product of 32-bit registers.
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

/// Computes the same as a separate function, for the crate's own target. All shapes and types in
/// one body take long to compile.
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

/// Computes the product of the stand-ins for uninitialised bytes.
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
    // `xor` of equal bits would be 0.
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
