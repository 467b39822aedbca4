//! Arguments of a launch, checked by the compiler against the kernel's own parameters.
//!
//! A kernel's parameters are a tuple of types
//! ([`Kernel::Params`](lanewise_std::kernel::Kernel::Params)). The trait [`Argument`] defines what
//! may be passed for each of them:
//!
//! | the kernel takes | the host passes |
//! | --- | --- |
//! | `&[T]` | `&DeviceBuffer<T>`, `&Part<T>`, `&ManagedBuffer<T>`, `&PitchedBuffer<T>`, `&Mapped<T>`, `&IpcBuffer<T>`, `&View<T>`; in a graph `&GraphBuffer<T>` |
//! | `&[AtomicU32]`, `&[DeviceAtomicF32]`, `&[Cell<T>]` | `&mut` of these with plain values: `&mut DeviceBuffer<u32>`; see [`SharedCell`] |
//! | `DisjointSlice<T>`, `PerBlock<T>`, `PerWarp<T>`, `PartPerBlock<T>`, `GlobalMut<T>` | `&mut` of these |
//! | `Matrix<T>` | `matrix(columns)` of these: [`Matrix`](crate::Matrix) |
//! | `DisjointMatrix<T>`, `RowPerBlock<T>` | `matrix_mut(columns)` of these: [`MatrixMut`] |
//! | `Texture1d`, `Texture2d`, `Texture3d` | `&Texture<1>`, `&Texture<2>`, `&Texture<3>` |
//! | `TensorMap<T, RANK>`, `TensorMapMut<T, RANK>`, `Im2colMap<T, RANK>`, `Im2colMapMut<T, RANK>` | `&`, `&mut`, `&`, `&mut` of those in [`crate::tensor_map`], with the boxes that the type names: [`BoxOf`](lanewise_std::tma::BoxOf) |
//! | `Multicast<T>` | `&MulticastBuffer<T>` |
//! | `Condition` | in a graph `&ConditionSetter` |
//! | `*const T`, `*mut T` | `&`, `&mut` of these: the address |
//! | a value: `u32`, `Option<NonZero<i64>>`, any `Value` | the same value |
//!
//! A slice is two PTX parameters, address and length. Source: CUDA driver
//! API, `cuLaunchKernel`, `kernelParams`.

use std::cell::Cell;
use std::ffi::c_void;
use std::panic::Location;

use lanewise_driver::abi::CUresult;
use lanewise_std::kernel::{
    BrokenContract, LaunchContract, LengthClause, SharedCell, Value, slice_alignment,
};
use lanewise_std::{
    DisjointMatrix, DisjointSlice, GlobalMut, Matrix, PartPerBlock, PerBlock, PerWarp, RowPerBlock,
};

use crate::stream::order::{Access, BegunUse, Order, end_together};
use crate::{
    Device, DeviceBuffer, DeviceCopy, DriverError, GraphBuffer, IpcBuffer, ManagedBuffer, Mapped,
    MatrixMut, Part, PitchedBuffer, Stream, View,
};

/// A host value that can be passed where a kernel takes a `P`.
///
/// You can implement it for your own type that holds buffers: it then passes what it holds. The
/// implementation is always unsafe, because the compiler cannot check what it passes:
/// ```compile_fail,E0200
/// use lanewise::{Argument, ArgumentList, DriverError};
///
/// struct Nothing;
///
/// impl Argument<&'static [f32]> for Nothing {
///     fn pass(self, _: &mut ArgumentList<'_>) -> Result<(), DriverError> {
///         Ok(()) // and the kernel takes whatever comes next for an address
///     }
/// }
/// ```
///
/// # Safety
/// `pass` appends the PTX parameters of one `P`, no more and no fewer, by calling `pass` of other
/// arguments. They borrow what they pass from the caller of the launch, and the memory that they
/// point to is valid for the kernel while it runs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed where the kernel takes `{P}`",
    label = "the kernel takes `{P}` here",
    note = "`&[T]` takes `&DeviceBuffer<T>`, `&[AtomicU32]` takes `&mut DeviceBuffer<u32>`; `DisjointSlice<T>`, `PerBlock<T>` and `GlobalMut<T>` take `&mut DeviceBuffer<T>`, `Matrix<T>` takes `buffer.matrix(columns)`, `DisjointMatrix<T>` and `RowPerBlock<T>` take `buffer.matrix_mut(columns)`; a value takes itself"
)]
pub unsafe trait Argument<P> {
    /// Appends the PTX parameters of this value.
    ///
    /// # Errors
    /// The driver's error, if a stream can't be made to wait for the earlier uses.
    fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError>;
}

/// The arguments of a whole kernel: a tuple of [`Argument`]s, as many as the kernel has parameters.
///
/// # Safety
/// `pass_all` appends the PTX parameters of all `Params`, in order.
#[diagnostic::on_unimplemented(
    message = "these are not the arguments that the kernel takes",
    label = "the kernel takes `{Params}`",
    note = "pass a tuple with one argument for each parameter; for one parameter `(a,)`, for none `()`"
)]
pub unsafe trait Arguments<Params> {
    /// Appends the PTX parameters of each argument in order.
    ///
    /// # Errors
    /// As [`Argument::pass`].
    fn pass_all(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError>;
}

/// The parameter values in the driver's form: their bytes, and the offset of each value. A launch
/// makes the list, and its arguments fill it.
#[derive(Debug)]
pub struct ArgumentList<'launch> {
    stream: &'launch Stream,
    /// `None` before the first argument.
    lists: Option<Box<Lists>>,
    /// The buffers among the arguments, if the launch is recorded in a graph and not queued. An
    /// entry is `None` for memory that can't be recorded.
    recorded: Option<Vec<Recorded>>,
    /// The number of the graph that is being built.
    graph: Option<u64>,
    /// What is required of the lengths of slices.
    lengths: &'static [LengthClause],
}

/// A buffer that a graph uses, and its access; `None` for memory that a graph cannot track.
pub(crate) type Recorded = Option<(Order<Stream>, Access)>;

/// The memory of an argument list. A thread's launches use it one after another, so that a launch
/// allocates nothing.
#[derive(Debug, Default)]
struct Lists {
    /// The bytes of all values.
    bytes: Vec<u8>,
    /// A pointer to each value there.
    pointers: Vec<*mut c_void>,
    /// The number of values before each argument.
    arguments: Vec<usize>,
    /// The uses of the buffers among the arguments, until the launch is queued.
    uses: Vec<BegunUse<Stream>>,
}

thread_local! {
    /// The lists for this thread's next launch, all empty.
    static SPARE: Cell<Option<Box<Lists>>> = const { Cell::new(None) };
}

impl Lists {
    /// Appends values, by their bytes.
    #[inline(always)] // a launch is nothing but a few such pieces
    fn push<T: Copy, const N: usize>(&mut self, values: [T; N]) {
        let (start, count) = (self.bytes.len(), self.pointers.len());
        let size = size_of::<[T; N]>();
        if self.bytes.capacity() - start < size || self.pointers.capacity() - count < N {
            self.make_room(size, N);
        }
        // SAFETY: there is room for the values, whose bytes, padding included, are copied through
        // raw pointers, and for a pointer to each.
        unsafe {
            let at = self.bytes.as_mut_ptr().add(start);
            std::ptr::copy_nonoverlapping((&raw const values).cast(), at, size);
            self.bytes.set_len(start + size);
            for index in 0..N {
                let pointer = at.add(index * size_of::<T>()).cast();
                self.pointers.as_mut_ptr().add(count + index).write(pointer);
            }
            self.pointers.set_len(count + N);
        }
    }

    /// Makes room for so many bytes and values, and points to where the values are then.
    #[cold]
    fn make_room(&mut self, size: usize, values: usize) {
        let before = self.bytes.as_ptr().addr();
        self.bytes.reserve(size);
        self.pointers.reserve(values);
        let base = self.bytes.as_mut_ptr();
        for pointer in &mut self.pointers {
            *pointer = base.wrapping_add(pointer.addr() - before).cast();
        }
    }
}

impl Drop for ArgumentList<'_> {
    #[inline]
    fn drop(&mut self) {
        let Some(mut lists) = self.lists.take() else {
            return;
        };
        end_together(&mut lists.uses, self.stream);
        lists.bytes.clear();
        lists.pointers.clear();
        lists.arguments.clear();
        // A thread that is ending needs no lists any more.
        let _ = SPARE.try_with(|spare| spare.set(Some(lists)));
    }
}

impl<'launch> ArgumentList<'launch> {
    #[inline]
    pub(crate) fn new(stream: &'launch Stream) -> Self {
        Self {
            stream,
            lists: SPARE.try_with(Cell::take).ok().flatten(),
            recorded: None,
            graph: None,
            lengths: &[],
        }
    }

    /// Makes a list for a launch that is recorded, or becomes a node of the graph with this number.
    pub(crate) fn recording(stream: &'launch Stream, graph: Option<u64>) -> Self {
        let mut list = Self::new(stream);
        (list.recorded, list.graph) = (Some(Vec::new()), graph);
        list
    }

    /// Returns the stream of the launch.
    #[inline]
    pub(crate) fn stream(&self) -> &'launch Stream {
        self.stream
    }

    /// Returns whether the launch is recorded, and not queued.
    #[inline]
    pub(crate) fn is_recording(&self) -> bool {
        self.recorded.is_some()
    }

    /// Returns the uses that were recorded, and drops the list.
    #[inline]
    pub(crate) fn into_recorded(mut self) -> Vec<Recorded> {
        self.recorded.take().unwrap_or_default()
    }

    /// Notes that the launch uses a buffer.
    #[inline(always)]
    pub(crate) fn note<T: DeviceCopy>(
        &mut self,
        buffer: &DeviceBuffer<T>,
        access: Access,
    ) -> Result<(), DriverError> {
        match &mut self.recorded {
            Some(recorded) => {
                recorded.push(buffer.recorded(self.stream, access, self.graph));
                Ok(())
            }
            None => {
                let uses = &mut self.lists.get_or_insert_default().uses;
                // SAFETY: an `Argument` borrows the buffer from the caller of the launch, which
                // drops this list, and so ends the uses, before it returns.
                unsafe { buffer.launch_on(uses, self.stream, access) }
            }
        }
    }

    /// Notes that the launch uses an object that only kernels of its own device can use: a texture
    /// or a surface. A graph can't track it.
    pub(crate) fn note_uses(
        &mut self,
        order: &Order<Stream>,
        access: Access,
    ) -> Result<(), DriverError> {
        match &mut self.recorded {
            Some(recorded) => {
                recorded.push(None);
                Ok(())
            }
            None => {
                let uses = &mut self.lists.get_or_insert_default().uses;
                // SAFETY: as for a buffer.
                unsafe { order.begin_among_on(uses, self.stream, access) }
            }
        }
    }

    /// Notes that the values that follow are those of the next argument, if lengths are compared.
    #[inline]
    fn begin_argument(&mut self) {
        if self.lengths.is_empty() {
            return;
        }
        let lists = self.lists.get_or_insert_default();
        lists.arguments.push(lists.pointers.len());
    }

    /// Sets what the kernel's contract requires of lengths.
    #[inline]
    pub(crate) fn require(&mut self, lengths: &'static [LengthClause]) {
        self.lengths = lengths;
    }

    /// Checks that the arguments have the lengths that the contract requires.
    #[inline]
    pub(crate) fn check_lengths(&mut self) -> Result<(), BrokenContract> {
        if self.lengths.is_empty() {
            return Ok(());
        }
        let Lists {
            bytes,
            pointers,
            arguments,
            ..
        } = &**self.lists.get_or_insert_default();
        // The clauses name slices, which are an address and a length, and unsigned integers.
        let start = |index: usize| {
            let pointer = pointers.get(index);
            pointer.map_or(bytes.len(), |it| it.addr() - bytes.as_ptr().addr())
        };
        let value = |index: usize| {
            let own = &bytes[start(index)..start(index + 1)];
            let mut word = [0; 8];
            word[..own.len()].copy_from_slice(own);
            u64::from_le_bytes(word)
        };
        let contract = LaunchContract {
            lengths: self.lengths,
            ..LaunchContract::ANY
        };
        contract.check_lengths(|of| value(arguments[of] + 1), |of| value(arguments[of]))
    }

    /// Appends one parameter, by its bytes. A value of size zero is not a parameter in the PTX.
    pub(crate) fn push<T: Copy>(&mut self, value: T) {
        if size_of::<T>() > 0 {
            self.lists.get_or_insert_default().push([value]);
        }
    }

    /// Appends two parameters of one argument.
    #[inline(always)]
    fn push_both(&mut self, first: u64, second: u64) {
        self.lists.get_or_insert_default().push([first, second]);
    }

    /// Appends a slice: its address, then its length in elements.
    #[inline(always)]
    fn push_slice<T: DeviceCopy>(
        &mut self,
        buffer: &DeviceBuffer<T>,
        access: Access,
    ) -> Result<(), DriverError> {
        let address = aligned(buffer)?;
        self.note(buffer, access)?;
        self.push_both(address, buffer.len() as u64);
        Ok(())
    }

    /// Appends a matrix: its address, then rows and columns in one word.
    fn push_matrix<T: DeviceCopy>(
        &mut self,
        (buffer, size, in_graphs): (&DeviceBuffer<T>, u64, bool),
        access: Access,
    ) -> Result<(), DriverError> {
        let address = aligned(buffer)?;
        match &mut self.recorded {
            Some(recorded) if !in_graphs => recorded.push(None),
            _ => self.note(buffer, access)?,
        }
        self.push_both(address, size);
        Ok(())
    }

    /// Appends a value that refers to something that only the graph of `order` owns, such as a
    /// condition. The kernel may write it.
    pub(crate) fn push_of_graph(
        &mut self,
        order: &Order<Stream>,
        value: impl Copy,
    ) -> Result<(), DriverError> {
        match &mut self.recorded {
            Some(recorded) => {
                let mine = self.graph.is_some() && order.graph() == self.graph;
                recorded.push(mine.then(|| (order.clone(), Access::Write)));
            }
            None => DriverError::check(
                "use of a graph's condition outside of it",
                CUresult::ERROR_INVALID_VALUE,
                Location::caller(),
            )?,
        }
        self.push(value);
        Ok(())
    }

    /// Appends a value that points into a buffer.
    pub(crate) fn push_with<T: DeviceCopy>(
        &mut self,
        buffer: &DeviceBuffer<T>,
        access: Access,
        value: impl Copy,
    ) -> Result<(), DriverError> {
        self.note(buffer, access)?;
        self.push(value);
        Ok(())
    }

    /// Appends a handle that is valid only for kernels of its own device, such as a texture's.
    pub(crate) fn push_of(
        &mut self,
        owner: &Device,
        what: &str,
        handle: u64,
    ) -> Result<(), DriverError> {
        self.stream.device().must_be(owner, what)?;
        self.push(handle);
        Ok(())
    }

    /// Appends the address of a buffer, for a kernel that takes a raw pointer.
    fn push_address<T: DeviceCopy>(
        &mut self,
        buffer: &DeviceBuffer<T>,
        access: Access,
    ) -> Result<(), DriverError> {
        self.note(buffer, access)?;
        self.push(buffer.address());
        Ok(())
    }

    /// Returns a pointer to each value, the `kernelParams` of `cuLaunchKernel`, and the uses that
    /// were recorded. The pointers are valid while the list is borrowed. The driver only reads
    /// through them.
    #[inline]
    pub(crate) fn parts(&mut self) -> (&mut [*mut c_void], &[Recorded]) {
        let lists = self.lists.get_or_insert_default();
        let recorded = self.recorded.as_deref().unwrap_or_default();
        (&mut lists.pointers, recorded)
    }
}

/// Returns the address of a slice, or an error if it is not aligned as the kernel assumes. The
/// driver's memory and all parts of it are; a program's own memory (`PinnedBuffer::register`,
/// [`DeviceBuffer::borrow_raw`]) may not be.
#[inline(always)]
fn aligned<T: DeviceCopy>(buffer: &DeviceBuffer<T>) -> Result<u64, DriverError> {
    let (address, alignment) = (buffer.address(), slice_alignment::<T>());
    if address.is_multiple_of(alignment as u64) {
        return Ok(address);
    }
    Err(misaligned(address, alignment, size_of::<T>()))
}

#[cold]
fn misaligned(address: u64, alignment: usize, size: usize) -> DriverError {
    let code = CUresult::ERROR_INVALID_VALUE;
    let error = DriverError::answer("the check of a slice's alignment", code, Location::caller());
    error.with_report(format!(
        "expected an address that is a multiple of {alignment}, since the elements have {size} bytes; found {address:#x}"
    ))
}

/// Implements the arguments that each kind of buffer can be passed as, for kernels that read it.
macro_rules! reads {
    ($($buffer:ty: $as_device_buffer:expr;)*) => {
        $(
            // SAFETY: this passes address and length of a buffer. The launch keeps order with the
            // other uses of the buffer, and freeing it waits for the kernels that use it.
            unsafe impl<T: DeviceCopy> Argument<&'static [T]> for &$buffer {
                fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
                    list.push_slice($as_device_buffer(self), Access::Read)
                }
            }

            // SAFETY: this passes the address of the buffer.
            unsafe impl<T: DeviceCopy> Argument<*const T> for &$buffer {
                fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
                    list.push_address($as_device_buffer(self), Access::Read)
                }
            }
        )*
    };
}

/// Implements the arguments that each kind of buffer can be passed as.
macro_rules! buffers {
    ($($buffer:ty: $as_device_buffer:expr;)*) => {
        reads! { $($buffer: $as_device_buffer;)* }

        $(
            // SAFETY: this passes address and length of a buffer, as for reading, and nothing else
            // borrows the buffer. The cells have the layout of its elements, and leave valid values
            // there.
            unsafe impl<T: DeviceCopy, C: SharedCell<Value = T>> Argument<&'static [C]> for &mut $buffer {
                fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
                    list.push_slice($as_device_buffer(self), Access::Write)
                }
            }

            // SAFETY: as above, and nothing else borrows the buffer.
            unsafe impl<T: DeviceCopy, Owner> Argument<DisjointSlice<'static, T, Owner>> for &mut $buffer {
                fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
                    list.push_slice($as_device_buffer(self), Access::Write)
                }
            }

            // SAFETY: as above.
            unsafe impl<T: DeviceCopy> Argument<PerBlock<'static, T>> for &mut $buffer {
                fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
                    list.push_slice($as_device_buffer(self), Access::Write)
                }
            }

            // SAFETY: as above.
            unsafe impl<T: DeviceCopy> Argument<PerWarp<'static, T>> for &mut $buffer {
                fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
                    list.push_slice($as_device_buffer(self), Access::Write)
                }
            }

            // SAFETY: as above.
            unsafe impl<T: DeviceCopy, Order, const EACH: usize>
                Argument<PartPerBlock<'static, T, Order, EACH>> for &mut $buffer
            {
                fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
                    list.push_slice($as_device_buffer(self), Access::Write)
                }
            }

            // SAFETY: as above.
            unsafe impl<T: DeviceCopy> Argument<GlobalMut<'static, T>> for &mut $buffer {
                fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
                    list.push_slice($as_device_buffer(self), Access::Write)
                }
            }

            // SAFETY: this passes the address of the buffer.
            unsafe impl<T: DeviceCopy> Argument<*mut T> for &mut $buffer {
                fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
                    list.push_address($as_device_buffer(self), Access::Write)
                }
            }
        )*
    };
}

buffers! {
    DeviceBuffer<T>: |buffer| buffer;
    ManagedBuffer<T>: ManagedBuffer::buffer;
    PitchedBuffer<T>: PitchedBuffer::padded;
    Mapped<'_, T>: |mapped| -> &DeviceBuffer<T> { mapped };
    Part<'_, T>: |part| -> &DeviceBuffer<T> { part };
    GraphBuffer<'_, T>: |buffer| -> &DeviceBuffer<T> { buffer };
    IpcBuffer<T>: |buffer| -> &DeviceBuffer<T> { buffer };
}

reads! {
    View<'_, T>: |view| -> &DeviceBuffer<T> { view };
}

// SAFETY: this passes the address of a buffer and its size in rows.
unsafe impl<T: DeviceCopy> Argument<Matrix<'static, T>> for crate::Matrix<'_, T> {
    fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
        list.push_matrix(self.parts(), Access::Read)
    }
}

// SAFETY: as above, and nothing else borrows the buffer.
unsafe impl<T: DeviceCopy, Owner> Argument<DisjointMatrix<'static, T, Owner>> for MatrixMut<'_, T> {
    fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
        list.push_matrix(self.parts(), Access::Write)
    }
}

// SAFETY: as above.
unsafe impl<T: DeviceCopy> Argument<RowPerBlock<'static, T>> for MatrixMut<'_, T> {
    fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
        list.push_matrix(self.parts(), Access::Write)
    }
}

// SAFETY: this passes the bytes of a value, which have the same meaning on the device.
unsafe impl<T: Value> Argument<T> for T {
    fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
        const {
            assert!(
                !T::IS_ADDRESS,
                "for an address the host passes a buffer: `&buffer` for `*const T`, `&mut buffer` for `*mut T`"
            );
        };
        list.push(self);
        Ok(())
    }
}

macro_rules! tuples {
    ($($argument:ident: $parameter:ident),*) => {
        // SAFETY: each argument appends the parameters of its own `P`.
        unsafe impl<$($argument, $parameter),*> Arguments<($($parameter,)*)> for ($($argument,)*)
        where
            $($argument: Argument<$parameter>),*
        {
            fn pass_all(self, _list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
                #[allow(non_snake_case, reason = "the type's name serves as the value's")]
                let ($($argument,)*) = self;
                $(
                    _list.begin_argument();
                    $argument.pass(_list)?;
                )*
                Ok(())
            }
        }
    };
}

/// Implements the traits for tuples of all lengths that a kernel's parameters can have.
macro_rules! each_length {
    () => {
        tuples!();
    };
    ($first:ident: $parameter:ident $(, $more:ident: $others:ident)*) => {
        tuples!($first: $parameter $(, $more: $others)*);
        each_length!($($more: $others),*);
    };
}

#[rustfmt::skip]
each_length!(
    A: P1, B: P2, C: P3, D: P4, E: P5, F: P6, G: P7, H: P8, I: P9, J: P10, K: P11, L: P12,
    M: P13, N: P14, O: P15, P: P16, Q: P17, R: P18, S: P19, T: P20, U: P21, V: P22, W: P23, X: P24
);
