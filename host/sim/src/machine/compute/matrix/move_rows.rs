//! Copies of matrices between shared memory and a warp's registers, and transposition in registers:
//! `ldmatrix`, `stmatrix`, `movmatrix`.

use crate::machine::checks::race::AccessKind;
use crate::machine::core::Core;
use crate::machine::event::Region;
use crate::machine::lane::{FULL, LANES};
use crate::machine::meeting::exchange::members;
use crate::machine::memory::access::LaneAccess;
use crate::machine::memory::state_space::NamedSpace;
use crate::machine::op::{Op, STOP};
use crate::machine::program::{Class, SpaceClass};
use crate::semantics::matrix::load::{
    Packed, address_lane, load, load_bytes, load_bytes_trans, movmatrix, store, store_bytes_trans,
};

use super::{rows, warp};

/// The number of bytes of a matrix' row.
const ROW: u64 = 16;

impl Core<'_> {
    /// Returns the places of the rows that `op` copies, by the lane that names each row, and
    /// their shared addresses.
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
        if self.run.is_checked {
            let class = match act {
                AccessKind::Read => Class::Rows,
                _ => Class::Store(SpaceClass::Shared),
            };
            let mask = FULL >> (LANES - lanes);
            self.step_races();
            self.check_given(op, class, Region::Shared, (&addresses, mask), ROW as u8);
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
    // SAFETY: the decoder gave this operation an address row and a list of as many rows as there
    // are matrices; `locate_rows` gives places that hold a row.
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

/// Returns the registers that `ldmatrix` fills from rows. `read` returns the row at
/// a lane's address.
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

/// Returns the 16-byte rows that `stmatrix` makes of each matrix's register, with the lane that
/// holds each row's address.
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

/// `stmatrix`: the operands are those of `ldmatrix`. Where rows overlap, the later matrix and row
/// win; the ISA leaves it open.
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

/// `movmatrix`: row `d` gets the fragment of the transposed matrix whose fragment is row `a`;
/// member mask in row `b`.
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
