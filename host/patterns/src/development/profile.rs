//! The metrics of the notes, by three names: nvprof's, which the notes use, Nsight Compute's
//! (`ncu`), which took its place, and the counters of the simulator, which need no GPU.
//!
//! The simulator counts instructions and branches of the PTX, and a profiler those of the machine
//! code. They change in the same direction, but the numbers differ. The simulator has no metrics
//! that are made from time (throughput, achieved occupancy, stalls).

use lanewise::counters::Counters;

/// One metric by its names in nvprof and ncu, and what the simulated GPU's counters say of it.
#[derive(Debug)]
pub struct MetricRow {
    /// What nvprof calls it.
    pub nvprof: &'static str,
    /// What `ncu --metrics` calls it; several with a `+` between them are added.
    pub ncu: &'static str,
    /// Whether it is a part of a whole, written in percent.
    pub is_percent: bool,
    /// What the simulator has; none where there is nothing to divide by.
    pub ours: fn(&Counters) -> Option<f64>,
}

/// A metric that is a plain count, without a unit.
const fn count(
    nvprof: &'static str,
    ncu: &'static str,
    ours: fn(&Counters) -> Option<f64>,
) -> MetricRow {
    MetricRow {
        nvprof,
        ncu,
        is_percent: false,
        ours,
    }
}

/// A part of a whole.
const fn part(
    nvprof: &'static str,
    ncu: &'static str,
    ours: fn(&Counters) -> Option<f64>,
) -> MetricRow {
    MetricRow {
        nvprof,
        ncu,
        is_percent: true,
        ours,
    }
}

/// Every metric of the notes that is counted and not timed.
pub const METRICS: &[MetricRow] = &[
    count("inst_executed", "smsp__inst_executed.sum", |counters| {
        Some(counters.ptx_instructions as f64)
    }),
    part(
        "warp_execution_efficiency",
        "smsp__thread_inst_executed_per_inst_executed.pct",
        |counters| {
            ratio(
                counters.ptx_lane_instructions,
                32 * counters.ptx_instructions,
            )
        },
    ),
    part(
        "branch_efficiency",
        "smsp__sass_average_branch_targets_threads_uniform.pct",
        |counters| {
            let branches = counters.ptx_branches_uniform + counters.ptx_branches_divergent;
            ratio(counters.ptx_branches_uniform, branches)
        },
    ),
    count(
        "gld_transactions",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        |counters| Some(counters.global_loads.sectors as f64),
    ),
    count(
        "gst_transactions",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        |counters| Some(counters.global_stores.sectors as f64),
    ),
    count(
        "gld_transactions_per_request",
        "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
        |counters| {
            let loads = counters.global_loads;
            of_requests(loads.requests, loads.sectors_per_request())
        },
    ),
    count(
        "gst_transactions_per_request",
        "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
        |counters| {
            let stores = counters.global_stores;
            of_requests(stores.requests, stores.sectors_per_request())
        },
    ),
    part(
        "gld_efficiency",
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
        |counters| {
            let loads = counters.global_loads;
            of_requests(loads.requests, loads.efficiency())
        },
    ),
    part(
        "gst_efficiency",
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
        |counters| {
            let stores = counters.global_stores;
            of_requests(stores.requests, stores.efficiency())
        },
    ),
    count(
        "shared_load_transactions",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        |counters| Some(counters.shared_loads.wavefronts as f64),
    ),
    count(
        "shared_store_transactions",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        |counters| Some(counters.shared_stores.wavefronts as f64),
    ),
    part(
        "shared_efficiency",
        "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct",
        |counters| {
            let (loads, stores) = (&counters.shared_loads, &counters.shared_stores);
            ratio(
                loads.bytes + stores.bytes,
                128 * (loads.wavefronts + stores.wavefronts),
            )
        },
    ),
    count(
        "local_load_requests + local_store_requests",
        "smsp__inst_executed_op_local_ld.sum + smsp__inst_executed_op_local_st.sum",
        |counters| Some(counters.local_requests as f64),
    ),
    count(
        "global_atom_requests",
        "smsp__inst_executed_op_global_atom.sum + smsp__inst_executed_op_global_red.sum",
        |counters| Some(counters.global_atomics.requests as f64),
    ),
];

/// A quotient, where there is something to divide by.
fn ratio(a: u64, b: u64) -> Option<f64> {
    (b > 0).then(|| a as f64 / b as f64)
}

/// What is said of requests, where there are any.
fn of_requests(requests: u64, value: f64) -> Option<f64> {
    (requests > 0).then_some(value)
}

impl MetricRow {
    /// The value as a table has it.
    pub fn shown(&self, counters: &Counters) -> String {
        match ((self.ours)(counters), self.is_percent) {
            (None, _) => "-".to_owned(),
            (Some(value), true) => format!("{:.1}%", 100.0 * value),
            (Some(value), false) if value.fract() == 0.0 => format!("{value:.0}"),
            (Some(value), false) => format!("{value:.2}"),
        }
    }
}
