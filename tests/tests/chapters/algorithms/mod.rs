//! Chapters 7 and 8: levels of parallelism, algorithms and libraries.

mod fft;
mod levels;
mod libraries;
mod nvidia;
mod references;
