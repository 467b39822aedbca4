//! The simulated GPU from outside: PTX in, results and reports out.
//!
//! All these tests are one program, because each program is linked with the whole simulator and
//! leaves a core idle at its end. `registers`, which is optimised, tests every instruction that
//! works on registers alone. `ptxas` compares with NVIDIA's assembler.

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
