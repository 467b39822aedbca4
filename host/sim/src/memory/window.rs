//! The positions of shared, local and parameter memory among the generic addresses.
//!
//! PTX ISA, "State Spaces" and `cvta`: a generic address refers to shared, local or parameter
//! memory if it is in that space's window, and to global memory elsewhere. On a GPU the windows lie
//! below the unified address range, and so they do here. No host allocation can be there: the
//! windows are below the first megabyte-aligned address that `mmap` returns in practice, and far
//! above a null pointer with an offset.
//!
//! A shared address is an offset into the window. Accesses to `.shared` take such addresses, and
//! `mov` of a shared symbol returns one.

/// The generic address of shared address 0.
pub(crate) const SHARED: u64 = 0x2_0000_0000;
/// Bytes of the shared window for one block of a cluster. `mapa` counts in units of this size.
pub(crate) const SHARED_PER_BLOCK: u64 = 1 << 24;
/// The generic address of local address 0.
pub(crate) const LOCAL: u64 = 0x3_0000_0000;
/// The generic address of the kernel's parameters.
pub(crate) const PARAM: u64 = 0x4_0000_0000;
/// The address of the module's function 0. Each function has [`FUNCTION_SIZE`] bytes, which
/// cannot be read.
pub(crate) const CODE: u64 = 0x5_0000_0000;
const FUNCTION_SIZE: u64 = 16;
/// The size of each window.
pub(crate) const SIZE: u64 = 0x1_0000_0000;
/// The first address of host memory that can be registered. A kernel could not access
/// memory below it.
pub(crate) const FIRST_HOST: u64 = CODE + SIZE;

/// The state space that a generic address refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Window {
    /// Global and constant memory, everything outside the other windows.
    Global,
    /// Shared memory of the block or cluster.
    Shared,
    /// Local memory of the thread.
    Local,
    /// Parameters of the kernel.
    Param,
}

/// Returns the window that contains `address`.
#[inline(always)]
pub(crate) fn of(address: u64) -> Window {
    match address >> 32 {
        2 => Window::Shared,
        3 => Window::Local,
        4 => Window::Param,
        _ => Window::Global,
    }
}

/// Returns the address of a function of the module, by its index.
pub(crate) fn function_address(index: usize) -> u64 {
    CODE + index as u64 * FUNCTION_SIZE
}

/// Returns the index of the function at `address`, if it can be the address of a function.
pub(crate) fn function(address: u64) -> Option<usize> {
    let offset = address
        .checked_sub(CODE)
        .filter(|o| *o < SIZE && o % FUNCTION_SIZE == 0)?;
    usize::try_from(offset / FUNCTION_SIZE).ok()
}
