//! Kernels against CPU references, from the PTX that would be loaded.
