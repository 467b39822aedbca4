//! Levels of parallelism: blocks, warps and lanes, by the names that OpenACC gives them.

pub mod gang_worker_vector;
