//! The simulated GPU from outside: PTX in, results and reports out.
//!
//! One program, for each is linked with all of the simulator, and leaves a core idle at its end.
//! Every instruction that works on registers alone is tried in `registers`, which is optimised;
//! NVIDIA's assembler is asked in `ptxas`.

#![allow(unreachable_pub, reason = "modules of a test binary")]

mod children;
mod common;
mod determinism;
mod images;
mod kernels;
mod language;
mod machine;
mod mutants;
mod observe;
mod ptx_text;
mod schedules;
