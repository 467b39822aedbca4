//! `wmma.load`, `wmma.store`: a matrix between memory, where it lies by rows or by columns, and
//! a warp's registers.
//!
//! PTX ISA, "Warp-level Matrix Load Instruction: wmma.load" and "wmma.store". The ISA leaves open
//! where elements lie in the fragment; `semantics::matrix::fragment` defines it for this machine.
//! A row (or a column, if the matrix lies by columns) is one range of memory that must exist as a
//! whole. The ISA requires each to be aligned to the fragment's size. The machine requires what
//! an H200 requires (driver 580.159.04), see [`Tile::align`]. For what was not measured it
//! requires 16 bytes, or the size if that is less. Reported: lanes that name different places or
//! strides, which is undefined. Counters leave these accesses out, because it was not measured
//! how a GPU splits them.

use super::access::LaneAccess;
use super::flag;
use super::state_space::NamedSpace;
use crate::machine::checks::race::AccessKind;
use crate::machine::compute::matrix::warp;
use crate::machine::core::Core;
use crate::machine::event::{FaultKind, Region};
use crate::machine::lane::{FULL, LANES};
use crate::machine::meeting::exchange::members;
use crate::machine::op::{Op, STOP};
use crate::machine::program::{Class, SpaceClass};
use crate::semantics::matrix::fragment;

/// A matrix in memory, and its registers.
#[derive(Debug, Clone)]
pub(crate) struct Tile {
    /// Rows and columns.
    pub(crate) shape: (usize, usize),
    /// Bits of an element.
    pub(crate) bits: usize,
    /// Whether it lies by rows in memory.
    pub(crate) by_rows: bool,
    /// Whether the fragment is that of B of `mma`, for f64 and single bits. Their other fragments
    /// are the same as here.
    pub(crate) as_mma_b: bool,
    /// The space that the instruction names.
    pub(crate) space: NamedSpace,
    /// The registers' rows.
    pub(crate) registers: Vec<u32>,
}

impl Tile {
    /// Returns the number of bytes of a register.
    fn width(&self) -> usize {
        if self.bits == 64 { 8 } else { 4 }
    }

    /// Returns the required alignment of each row (or column). Measured with `m16n16k16` by rows:
    /// from global memory each register is loaded separately, from shared memory rows are loaded in
    /// pieces of 16 bytes, and accumulators are loaded in pairs from both.
    fn align(&self, region: Region) -> u64 {
        match (region, self.bits, self.registers.len()) {
            (Region::Global, 8 | 16, _) => 4,
            (Region::Shared, 8 | 16, 2..) => 16,
            (_, 32, 8) => 8,
            (_, _, registers) => (registers * self.width()).min(16) as u64,
        }
    }

    /// Returns how many rows (or columns) lie in memory one after another, and the bytes of each.
    fn lines(&self) -> (usize, usize) {
        let (rows, columns) = self.shape;
        let (lines, length) = if self.by_rows {
            (rows, columns)
        } else {
            (columns, rows)
        };
        (lines, length * self.bits / 8)
    }

    /// Returns the line of element `index` of a register, and its position in the line.
    fn place(&self, lane: usize, register: usize, index: usize) -> (usize, usize) {
        let per = self.width() * 8 / self.bits;
        let (row, column) = if self.as_mma_b {
            fragment::mma_b(per, lane, register, index)
        } else {
            let count = per * self.registers.len();
            fragment::wmma(count, lane, register * per + index, self.shape)
        };
        if self.by_rows {
            (row, column)
        } else {
            (column, row)
        }
    }
}

/// The most lines that a tile has: `m32n8k16` has 32 rows.
const LINES: usize = 32;

/// The places of a tile's lines.
struct Lines {
    places: [*mut u8; LINES],
    /// Their addresses in their state space.
    at: [u64; LANES],
    region: Region,
}

impl Core<'_> {
    /// Finds the places of the tile's lines.
    ///
    /// # Safety
    /// `op` must be `wmma.load` or `wmma.store` of the running frame.
    unsafe fn locate_lines(
        &mut self,
        op: *const Op,
        tile: &Tile,
        act: AccessKind,
    ) -> Option<Lines> {
        // SAFETY: row `a` holds addresses, row `b` strides.
        let (addresses, strides) = unsafe { (self.addresses(op), *self.lanes::<u32>((*op).b)) };
        let differs =
            |lane: &usize| addresses[*lane] != addresses[0] || strides[*lane] != strides[0];
        if let Some(lane) = (0..LANES).find(differs) {
            let message = "the threads of a warp name different matrices".into();
            let help = "compute address and stride from values that the whole warp shares";
            self.fault(op, lane, FaultKind::Illegal { message, help });
            return None;
        }
        let (lines, bytes) = tile.lines();
        let align = tile.align(tile.space.spot(addresses[0]).0);
        let (mut places, mut at) = ([std::ptr::null_mut(); LINES], [0; LANES]);
        let step = u64::from(strides[0]) * tile.bits as u64 / 8;
        for line in 0..lines.min(LINES) {
            let address = addresses[0].wrapping_add(line as u64 * step);
            let one = LaneAccess {
                lane: 0,
                act,
                space: tile.space,
                address,
                bytes: bytes as u64,
                align,
            };
            places[line] = self.locate(op, one)?;
            at[line] = tile.space.spot(address).1;
        }
        let region = tile.space.spot(addresses[0]).0;
        if region == Region::Global {
            let bytes = (lines * bytes) as u64;
            match act {
                AccessKind::Read => self.tally.read += bytes,
                _ => {
                    self.turn.effects += 1;
                    self.tally.written += bytes;
                }
            }
        }
        if self.run.is_checked {
            let class = match act {
                AccessKind::Read => Class::Load(SpaceClass::Generic),
                _ => Class::Store(SpaceClass::Generic),
            };
            let mask = FULL >> (LANES - lines.min(LANES));
            self.step_races();
            self.check_uncounted(op, class, region, (&at, mask), bytes as u8);
        }
        Some(Lines { places, at, region })
    }
}

/// Reads a tile's registers from lines at these places.
///
/// # Safety
/// Every line must hold all of its elements.
unsafe fn gather(tile: &Tile, lines: &[*mut u8; LINES]) -> Vec<[u64; LANES]> {
    let per = tile.width() * 8 / tile.bits;
    let element = |lane, register, index| {
        let (line, at) = tile.place(lane, register, index);
        let bit = at * tile.bits;
        // SAFETY: passed on.
        unsafe {
            let from = lines[line].add(bit / 8);
            match tile.bits {
                64 => from.cast::<u64>().read_unaligned(),
                32 => from.cast::<u32>().read_unaligned().into(),
                16 => from.cast::<u16>().read_unaligned().into(),
                bits => u64::from(*from >> (bit % 8)) & ((1 << bits) - 1),
            }
        }
    };
    let register = |number| {
        std::array::from_fn(|lane| {
            let elements =
                (0..per).map(|index| element(lane, number, index) << (index * tile.bits));
            elements.fold(0, |value, element| value | element)
        })
    };
    (0..tile.registers.len()).map(register).collect()
}

/// Writes a tile's registers to lines. Elements have 16 bits or more.
///
/// # Safety
/// Every line must hold all of its elements, and may be written.
unsafe fn scatter(tile: &Tile, registers: &[[u64; LANES]], lines: &[*mut u8; LINES]) {
    let per = tile.width() * 8 / tile.bits;
    for (number, register) in registers.iter().enumerate() {
        for (lane, &value) in register.iter().enumerate() {
            for index in 0..per {
                let (line, at) = tile.place(lane, number, index);
                let element = value >> (index * tile.bits % 64);
                // SAFETY: passed on.
                unsafe {
                    let to = lines[line].add(at * tile.bits / 8);
                    match tile.bits {
                        64 => to.cast::<u64>().write_unaligned(element),
                        32 => to.cast::<u32>().write_unaligned(element as u32),
                        _ => to.cast::<u16>().write_unaligned(element as u16),
                    }
                }
            }
        }
    }
}

/// `wmma.load`: tile `aux >> ELEMENTS` at row `a`, stride in row `b`; member mask in row `d`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn load(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    warp!(core, op, o.d);
    let tile = &core.run.program.tiles[(o.aux >> flag::ELEMENTS) as usize];
    // SAFETY: the decoder gave this operation these rows, and rows of the tile's width in the list;
    // every line found holds all of its elements.
    unsafe {
        let Some(Lines { places, at, region }) = core.locate_lines(op, tile, AccessKind::Read)
        else {
            return STOP;
        };
        for (values, &register) in gather(tile, &places).iter().zip(&tile.registers) {
            match tile.bits {
                64 => *core.lanes::<u64>(register) = *values,
                _ => *core.lanes::<u32>(register) = values.map(|value| value as u32),
            }
        }
        if core.run.launch.checks.init {
            let (lines, bytes) = tile.lines();
            let by = (&at, FULL >> (LANES - lines.min(LANES)));
            let rows = core.unwritten_rows(op, region, by, bytes);
            let registers = (&tile.registers[..], tile.width() as u8);
            core.rows_brought(rows.as_ref(), registers, |rows| {
                let line = |line: usize| rows.row(line).as_ptr().cast_mut();
                gather(tile, &std::array::from_fn(line))
            });
        }
    }
    op.wrapping_add(1)
}

/// `wmma.store`: as `wmma.load`. Elements of D have 16 bits or more.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn store(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the program.
    let o = unsafe { &*op };
    warp!(core, op, o.d);
    let tile = &core.run.program.tiles[(o.aux >> flag::ELEMENTS) as usize];
    // SAFETY: as above, and the lines may be written.
    unsafe {
        let Some(Lines { places, at, region }) = core.locate_lines(op, tile, AccessKind::Write)
        else {
            return STOP;
        };
        let mut values = Vec::with_capacity(tile.registers.len());
        for &register in &tile.registers {
            values.push(match tile.bits {
                64 => *core.lanes::<u64>(register),
                _ => core.lanes::<u32>(register).map(u64::from),
            });
        }
        scatter(tile, &values, &places);
        if let Some(unwritten) = core.unwritten_registers(&tile.registers) {
            let (lines, bytes) = tile.lines();
            let rows = [&unwritten.copied, &unwritten.computed].map(|masks| {
                let mut rows = vec![vec![0u8; bytes]; LINES];
                let lines = std::array::from_fn(|line| rows[line].as_mut_ptr());
                scatter(tile, masks, &lines);
                rows
            });
            let by = (&at, FULL >> (LANES - lines.min(LANES)));
            let row = |lane: usize| rows.each_ref().map(|of| of[lane].clone());
            core.rows_taken(op, region, by, &unwritten, row);
        }
    }
    op.wrapping_add(1)
}
