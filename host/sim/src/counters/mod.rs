//! What a launch did, counted as a GPU's profiler counts it.
//!
//! The definitions of sectors and wavefronts were compared with an H200's own counters (driver 580,
//! Nsight Compute 2025.3, 2026-11-21). Instructions and branches are those of the PTX, not of the
//! machine code that a GPU runs, and their names say so.

pub(crate) mod banks;
pub(crate) mod even;
pub mod metrics;
pub mod profilers;
pub(crate) mod sectors;

use serde::Serialize;

/// Counts of one launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Counters {
    /// Warp instructions of the PTX, including those whose guard was false.
    pub ptx_instructions: u64,
    /// The sum of the active lanes of these instructions.
    pub ptx_lane_instructions: u64,
    /// The sum of the lanes whose guard was true.
    pub ptx_lane_instructions_pred_on: u64,
    /// Conditional branches that all active lanes took the same way.
    pub ptx_branches_uniform: u64,
    /// Conditional branches that lanes took both ways.
    pub ptx_branches_divergent: u64,
    /// Loads from global memory, by sectors.
    pub global_loads: Access,
    /// Stores to global memory, by sectors.
    pub global_stores: Access,
    /// Global atomics and reductions.
    pub global_atomics: Access,
    /// Loads from shared memory, by bank conflicts.
    pub shared_loads: Banked,
    /// Stores to shared memory, by bank conflicts.
    pub shared_stores: Banked,
    /// Shared atomics and reductions.
    pub shared_atomics: Banked,
    /// Local loads and stores.
    pub local_requests: u64,
    /// Block barriers, one for each warp that arrives.
    pub barriers: u64,
    /// Grids that kernels launched. The work of these grids is part of the other counts.
    pub device_launches: u64,
}

/// Accesses to global memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Access {
    /// Warp instructions with at least one active lane, whatever their width.
    pub requests: u64,
    /// Distinct 32-byte sectors, counted over each whole warp instruction.
    pub sectors: u64,
    /// Bytes that lanes requested.
    pub bytes: u64,
    /// The sectors that the same bytes would need if they were adjacent.
    pub ideal_sectors: u64,
    /// Bytes that lanes requested. Bytes that several lanes requested count once.
    pub distinct_bytes: u64,
    /// Bytes that were moved: the sectors, or whole lines if the first-level cache
    /// fetches whole lines.
    pub moved_bytes: u64,
}

/// Accesses to shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Banked {
    /// Warp instructions with at least one active lane.
    pub requests: u64,
    /// Passes over the banks.
    pub wavefronts: u64,
    /// Passes above the fewest that the width allows.
    pub conflicts: u64,
    /// Bytes that lanes requested.
    pub bytes: u64,
}

/// Implements `AddAssign`, which adds each named field.
macro_rules! add_fields {
    ($($t:ty: $($field:ident),*;)*) => {$(
        impl std::ops::AddAssign for $t {
            fn add_assign(&mut self, other: Self) {
                let Self { $($field),* } = other;
                $(self.$field += $field;)*
            }
        }
    )*};
}

add_fields! {
    Access: requests, sectors, bytes, ideal_sectors, distinct_bytes, moved_bytes;
    Banked: requests, wavefronts, conflicts, bytes;
    Counters: ptx_instructions, ptx_lane_instructions, ptx_lane_instructions_pred_on, ptx_branches_uniform,
        ptx_branches_divergent, global_loads, global_stores, global_atomics, shared_loads, shared_stores, shared_atomics,
        local_requests, barriers, device_launches;
}

fn ratio(a: u64, b: u64) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}

impl Access {
    /// Returns the sectors for each request: 4 for coalesced 4-byte accesses.
    pub fn sectors_per_request(&self) -> f64 {
        ratio(self.sectors, self.requests)
    }

    /// Returns the requested bytes divided by the moved bytes. The result is above 1 if several
    /// lanes read the same bytes.
    pub fn efficiency(&self) -> f64 {
        ratio(self.bytes, self.sectors * 32)
    }

    /// Returns the part of the moved bytes that was requested: the bus utilization. On
    /// a device whose first-level cache fetches whole lines, loads through it move whole lines.
    pub fn bus_utilization(&self) -> f64 {
        ratio(self.distinct_bytes, self.moved_bytes)
    }
}

impl Banked {
    /// Returns the passes for each request: 1 for 4-byte accesses without conflicts.
    pub fn wavefronts_per_request(&self) -> f64 {
        ratio(self.wavefronts, self.requests)
    }
}

impl Counters {
    /// Returns the uniform branches divided by all conditional branches, or 1 if there are none.
    pub fn ptx_branch_efficiency(&self) -> f64 {
        match self.ptx_branches_uniform + self.ptx_branches_divergent {
            0 => 1.0,
            all => self.ptx_branches_uniform as f64 / all as f64,
        }
    }
}
