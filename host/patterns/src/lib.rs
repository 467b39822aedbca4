//! The catalog as a program: every pattern set up, run, compared with the CPU and timed.
