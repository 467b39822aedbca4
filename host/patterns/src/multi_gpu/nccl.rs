//! NCCL, which is opened at run time. `libnccl.so.2` is not needed for building, and programs also
//! run without it.
//!
//! A communicator is a rank's part in a group. One process makes those of all its devices
//! ([`Nccl::all`]); several processes each make theirs ([`Nccl::rank`]) from an id. The first
//! process makes the id and passes it to the others, through [a file or a socket](super::meeting)
//! or in any other way.
//! Source: NCCL's user guide, "Creating a Communicator", "Collective Communication Functions",
//! "Point To Point Communication Functions".

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result, bail, ensure};
use lanewise::{Device, DeviceBuffer, Stream};
use libloading::Library;

/// `ncclFloat32`, `ncclSum` (nccl.h).
const FLOAT: c_int = 7;
const SUM: c_int = 0;

/// The id that the ranks of several processes share: `ncclUniqueId`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Id([u8; Self::LENGTH]);

impl Id {
    /// The number of its bytes: `NCCL_UNIQUE_ID_BYTES`.
    pub const LENGTH: usize = 128;

    /// Returns its bytes, for the other processes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Makes the id from its bytes.
    ///
    /// # Errors
    /// An error if there are not 128 bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let bytes = bytes.try_into().ok().context("an id has 128 bytes")?;
        Ok(Self(bytes))
    }
}

/// A communicator's handle.
type Handle = *mut c_void;

/// Defines [`Functions`], with a field for each function, from the function's name
/// and its parameters.
macro_rules! functions {
    ($($field:ident $symbol:literal ($($type:ty),*);)*) => {
        struct Functions {
            $($field: unsafe extern "C" fn($($type),*) -> c_int,)*
        }

        impl Functions {
            fn find(library: &Library) -> Result<Self> {
                Ok(Self {
                    $($field: {
                        // SAFETY: the function has this signature in every NCCL 2.
                        let found = unsafe { library.get::<unsafe extern "C" fn($($type),*) -> c_int>($symbol) };
                        *found.with_context(|| format!("libnccl.so.2 has no `{}`", String::from_utf8_lossy($symbol)))?
                    },)*
                })
            }
        }
    };
}

functions! {
    version b"ncclGetVersion" (*mut c_int);
    unique_id b"ncclGetUniqueId" (*mut Id);
    init_all b"ncclCommInitAll" (*mut Handle, c_int, *const c_int);
    init_rank b"ncclCommInitRank" (*mut Handle, c_int, Id, c_int);
    destroy b"ncclCommDestroy" (Handle);
    group_start b"ncclGroupStart" ();
    group_end b"ncclGroupEnd" ();
    all_reduce b"ncclAllReduce" (*const c_void, *mut c_void, usize, c_int, c_int, Handle, *mut c_void);
    reduce_scatter b"ncclReduceScatter" (*const c_void, *mut c_void, usize, c_int, c_int, Handle, *mut c_void);
    all_gather b"ncclAllGather" (*const c_void, *mut c_void, usize, c_int, Handle, *mut c_void);
    broadcast b"ncclBroadcast" (*const c_void, *mut c_void, usize, c_int, c_int, Handle, *mut c_void);
    send b"ncclSend" (*const c_void, usize, c_int, c_int, Handle, *mut c_void);
    receive b"ncclRecv" (*mut c_void, usize, c_int, c_int, Handle, *mut c_void);
}

/// The opened library, with the functions of it that are used.
#[derive(Clone)]
pub struct Nccl(Arc<Opened>);

struct Opened {
    functions: Functions,
    error: unsafe extern "C" fn(c_int) -> *const c_char,
    /// Keeps the library loaded, and so the functions valid.
    _library: Library,
}

impl Nccl {
    /// Opens the machine's NCCL.
    ///
    /// # Errors
    /// An error if no `libnccl.so.2` can be loaded, or if it is older than NCCL 2.7.
    pub fn open() -> Result<Self> {
        static OPENED: OnceLock<Option<Nccl>> = OnceLock::new();
        let open = || -> Result<Nccl> {
            // SAFETY: NCCL's initialisers have no conditions.
            let library =
                unsafe { Library::new("libnccl.so.2") }.context("there is no libnccl.so.2")?;
            // SAFETY: the function has this signature in every NCCL 2.
            let error = unsafe {
                *library
                    .get::<unsafe extern "C" fn(c_int) -> *const c_char>(b"ncclGetErrorString")?
            };
            Ok(Nccl(Arc::new(Opened {
                functions: Functions::find(&library)?,
                error,
                _library: library,
            })))
        };
        let opened = OPENED.get_or_init(|| open().ok());
        opened
            .clone()
            .context("there is no libnccl.so.2 here that can be used")
    }

    /// Returns its version: 22809 is 2.28.9.
    fn version(&self) -> Result<c_int> {
        let mut version = 0;
        // SAFETY: the result is written to a local variable.
        self.check("ncclGetVersion", unsafe {
            (self.0.functions.version)(&mut version)
        })?;
        Ok(version)
    }

    /// Makes a communicator for each of these devices, all in this process.
    ///
    /// # Errors
    /// NCCL's code and text, with the call that failed.
    pub fn all(&self, devices: &[Device]) -> Result<Vec<Communicator>> {
        let ordinals: Vec<c_int> = devices
            .iter()
            .map(|device| device.ordinal() as c_int)
            .collect();
        let mut handles = vec![std::ptr::null_mut(); devices.len()];
        // SAFETY: there are as many handles as devices.
        let made = unsafe {
            (self.0.functions.init_all)(
                handles.as_mut_ptr(),
                handles.len() as c_int,
                ordinals.as_ptr(),
            )
        };
        self.check("ncclCommInitAll", made)?;
        let each = handles.into_iter().zip(devices);
        let communicator = |(handle, device): (Handle, &Device)| Communicator {
            nccl: self.clone(),
            device: device.clone(),
            handle,
        };
        Ok(each.map(communicator).collect())
    }

    /// Makes a new id, for the ranks of several processes.
    ///
    /// # Errors
    /// NCCL's code and text, with the call that failed.
    pub fn unique_id(&self) -> Result<Id> {
        let mut id = Id([0; 128]);
        // SAFETY: the result is written to a local variable.
        self.check("ncclGetUniqueId", unsafe {
            (self.0.functions.unique_id)(&mut id)
        })?;
        Ok(id)
    }

    /// Makes this process's communicator, rank `rank` of `of`, on `device`. Waits for
    /// the other ranks.
    ///
    /// # Errors
    /// NCCL's code and text, with the call that failed.
    pub fn rank(&self, device: &Device, id: Id, rank: usize, of: usize) -> Result<Communicator> {
        // NCCL uses the current device.
        let device = Device::at(device.ordinal())?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the result is written to a local variable.
        let made =
            unsafe { (self.0.functions.init_rank)(&mut handle, of as c_int, id, rank as c_int) };
        self.check("ncclCommInitRank", made)?;
        Ok(Communicator {
            nccl: self.clone(),
            device,
            handle,
        })
    }

    fn check(&self, call: &str, code: c_int) -> Result<()> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the function accepts any code, and returns a static text.
        let text = unsafe { CStr::from_ptr((self.0.error)(code)) }.to_string_lossy();
        bail!("{call} returned {code}: {text}")
    }
}

/// The communicator of one rank in a group.
pub struct Communicator {
    nccl: Nccl,
    device: Device,
    handle: Handle,
}

// SAFETY: any thread may use a communicator, but only one at a time. `&mut` or the owner's
// thread ensures that.
unsafe impl Send for Communicator {}

impl Communicator {
    /// Returns the library's name and version, such as `NCCL 2.28.9`.
    pub fn name(&self) -> String {
        match self.nccl.version() {
            Ok(version) => format!(
                "NCCL {}.{}.{}",
                version / 10_000,
                version / 100 % 100,
                version % 100
            ),
            Err(_) => "NCCL".to_owned(),
        }
    }

    /// Runs `calls` as one group of calls for several ranks of this process.
    pub(super) fn grouped(&self, calls: impl FnOnce() -> Result<()>) -> Result<()> {
        let functions = &self.nccl.0.functions;
        // SAFETY: the function has no conditions.
        let begun = unsafe { (functions.group_start)() };
        self.nccl.check("ncclGroupStart", begun)?;
        let done = calls();
        // SAFETY: the group was begun above.
        let ended = unsafe { (functions.group_end)() };
        let ended = self.nccl.check("ncclGroupEnd", ended);
        done.and(ended)
    }

    /// Returns the stream in the form that NCCL takes. The stream has to be of the rank's device.
    fn on(&self, stream: &Stream) -> Result<*mut c_void> {
        ensure!(
            *stream.device() == self.device,
            "a rank of device {} was given a stream of device {}",
            self.device.ordinal(),
            stream.device().ordinal()
        );
        Ok(stream.raw().cast())
    }

    /// Queues this rank's part of an all-reduce on `stream`: the buffer becomes the sum of
    /// all ranks' buffers.
    ///
    /// # Errors
    /// NCCL's code and text, with the call that failed.
    pub fn all_reduce(&self, stream: &Stream, buffer: &mut DeviceBuffer<f32>) -> Result<()> {
        let on = self.on(stream)?;
        let (len, address) = (buffer.len(), buffer.write_on(stream)?);
        let at = address as *mut c_void;
        // SAFETY: the stream waits for the buffer's earlier uses, and the buffer has
        // this many elements.
        let code =
            unsafe { (self.nccl.0.functions.all_reduce)(at, at, len, FLOAT, SUM, self.handle, on) };
        self.nccl.check("ncclAllReduce", code)
    }

    /// Queues this rank's part of a reduce-scatter on `stream`.
    ///
    /// # Errors
    /// NCCL's code and text, with the call that failed.
    pub(super) fn reduce_scatter(
        &self,
        stream: &Stream,
        from: &DeviceBuffer<f32>,
        to: &mut DeviceBuffer<f32>,
    ) -> Result<()> {
        let on = self.on(stream)?;
        let (len, from, to) = (to.len(), from.read_on(stream)?, to.write_on(stream)?);
        // SAFETY: as in `all_reduce`. The group has checked that `from` has a part for each rank.
        let code = unsafe {
            (self.nccl.0.functions.reduce_scatter)(
                from as *const c_void,
                to as *mut c_void,
                len,
                FLOAT,
                SUM,
                self.handle,
                on,
            )
        };
        self.nccl.check("ncclReduceScatter", code)
    }

    /// Queues this rank's part of an all-gather on `stream`.
    ///
    /// # Errors
    /// NCCL's code and text, with the call that failed.
    pub(super) fn all_gather(
        &self,
        stream: &Stream,
        from: &DeviceBuffer<f32>,
        to: &mut DeviceBuffer<f32>,
    ) -> Result<()> {
        let on = self.on(stream)?;
        let (len, from, to) = (from.len(), from.read_on(stream)?, to.write_on(stream)?);
        // SAFETY: as above. The group has checked that `to` has a part for each rank's data.
        let code = unsafe {
            (self.nccl.0.functions.all_gather)(
                from as *const c_void,
                to as *mut c_void,
                len,
                FLOAT,
                self.handle,
                on,
            )
        };
        self.nccl.check("ncclAllGather", code)
    }

    /// Queues this rank's part of a broadcast on `stream`.
    ///
    /// # Errors
    /// NCCL's code and text, with the call that failed.
    pub fn broadcast(
        &self,
        stream: &Stream,
        root: usize,
        buffer: &mut DeviceBuffer<f32>,
    ) -> Result<()> {
        let on = self.on(stream)?;
        let (len, address) = (buffer.len(), buffer.write_on(stream)?);
        let (at, root) = (address as *mut c_void, root as c_int);
        // SAFETY: as in `all_reduce`.
        let code =
            unsafe { (self.nccl.0.functions.broadcast)(at, at, len, FLOAT, root, self.handle, on) };
        self.nccl.check("ncclBroadcast", code)
    }

    /// Queues sending a buffer to another rank.
    ///
    /// # Errors
    /// NCCL's code and text, with the call that failed.
    pub fn send(&self, stream: &Stream, from: &DeviceBuffer<f32>, to: usize) -> Result<()> {
        let on = self.on(stream)?;
        let (len, from) = (from.len(), from.read_on(stream)?);
        // SAFETY: as in `all_reduce`.
        let code = unsafe {
            (self.nccl.0.functions.send)(
                from as *const c_void,
                len,
                FLOAT,
                to as c_int,
                self.handle,
                on,
            )
        };
        self.nccl.check("ncclSend", code)
    }

    /// Queues receiving a buffer from another rank.
    ///
    /// # Errors
    /// NCCL's code and text, with the call that failed.
    pub fn receive(&self, stream: &Stream, to: &mut DeviceBuffer<f32>, from: usize) -> Result<()> {
        let on = self.on(stream)?;
        let (len, to) = (to.len(), to.write_on(stream)?);
        // SAFETY: as in `all_reduce`.
        let code = unsafe {
            (self.nccl.0.functions.receive)(
                to as *mut c_void,
                len,
                FLOAT,
                from as c_int,
                self.handle,
                on,
            )
        };
        self.nccl.check("ncclRecv", code)
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        // SAFETY: this value owns the communicator, and it is destroyed once. A drop
        // cannot report errors.
        let _ = unsafe { (self.nccl.0.functions.destroy)(self.handle) };
    }
}
