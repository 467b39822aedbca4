//! The algorithms against the CPU. What ends all work on its device has a program of its own,
//! beside this one.

mod algorithms;
mod attention;
mod by_key;
mod checked;
mod common;
mod fft;
mod gather;
mod products;
mod rows;
mod segmented;
mod sort;
mod top;
