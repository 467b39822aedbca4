//! Metrics by three names: the name in nvprof, which older texts use, the name in Nsight Compute
//! (`ncu`), which replaced it, and the name of the simulator's counter, which needs no GPU.
//!
//! The simulator counts instructions and branches of the PTX, and a profiler counts those of the
//! machine code. They change in the same direction, but the numbers differ. The simulator has no
//! metrics that depend on time (throughput, achieved occupancy, stalls).
//!
//! ```
//! use lanewise_sim::counters::{Counters, profilers};
//!
//! let counters = Counters::default();
//! let shown: Vec<_> = profilers::METRICS.iter().map(|row| (row.ncu, row.shown(&counters))).collect();
//! assert!(shown.contains(&("smsp__inst_executed.sum", "0".into())));
//! ```

use super::Counters;

/// One metric, with its names in nvprof and ncu, and its value from the simulator's counters.
#[derive(Debug)]
pub struct MetricRow {
    /// The metric's name in nvprof.
    pub nvprof: &'static str,
    /// The name for `ncu --metrics`. Names with a `+` between them are added.
    pub ncu: &'static str,
    /// Whether the metric is a fraction, which is shown in percent.
    pub is_percent: bool,
    /// Computes the metric from the simulator's counters. Returns `None` if the divisor is 0.
    pub ours: fn(&Counters) -> Option<f64>,
}

/// Makes a metric that is a plain count, without a unit.
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

/// Makes a metric that is a fraction, shown in percent.
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

/// Every metric that is counted and not timed.
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
        "global_atomic_requests + global_reduction_requests",
        "smsp__inst_executed_op_global_atom.sum + smsp__inst_executed_op_global_red.sum",
        |counters| Some(counters.global_atomics.requests as f64),
    ),
];

/// Returns `a / b`, or `None` if `b` is 0.
fn ratio(a: u64, b: u64) -> Option<f64> {
    (b > 0).then(|| a as f64 / b as f64)
}

/// Returns `value` if there were any requests.
fn of_requests(requests: u64, value: f64) -> Option<f64> {
    (requests > 0).then_some(value)
}

impl MetricRow {
    /// Returns the value as `ncu` writes it, in percent if it is a fraction.
    pub fn value(&self, counters: &Counters) -> Option<f64> {
        let value = (self.ours)(counters)?;
        Some(if self.is_percent {
            100.0 * value
        } else {
            value
        })
    }

    /// Returns the value as the table shows it.
    pub fn shown(&self, counters: &Counters) -> String {
        match ((self.ours)(counters), self.is_percent) {
            (None, _) => "-".to_owned(),
            (Some(value), true) => format!("{:.1}%", 100.0 * value),
            (Some(value), false) if value.fract() == 0.0 => format!("{value:.0}"),
            (Some(value), false) => format!("{value:.2}"),
        }
    }
}
