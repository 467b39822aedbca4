//! Chapter 7: levels of parallelism.

mod gang_worker_vector;
