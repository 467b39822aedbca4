//! Levels of parallelism, with the names that OpenACC uses for them.

pub mod gang_worker_vector;
