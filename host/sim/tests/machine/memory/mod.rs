//! Loads, stores, atomics and addresses.

mod addresses;
mod atomics;
mod multimem;
mod repeated;
mod strong;
mod transfers;
mod variables;
