//! Counters of a launch: instructions, branches, barriers, requests, sectors and wavefronts.

use crate::counters::banks::passes;
use crate::counters::sectors::sectors;
use crate::machine::core::Core;
use crate::machine::event::Region;
use crate::machine::lane::{LANES, lanes};
use crate::machine::op::Op;
use crate::machine::program::{Class, OpInfo};

impl Core<'_> {
    /// Counts an operation that lanes of `mask` run: instructions, branches, barriers.
    #[inline(always)]
    pub(in crate::machine::checks) fn count(&mut self, op: *const Op, info: OpInfo, mask: u32) {
        let active = self.active;
        let counters = &mut self.tally.counters;
        if info.first {
            counters.ptx_instructions += 1;
            counters.ptx_lane_instructions += u64::from(active.count_ones());
            counters.ptx_lane_instructions_pred_on += u64::from(mask.count_ones());
        }
        match info.class {
            Class::Branch if mask == 0 || mask == active => counters.ptx_branches_uniform += 1,
            Class::Branch => counters.ptx_branches_divergent += 1,
            Class::Indexed if mask != 0 => {
                // SAFETY: row `a` of `brx.idx` holds `u32`.
                let index = unsafe { *self.lanes::<u32>((*op).a) };
                let first = index[mask.trailing_zeros() as usize];
                if mask == active && lanes(mask).all(|lane| index[lane] == first) {
                    self.tally.counters.ptx_branches_uniform += 1;
                } else {
                    self.tally.counters.ptx_branches_divergent += 1;
                }
            }
            Class::Barrier if mask != 0 => counters.barriers += 1,
            _ => {}
        }
    }

    /// Counts an access by lanes of `mask`: requests, sectors, wavefronts, bytes.
    #[inline(always)]
    pub(in crate::machine::checks) fn count_access(
        &mut self,
        info: OpInfo,
        region: Region,
        addresses: &[u64; LANES],
        mask: u32,
    ) {
        let (size, bytes) = (
            u64::from(info.bytes),
            u64::from(info.bytes) * u64::from(mask.count_ones()),
        );
        let counters = &mut self.tally.counters;
        let passes = match region {
            Region::Local => {
                counters.local_requests += 1;
                0
            }
            Region::Shared => {
                let (load, counter) = match info.class {
                    Class::Load(_) => (true, &mut counters.shared_loads),
                    // Rows of matrices are never merged.
                    Class::Rows => (false, &mut counters.shared_loads),
                    Class::Store(_) => (false, &mut counters.shared_stores),
                    _ => (false, &mut counters.shared_atomics),
                };
                let passes = passes(addresses, mask, size, load, self.run.bank_width);
                counter.requests += 1;
                counter.wavefronts += passes.wavefronts;
                counter.conflicts += passes.conflicts;
                counter.bytes += bytes;
                passes.wavefronts
            }
            _ => {
                let counter = match info.class {
                    Class::Load(_) => &mut counters.global_loads,
                    Class::Store(_) => &mut counters.global_stores,
                    _ => &mut counters.global_atomics,
                };
                let alignment = &self.run.model.alignment;
                let (sector, fill) = (u64::from(alignment.sector), u64::from(alignment.l1_fill));
                let (touched, wanted) = sectors(addresses, mask, size, sector);
                counter.requests += 1;
                counter.sectors += touched;
                counter.ideal_sectors += wanted.div_ceil(sector);
                counter.bytes += bytes;
                counter.distinct_bytes += wanted;
                counter.moved_bytes += if info.through_l1 && fill != sector {
                    sectors(addresses, mask, size, fill).0 * fill
                } else {
                    touched * sector
                };
                touched
            }
        };
        if self.run.launch.record.is_some() {
            self.record_access((info, region), addresses, mask, passes);
        }
    }
}
