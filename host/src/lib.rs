//! Loads modules, launches kernels with arguments checked by the compiler, moves memory, times.
