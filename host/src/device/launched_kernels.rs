//! The kernels that were launched before, each with the driver's handle, so that the next launch
//! does not look for its module and its name.
//!
//! Every launch reads this, so it reads one word and takes no lock. Entries are only added.

use std::any::TypeId;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::panic::Location;
use std::sync::{Arc, OnceLock};

use lanewise_driver::abi::CUfunction;
use lanewise_std::kernel::Kernel;

use super::Device;
use crate::{LoadError, Module};

/// The number of kernels for which a table has a place of their own.
const PLACES: usize = 64;

/// The kernels of one device, by the types of their handles: a hash table of lists.
pub(super) struct LaunchedKernels([OnceLock<Box<Entry>>; PLACES]);

struct Entry {
    key: TypeId,
    kernel: LaunchedKernel,
    next: OnceLock<Box<Entry>>,
}

/// A kernel's module, and its handle in it.
pub(crate) struct LaunchedKernel {
    pub(crate) module: Arc<Module>,
    /// `None` if the driver did not find it.
    pub(crate) function: Option<CUfunction>,
}

impl Default for LaunchedKernels {
    fn default() -> Self {
        Self([const { OnceLock::new() }; PLACES])
    }
}

/// Takes the hash that a [`TypeId`] is.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 ^= word;
    }
}

impl LaunchedKernels {
    /// Returns the entry with this key, or the empty place at the end of its list.
    fn find(&self, key: TypeId) -> Result<&LaunchedKernel, &OnceLock<Box<Entry>>> {
        let hash = BuildHasherDefault::<AsItIs>::default().hash_one(key);
        let mut place = &self.0[hash as usize % PLACES];
        while let Some(entry) = place.get() {
            if entry.key == key {
                return Ok(&entry.kernel);
            }
            place = &entry.next;
        }
        Err(place)
    }

    /// Looks for the kernel in its module, and adds it.
    #[cold]
    fn look_up(
        &self,
        key: TypeId,
        module: Arc<Module>,
        name: &str,
        at: &'static Location<'static>,
    ) -> &LaunchedKernel {
        let function = module.function(name, at).ok();
        self.add(key, LaunchedKernel { module, function })
    }

    /// Adds an entry, and returns it, or the one that another thread has added with this key.
    fn add(&self, key: TypeId, kernel: LaunchedKernel) -> &LaunchedKernel {
        let next = OnceLock::new();
        let mut entry = Some(Box::new(Entry { key, kernel, next }));
        loop {
            match (self.find(key), entry.take()) {
                (Ok(kernel), _) => return kernel,
                (Err(place), Some(new)) => entry = place.set(new).err(),
                (Err(_), None) => {} // It was added, and is found now.
            }
        }
    }
}

impl Device {
    /// Returns the kernel. The first call loads its module, which the device keeps from then on.
    #[track_caller]
    pub(crate) fn kernel<K: Kernel>(&self) -> Result<&LaunchedKernel, LoadError> {
        let (kernels, key) = (&self.0.kernels, TypeId::of::<K>());
        if let Ok(kernel) = kernels.find(key) {
            return Ok(kernel);
        }
        let module = self.module_of::<K>()?;
        Ok(kernels.look_up(key, module, K::NAME, Location::caller()))
    }
}
