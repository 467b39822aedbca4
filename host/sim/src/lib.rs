//! A simulated GPU: PTX parser, SIMT machine, checks, counters and device models.

pub mod ptx;
