//! Memory and events that processes share.
//!
//! A handle names a file of the exporting process. The file has no path of its own. A handle
//! contains the process ID, the file's descriptor in that process, and its inode number, which
//! shows whether the handle is stale. A handle can be opened by processes of the same user that see
//! each other. Source: CUDA driver API,
//! "Memory Management", `cuIpcGetMemHandle` and related calls.

use crate::abi::{CUcontext, CUresult};
use crate::calling::call_site;
use crate::error::{Error, Result, ensure, fail};
use crate::objects::context::{CONTEXTS, Context};
use crate::objects::memory;
use crate::objects::stream::points;
use crate::platform::{NotOpened, shared};
use lanewise_sim::{AllocationKind, SharedFile};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The size of a handle in bytes.
pub(crate) const BYTES: usize = 64;

/// The kind of object that a handle names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shared {
    Memory,
    Event,
}

impl Shared {
    /// Returns the name of a file of this kind.
    fn file(self) -> &'static str {
        match self {
            Self::Memory => "lanewise device memory",
            Self::Event => points::NAME,
        }
    }
}

/// The content of a handle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExportedHandle {
    pub(crate) of: Shared,
    /// The process that exports it.
    pub(crate) process: u32,
    /// The descriptor of its file in that process.
    pub(crate) file: i32,
    /// The inode number of the file.
    pub(crate) inode: u64,
    /// The size of the memory in bytes; 0 for an event.
    pub(crate) size: u64,
}

impl ExportedHandle {
    const MARK: [u8; 6] = *b"LwIpc1";

    /// Returns the handle as the bytes that another process gets.
    pub(crate) fn bytes(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..6].copy_from_slice(&Self::MARK);
        bytes[6] = u8::from(self.of == Shared::Event);
        bytes[8..12].copy_from_slice(&self.process.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.file.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.inode.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.size.to_le_bytes());
        bytes
    }

    /// Reads a handle from these bytes, if they are a handle of this kind.
    pub(crate) fn read(bytes: [u8; BYTES], of: Shared) -> Result<Self> {
        ensure!(
            bytes[..6] == Self::MARK && bytes[6] == u8::from(of == Shared::Event),
            ERROR_INVALID_VALUE,
            "the bytes are no handle of {of:?} that a process with a simulated GPU has made; pass them on as they are"
        );
        let long = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(word)
        };
        Ok(Self {
            of,
            process: long(8) as u32,
            file: (long(8) >> 32) as i32,
            inode: long(16),
            size: long(24),
        })
    }

    /// Opens the file that the exporting process holds.
    pub(crate) fn open(self) -> Result<SharedFile> {
        let ExportedHandle {
            process,
            file,
            inode,
            of,
            ..
        } = self;
        ensure!(
            process != std::process::id(),
            ERROR_INVALID_CONTEXT,
            "the handle is this process' own; it is for other processes"
        );
        match shared::open(process, (file, inode), of.file()) {
            Ok(file) => Ok(file),
            Err(NotOpened::Other) => fail!(
                ERROR_INVALID_HANDLE,
                "file {file} of process {process} is no {of:?} of a simulated GPU; pass a handle on as it is"
            ),
            Err(NotOpened::GivenBack) => fail!(
                ERROR_INVALID_HANDLE,
                "process {process} has given back the {of:?} that the handle names"
            ),
            Err(NotOpened::Refused(error)) => fail!(
                ERROR_INVALID_HANDLE,
                "the {of:?} that the handle names cannot be opened: {error}; process {process} has given it back or ended, or is another user's"
            ),
        }
    }
}

/// Returns the handle of the allocation at `address`.
pub(crate) fn export(address: u64) -> Result<[u8; BYTES]> {
    let found = memory::locate(address).filter(|found| {
        found.allocation.kind == AllocationKind::Device && found.allocation.base == address
    });
    let owner = found.as_ref().and_then(|found| found.owner);
    let (Some(found), Some(owner)) = (found, owner) else {
        fail!(
            ERROR_INVALID_VALUE,
            "{address:#x} is not where an allocation of cuMemAlloc starts; only those are shared"
        )
    };
    let Some(context) = CONTEXTS.get(owner.context) else {
        fail!(ERROR_INVALID_CONTEXT, "the memory's context was destroyed")
    };
    let exported = context.while_idle(|| {
        // SAFETY: none of the context's work is running, and none is submitted meanwhile.
        unsafe { found.device.sim.memory().export(address) }
    });
    let exported = exported.map_err(|cause| Error::new(CUresult::ERROR_MAP_FAILED, cause))?;
    Ok(ExportedHandle {
        of: Shared::Memory,
        process: std::process::id(),
        file: exported.file,
        inode: exported.inode,
        size: exported.size,
    }
    .bytes())
}

/// For each context and file, the address of the opened memory and how often it was opened.
static OPENED: Mutex<BTreeMap<(usize, u64), (u64, u64)>> = Mutex::new(BTreeMap::new());

/// Opens another process's memory and returns its address. If it is opened again, the address
/// is the same.
pub(crate) fn open(context: &Arc<Context>, handle: [u8; BYTES]) -> Result<u64> {
    let name = ExportedHandle::read(handle, Shared::Memory)?;
    let key = (context.handle.0, name.inode);
    let mut opened = OPENED.lock();
    if let Some((address, count)) = opened.get_mut(&key) {
        *count += 1;
        return Ok(*address);
    }
    let file = name.open()?;
    let place =
        call_site().map(|at| format!("{at} (opened; allocated by process {})", name.process));
    let memory = context.device.sim.memory();
    let address = memory
        .open(file, name.size, place.as_deref())
        .map_err(|cause| Error::new(CUresult::ERROR_MAP_FAILED, cause))?;
    memory::own(address, context, 0);
    opened.insert(key, (address, 1));
    Ok(address)
}

/// Closes memory that was opened once with [`open`].
pub(crate) fn close(address: u64) -> Result {
    let mut opened = OPENED.lock();
    let found = opened.iter_mut().find(|(_, (at, _))| *at == address);
    let Some((&key, (_, count))) = found else {
        fail!(
            ERROR_INVALID_VALUE,
            "{address:#x} is nothing that cuIpcOpenMemHandle gave; close each as often as it was opened"
        )
    };
    if *count > 1 {
        *count -= 1;
        return Ok(());
    }
    memory::free(
        address,
        |kind| *kind == AllocationKind::Opened,
        "another process' memory",
    )?;
    opened.remove(&key);
    Ok(())
}

/// Removes the entries of a context. The opened memory is freed with the context.
pub(crate) fn forget_all(context: CUcontext) {
    OPENED.lock().retain(|&(of, _), _| of != context.0);
}
