//! What a row of the table says of a call beside its signature: the columns behind the function
//! that answers it.
//!
//! A row of [`crate::api`] ends in names of functions here, with commas between them: `, always`,
//! `, unsafe_in_capture`, `, work(DeviceWork::Kernel, StreamAt::Argument(8))`.

/// When a call may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallTime {
    /// Before `cuInit`, and in callbacks.
    Always,
    /// After `cuInit`, and not from a function that a stream runs on the host.
    Initialised,
}

/// The stream that the null handle means in a call, and that a call without a stream runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefaultStream {
    /// The legacy default stream.
    Legacy,
    /// The calling thread's own: the call's name ends in `_ptds` or `_ptsz`.
    PerThread,
}

/// What a call puts into a stream: what a trace of a GPU measures by events around it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DeviceWork {
    /// The kernel that the first argument names; of `cuLaunchKernelEx`, the second.
    Kernel,
    /// A copy of this name: this many bytes, by the argument's place.
    Copy(&'static str, usize),
    /// This many elements, by the argument's place, of this many bytes each.
    Set(usize, u64),
    /// All of a graph, launched at once.
    Graph,
}

/// Where a call has its stream.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StreamAt {
    /// It is the argument at this place.
    Argument(usize),
    /// It is in the configuration that the first argument points at.
    Config,
    /// The call has none and runs on the default stream.
    Default,
}

/// The columns of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Columns {
    /// When the call may be made.
    pub(crate) when: CallTime,
    /// Whether a capture refuses it unless its mode says otherwise.
    pub(crate) unsafe_in_capture: bool,
    /// What it puts into which stream, where a trace measures that.
    pub(crate) work: Option<(DeviceWork, StreamAt)>,
    /// Whether it takes events away, before which a trace has to read those.
    pub(crate) ends_events: bool,
    /// Whether programs ask for the call and go on without it, so that its lack is no failure to
    /// speak of.
    pub(crate) optional: bool,
    /// Another name under which `cuGetProcAddress` has it, from this CUDA version on.
    pub(crate) also_called: Option<(&'static str, u32)>,
}

impl Columns {
    /// A row without any.
    pub(crate) const NONE: Columns = Columns {
        when: CallTime::Initialised,
        unsafe_in_capture: false,
        work: None,
        ends_events: false,
        optional: false,
        also_called: None,
    };

    /// The call may be made before `cuInit` and in callbacks.
    pub(crate) const fn always(self) -> Columns {
        Columns {
            when: CallTime::Always,
            ..self
        }
    }

    /// The call may wait for the device or allocate behind the program's back, so a capture does
    /// not let it through unless its mode says so (driver API reference,
    /// `cuThreadExchangeStreamCaptureMode`: "potentially unsafe"). Copies that wait and questions
    /// about events look for themselves, after they have looked for what is worse.
    pub(crate) const fn unsafe_in_capture(self) -> Columns {
        Columns {
            unsafe_in_capture: true,
            ..self
        }
    }

    /// The call's work is measured when a GPU is traced.
    pub(crate) const fn work(self, work: DeviceWork, at: StreamAt) -> Columns {
        Columns {
            work: Some((work, at)),
            ..self
        }
    }

    /// The call takes events away.
    pub(crate) const fn ends_events(self) -> Columns {
        Columns {
            ends_events: true,
            ..self
        }
    }

    /// Programs ask for the call and go on without it.
    pub(crate) const fn optional(self) -> Columns {
        Columns {
            optional: true,
            ..self
        }
    }

    /// `cuda.h` means this call by another name, from a version on.
    pub(crate) const fn also_called(self, name: &'static str, since: u32) -> Columns {
        Columns {
            also_called: Some((name, since)),
            ..self
        }
    }
}
