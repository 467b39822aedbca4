//! Where shared, local and parameter memory sit among generic addresses.
//!
//! PTX ISA, "State Spaces" and `cvta`: a generic address names shared, local or parameter memory
//! when it falls into that space's window, and global memory elsewhere. On a GPU the windows lie
//! below the unified address range; so they do here, where no host allocation can be: below the
//! first megabyte-aligned address that `mmap` hands out in practice, and far above a null pointer
//! with an offset.
//!
//! A shared address (what `.shared` accesses take, and `mov` of a shared symbol gives) is an offset
//! into the window.

/// The generic address of shared address 0.
pub(crate) const SHARED: u64 = 0x2_0000_0000;
/// Bytes of shared window that one block of a cluster has: `mapa` counts in these.
pub(crate) const SHARED_PER_BLOCK: u64 = 1 << 24;
/// The generic address of local address 0.
pub(crate) const LOCAL: u64 = 0x3_0000_0000;
/// The generic address of the kernel's parameters.
pub(crate) const PARAM: u64 = 0x4_0000_0000;
/// The address of the module's function 0; each function has [`FUNCTION_SIZE`] bytes that nobody
/// can read.
pub(crate) const CODE: u64 = 0x5_0000_0000;
const FUNCTION_SIZE: u64 = 16;
/// How far each window reaches.
pub(crate) const SIZE: u64 = 0x1_0000_0000;
/// Host memory below this address cannot be registered: a kernel could not name it.
pub(crate) const FIRST_HOST: u64 = CODE + SIZE;

/// The space that a generic address names.
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

/// The window that holds `address`.
#[inline(always)]
pub(crate) fn of(address: u64) -> Window {
    match address >> 32 {
        2 => Window::Shared,
        3 => Window::Local,
        4 => Window::Param,
        _ => Window::Global,
    }
}

/// The address of a function of the module, by its index.
pub(crate) fn function_address(index: usize) -> u64 {
    CODE + index as u64 * FUNCTION_SIZE
}

/// The index of the function at `address`, if a function could be there.
pub(crate) fn function(address: u64) -> Option<usize> {
    let offset = address
        .checked_sub(CODE)
        .filter(|o| *o < SIZE && o % FUNCTION_SIZE == 0)?;
    usize::try_from(offset / FUNCTION_SIZE).ok()
}
