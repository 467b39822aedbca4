//! The columns of a row besides the signature and the function on the simulator.
//!
//! A row of [`crate::api`] ends in names of functions of this module, separated by commas:
//! `, always`, `, unsafe_in_capture`, `, work(DeviceWork::Kernel, StreamAt::Argument(8))`.

/// When a call may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallTime {
    /// At any time, also before `cuInit` and in callbacks.
    Always,
    /// After `cuInit`, and not from a function that a stream runs on the host.
    Initialised,
}

/// The stream that the null handle means in a call, and that a call without a stream argument uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefaultStream {
    /// The legacy default stream.
    Legacy,
    /// The calling thread's own: the call's name ends in `_ptds` or `_ptsz`.
    PerThread,
}

/// What a call does with code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeCall {
    /// It writes the handle of a new module to its first argument.
    LoadsModule,
    /// It writes the handle of a new library to its first argument.
    LoadsLibrary,
    /// Its second argument is a library that is used in the current context.
    UsesLibrary,
    /// Its first argument is a module that does not exist any more.
    UnloadsModule,
    /// Its first argument is a library that does not exist any more.
    UnloadsLibrary,
}

/// The work that a call adds to a stream. A trace of a GPU measures it with events around it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DeviceWork {
    /// A kernel: the first argument, or of `cuLaunchKernelEx` the second.
    Kernel,
    /// A copy of this name. The argument at this place is the number of bytes.
    Copy(&'static str, usize),
    /// A memset. The argument at this place is the number of elements, each of this many bytes.
    Set(usize, u64),
    /// A whole graph, launched at once.
    Graph,
}

/// Where the stream of a call is found.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StreamAt {
    /// It is the argument at this place.
    Argument(usize),
    /// It is in the configuration that the first argument points to.
    Config,
    /// The call has no stream argument and runs on the default stream.
    Default,
}

/// The columns of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Columns {
    /// When the call may be made.
    pub(crate) when: CallTime,
    /// Whether a capture refuses it unless the capture's mode allows it.
    pub(crate) unsafe_in_capture: bool,
    /// The work that it adds and the stream, if a trace measures it.
    pub(crate) work: Option<(DeviceWork, StreamAt)>,
    /// Whether it destroys events. A trace has to read them first.
    pub(crate) ends_events: bool,
    /// Whether programs also work without the call. Then its absence is not reported as a failure.
    pub(crate) optional: bool,
    /// What the call does with code. Panics of kernels are read from the code that is loaded.
    pub(crate) code: Option<CodeCall>,
    /// Another name that `cuGetProcAddress` accepts for it, and the CUDA version from
    /// which it does.
    pub(crate) also_called: Option<(&'static str, u32)>,
}

impl Columns {
    /// A row without further columns.
    pub(crate) const NONE: Columns = Columns {
        when: CallTime::Initialised,
        unsafe_in_capture: false,
        work: None,
        ends_events: false,
        optional: false,
        code: None,
        also_called: None,
    };

    /// Marks that the call may be made before `cuInit` and in callbacks.
    pub(crate) const fn always(self) -> Columns {
        Columns {
            when: CallTime::Always,
            ..self
        }
    }

    /// Marks that the call may wait for the device or allocate implicitly. A capture refuses it
    /// unless the capture's mode allows it (driver API reference,
    /// `cuThreadExchangeStreamCaptureMode`: "potentially unsafe"). Synchronous copies and event
    /// queries check this themselves, after they have checked for more serious errors.
    pub(crate) const fn unsafe_in_capture(self) -> Columns {
        Columns {
            unsafe_in_capture: true,
            ..self
        }
    }

    /// Marks that the call's work is measured when a GPU is traced.
    pub(crate) const fn work(self, work: DeviceWork, at: StreamAt) -> Columns {
        Columns {
            work: Some((work, at)),
            ..self
        }
    }

    /// Marks that the call destroys events.
    pub(crate) const fn ends_events(self) -> Columns {
        Columns {
            ends_events: true,
            ..self
        }
    }

    /// Marks that programs also work without the call.
    pub(crate) const fn optional(self) -> Columns {
        Columns {
            optional: true,
            ..self
        }
    }

    /// Marks that the call loads, uses or unloads code.
    pub(crate) const fn code(self, code: CodeCall) -> Columns {
        Columns {
            code: Some(code),
            ..self
        }
    }

    /// Adds another name that `cuda.h` has for this call from a version on.
    pub(crate) const fn also_called(self, name: &'static str, since: u32) -> Columns {
        Columns {
            also_called: Some((name, since)),
            ..self
        }
    }
}
