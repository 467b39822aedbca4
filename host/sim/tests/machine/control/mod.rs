//! Calls, branches, launches that never end, and programs of several instructions.

mod branches;
mod calls;
mod compiled;
mod progress;
mod samples;
mod special;
mod speed;
mod watched;
