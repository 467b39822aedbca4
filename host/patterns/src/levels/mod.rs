//! Levels of parallelism, by the names that OpenACC gives them.

pub mod gang_worker_vector;
