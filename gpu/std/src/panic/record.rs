//! Panics without calls: the thread stores what happened in memory of the host, and traps.
//!
//! After a trap the context is lost, and nothing can be read from the device. So the record is in
//! pinned memory of the host, and contains all that the host prints. The book's page on panics
//! describes the protocol for other hosts.
//!
//! The builder lets the functions of this file take the place of `core`'s, which they are named
//! after. All of them are inlined up to [`__lanewise_panic_record`], of which each function of the
//! PTX has one copy that all its panics branch to.

use core::panic::Location;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// The version of [`Record`]'s layout.
const VERSION: u32 = 2;

/// The most bytes of a file's name that are stored.
const FILE: usize = 288;

/// The most bytes of a text that are stored.
const TEXT: usize = 640;

/// The bytes of a record's file name and text.
const BYTES: usize = FILE + TEXT;

/// A panic, in host memory.
#[repr(C)]
struct Record {
    /// [`VERSION`] when the record is complete. It is written last.
    version: u32,
    /// The indices of the block and of the thread.
    indices: [u32; 6],
    /// Zero; for later versions.
    reserved: u32,
    values: [u64; 4],
    site: Site,
}

/// What is known of a panic when the kernel is compiled. If all of it is, the builder makes a
/// constant of it, in which [`END`] follows the bytes.
#[repr(C)]
struct Site {
    line: u32,
    column: u32,
    /// The number of values that the text refers to as `{0}` to `{3}`. If there are none, the text
    /// is printed as it is.
    count: u32,
    file_length: u32,
    text_length: u32,
    /// The file's name, and the text after it.
    bytes: [u8; BYTES],
    end: [u8; 12],
}

/// The word at the end of the builder's constant. No number has it, and no text: such bytes are not
/// in UTF-8. A loop to such an end needs fewer registers than one that counts, because ptxas does
/// not unroll it.
const END: u32 = u32::MAX;

const _: () = assert!(size_of::<Record>() == 1024);

/// The module's variable through which the host and the kernels meet.
#[repr(C)]
struct Panics {
    /// The device address of a record of the host, or null if the host does not read records. The
    /// host writes it after it has loaded the module.
    record: AtomicPtr<Record>,
    /// [`FREE`], [`CLAIMED`] or [`WRITTEN`].
    state: AtomicU32,
}

/// No thread has panicked.
const FREE: u32 = 0;
/// A thread writes the record.
const CLAIMED: u32 = 1;
/// The record is complete.
const WRITTEN: u32 = 2;

#[unsafe(no_mangle)]
static __lanewise_panic: Panics = Panics {
    record: AtomicPtr::new(core::ptr::null_mut()),
    state: AtomicU32::new(FREE),
};

/// Stores a panic, unless another thread of the module has panicked before, and ends the launch.
///
/// The builder calls [`__lanewise_panic_store`] instead, if it knows place and text.
///
/// # Safety
/// `text` is valid for reads of `length` bytes.
#[unsafe(no_mangle)]
#[cold]
#[expect(
    clippy::too_many_arguments,
    reason = "each is a register of its own at the places that panic"
)]
#[inline(never)]
unsafe fn __lanewise_panic_record(
    place: &Location<'_>,
    text: *const u8,
    length: usize,
    count: u32,
    first: u64,
    second: u64,
    third: u64,
    fourth: u64,
) -> ! {
    let file = place.file();
    let (file_length, text_length) = (file.len().min(FILE), length.min(TEXT));
    let record = begin([first, second, third, fourth]);
    // SAFETY: `begin` has returned a record of this thread's own. The lengths are at most those of
    // the array, and `text` has its length.
    unsafe {
        let site = &raw mut (*record).site;
        (*site).line = place.line();
        (*site).column = place.column();
        (*site).count = count;
        (*site).file_length = file_length as u32;
        (*site).text_length = text_length as u32;
        let bytes: *mut u8 = (&raw mut (*site).bytes).cast();
        copy(file.as_ptr(), bytes, file_length as u32);
        copy(text, bytes.add(file_length), text_length as u32);
        end()
    }
}

/// Stores a panic as [`__lanewise_panic_record`] does, with a constant of the builder.
///
/// # Safety
/// `site` is valid for reads of its own length.
#[unsafe(no_mangle)]
#[cold]
#[inline(never)]
unsafe fn __lanewise_panic_store(
    site: *const Site,
    first: u64,
    second: u64,
    third: u64,
    fourth: u64,
) -> ! {
    let record = begin([first, second, third, fourth]);
    // SAFETY: `begin` has returned a record of this thread's own, and the caller's site is at most
    // as long as that of the record.
    unsafe {
        let (mut from, mut to) = (site.cast::<u32>(), (&raw mut (*record).site).cast::<u32>());
        loop {
            let word = from.read();
            if word == END {
                break;
            }
            to.write_volatile(word);
            (from, to) = (next(from.cast_mut()), next(to));
        }
        end()
    }
}

/// Reads a special register here. LLVM would keep the number that the kernel has read for its own
/// index, in a register that the kernel has no other use for.
macro_rules! read_anew {
    ($register:literal, $on_the_host:expr) => {{
        #[cfg(target_arch = "nvptx64")]
        {
            let index: u32;
            core::arch::asm!(concat!("mov.u32 {0}, ", $register, ";"), out(reg32) index, options(nomem, nostack));
            index
        }
        #[cfg(not(target_arch = "nvptx64"))]
        $on_the_host
    }};
}

/// Returns the record, with the thread and these values in it, if this thread is the first to
/// panic. Otherwise the launch ends.
///
/// A kernel gets the registers of its greediest part, so this one is written to need few.
#[inline(always)]
fn begin(values: [u64; 4]) -> *mut Record {
    let state = &__lanewise_panic.state;
    if state.fetch_max(CLAIMED, Ordering::Relaxed) != FREE {
        // A trap of another thread before this point would end the launch before the record is
        // complete, and a thread that panics must not go on. The thread that writes is running,
        // and it waits for no other.
        while state.load(Ordering::Relaxed) != WRITTEN {}
        core::intrinsics::abort()
    }
    let record = __lanewise_panic.record.load(Ordering::Relaxed);
    if record.is_null() {
        core::intrinsics::abort()
    }
    // SAFETY: the host keeps the record valid while kernels of the module run, and this thread
    // alone has claimed it. Volatile writes stay one by one: pairs of them would need registers.
    unsafe {
        (*record).values = values;
        apart();
        let indices = (&raw mut (*record).indices).cast::<u32>();
        indices.write_volatile(read_anew!("%ctaid.x", crate::thread::block_idx_x()));
        indices
            .add(1)
            .write_volatile(read_anew!("%ctaid.y", crate::thread::block_idx_y()));
        indices
            .add(2)
            .write_volatile(read_anew!("%ctaid.z", crate::thread::block_idx_z()));
        apart();
        indices
            .add(3)
            .write_volatile(read_anew!("%tid.x", crate::thread::thread_idx_x()));
        indices
            .add(4)
            .write_volatile(read_anew!("%tid.y", crate::thread::thread_idx_y()));
        indices
            .add(5)
            .write_volatile(read_anew!("%tid.z", crate::thread::thread_idx_z()));
        apart();
    }
    record
}

/// Keeps apart what comes before and after it, in the thread that has claimed the record. ptxas
/// reads special registers as early as it can, and all of them at once; it moves nothing into or
/// out of this loop, which ends at once.
#[inline(always)]
fn apart() {
    while __lanewise_panic.state.load(Ordering::Relaxed) == FREE {}
}

/// The address of the next word. LLVM would compute both addresses of the loop from a third number.
#[allow(
    clippy::pointers_in_nomem_asm_block,
    reason = "the address is computed, and nothing is read there"
)]
#[inline(always)]
fn next(mut word: *mut u32) -> *mut u32 {
    // SAFETY: it adds two numbers.
    unsafe {
        core::arch::asm!("add.s64 {0}, {0}, 4;", inout(reg64) word, options(pure, nomem, nostack));
    }
    word
}

/// Marks the record as complete, and ends the launch. It loads the record's address anew, so that
/// no register has it meanwhile.
///
/// The stores release what was written before them. Fences would do the same, but ptxas turns an
/// atomic whose result nobody uses into the faster `RED` only in a kernel without a fence.
///
/// # Safety
/// [`begin`] has returned the record to this thread.
#[inline(always)]
unsafe fn end() -> ! {
    let record = __lanewise_panic.record.load(Ordering::Relaxed);
    // SAFETY: the host keeps the record valid while kernels of the module run. It reads the version
    // after they have ended.
    unsafe { AtomicU32::from_ptr(&raw mut (*record).version).store(VERSION, Ordering::Release) };
    __lanewise_panic.state.store(WRITTEN, Ordering::Release);
    core::intrinsics::abort()
}

/// Copies bytes one by one, because the alignment of both is unknown.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `length` bytes.
#[inline(always)]
unsafe fn copy(from: *const u8, to: *mut u8, length: u32) {
    for at in 0..length as usize {
        // SAFETY: the caller guarantees it. A volatile write is not made a copy of larger parts.
        unsafe { to.add(at).write_volatile(from.add(at).read()) };
    }
}

/// Records a text that contains numbers in the form `{0}`.
#[inline(always)]
fn with<const N: usize>(place: &Location<'_>, text: &str, values: [u64; N]) -> ! {
    let value = |at: usize| values.get(at).copied().unwrap_or(0);
    // SAFETY: the text has its own length.
    unsafe {
        __lanewise_panic_record(
            place,
            text.as_ptr(),
            text.len(),
            N as u32,
            value(0),
            value(1),
            value(2),
            value(3),
        )
    }
}

/// Takes the place of [`super::__lanewise_panic_text`].
///
/// # Safety
/// `text` is valid for reads of `length` bytes.
#[unsafe(no_mangle)]
#[cold]
unsafe fn __lanewise_panic_text_recorded(
    text: *const u8,
    length: usize,
    place: &Location<'_>,
) -> ! {
    // SAFETY: the caller guarantees it.
    unsafe { __lanewise_panic_record(place, text, length, 0, 0, 0, 0, 0) }
}

unsafe extern "Rust" {
    /// `core::panicking::panic_fmt` itself, which formats.
    fn __lanewise_panic_formatted(
        template: *const u8,
        arguments: *const u8,
        place: &Location<'_>,
    ) -> !;
}

/// Takes the place of `core::panicking::panic_fmt`, whose argument is two pointers. If the lowest
/// bit of the second is set, the first is a constant text, and the second is its length times two.
/// Source: `core::fmt::Arguments`.
///
/// # Safety
/// The two pointers are those of a `core::fmt::Arguments`.
#[unsafe(no_mangle)]
#[cold]
unsafe fn __lanewise_panic_fmt(
    template: *const u8,
    arguments: *const u8,
    place: &Location<'_>,
) -> ! {
    let word = arguments.addr();
    // SAFETY: the text has this length. The builder gives the name of the other function to that
    // of `core`, which has this signature.
    unsafe {
        if word & 1 == 1 {
            __lanewise_panic_record(place, template, word >> 1, 0, 0, 0, 0, 0)
        }
        __lanewise_panic_formatted(template, arguments, place)
    }
}

/// `core::panicking::panic_nounwind_fmt`, which differs only in how a panic would unwind.
///
/// # Safety
/// That of [`__lanewise_panic_fmt`].
#[unsafe(no_mangle)]
#[cold]
unsafe fn __lanewise_panic_nounwind_fmt(
    template: *const u8,
    arguments: *const u8,
    _no_backtrace: bool,
    place: &Location<'_>,
) -> ! {
    // SAFETY: the caller guarantees it.
    unsafe { __lanewise_panic_fmt(template, arguments, place) }
}

/// `core::panicking::panic_bounds_check`, and `bounds::past_the_end` of this crate.
#[unsafe(no_mangle)]
#[cold]
fn __lanewise_panic_bounds(index: usize, len: usize, place: &Location<'_>) -> ! {
    let text = "index out of bounds: the len is {1} but the index is {0}";
    with(place, text, [index as u64, len as u64])
}

/// Takes the place of `bounds::past_the_edge`.
#[unsafe(no_mangle)]
#[cold]
fn __lanewise_panic_edge(
    row: usize,
    column: usize,
    rows: usize,
    columns: usize,
    place: &Location<'_>,
) -> ! {
    let text = "place out of bounds: the tile is {2} x {3} but the place is ({0}, {1})";
    let values = [row as u64, column as u64, rows as u64, columns as u64];
    with(place, text, values)
}

/// Takes the place of `core::slice::index::slice_index_fail`.
#[unsafe(no_mangle)]
#[cold]
fn __lanewise_panic_slice(start: usize, end: usize, len: usize, place: &Location<'_>) -> ! {
    let values = [start as u64, end as u64, len as u64];
    if start > len {
        let text = "range start index {0} out of range for slice of length {2}";
        with(place, text, values)
    }
    // The range may also be inclusive, with `end == len`.
    if end > len || start <= end {
        let text = "range end index {1} out of range for slice of length {2}";
        with(place, text, values)
    }
    with(place, "slice index starts at {0} but ends at {1}", values)
}

/// `len_mismatch_fail` of `copy_from_slice` and `clone_from_slice`.
#[unsafe(no_mangle)]
#[cold]
fn __lanewise_panic_copy(to: usize, from: usize, place: &Location<'_>) -> ! {
    let text =
        "copy_from_slice: source slice length ({1}) does not match destination slice length ({0})";
    with(place, text, [to as u64, from as u64])
}

/// Takes the place of `core::option::expect_failed`.
#[unsafe(no_mangle)]
#[cold]
fn __lanewise_panic_expect(text: &str, place: &Location<'_>) -> ! {
    // SAFETY: the text has its own length.
    unsafe { __lanewise_panic_record(place, text.as_ptr(), text.len(), 0, 0, 0, 0, 0) }
}

/// Takes the place of `core::cell::panic_already_borrowed`.
#[unsafe(no_mangle)]
#[cold]
fn __lanewise_panic_borrowed(place: &Location<'_>) -> ! {
    with(place, "RefCell already borrowed", [])
}

/// Takes the place of `core::cell::panic_already_mutably_borrowed`.
#[unsafe(no_mangle)]
#[cold]
fn __lanewise_panic_mutably_borrowed(place: &Location<'_>) -> ! {
    with(place, "RefCell already mutably borrowed", [])
}
