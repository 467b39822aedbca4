//! Memory: volatile accesses, raw pointers, unions, transmutation, cells, statics, drops.

use core::cell::{Cell, OnceCell, RefCell, UnsafeCell};
use core::mem::{self, ManuallyDrop, MaybeUninit};
use core::ptr;

use crate::{Out, Random};

crate::case::subject! {
    /// Memory and its types.
    memory: volatile, pointer_arithmetic, pointer_copies, unaligned, slices_from_raw, maybe_uninit, transmute, unions,
    representations, packed, alignment, swap_take_replace, cell, ref_cell, once_cell, unsafe_cell, manually_drop, drop_order,
    drop_in_loops, drop_on_early_return, drop_of_temporaries, drop_of_fields, forget, statics, statics_with_pointers,
    statics_of_slices, statics_of_functions, const_blocks, provenance, pointer_compare, null_checks, non_null, zero_sized,
    scope_shadowing, pinning, futures
}

fn volatile(random: &mut Random, out: &mut Out<'_>) {
    let mut value = random.u64();
    let pointer = &raw mut value;
    // SAFETY: the pointer is to a local variable.
    unsafe {
        pointer.write_volatile(pointer.read_volatile() ^ 0xff);
        out.put([
            pointer.read_volatile(),
            pointer.read_volatile().rotate_left(4),
        ]);
    }
}

fn pointer_arithmetic(random: &mut Random, out: &mut Out<'_>) {
    let values: [u32; 8] = random.array(Random::u32);
    let (start, i) = (values.as_ptr(), random.below(8));
    // SAFETY: all within the array.
    unsafe {
        out.put([*start.add(i), *start.add(7).sub(i)]);
        out.put(start.add(i).offset_from(start));
        out.put(start.byte_add(4 * i).read());
    }
}

fn pointer_copies(random: &mut Random, out: &mut Out<'_>) {
    let mut values: [u8; 12] = random.array(Random::u8);
    let start = values.as_mut_ptr();
    // SAFETY: both ends are within the array.
    unsafe {
        ptr::copy(start.add(random.below(4)), start.add(random.below(4)), 8);
        ptr::copy_nonoverlapping(start, start.add(6), 3);
        ptr::swap(start, start.add(11));
        start.add(5).write_bytes(0xaa, 2);
    }
    out.put(values);
}

fn unaligned(random: &mut Random, out: &mut Out<'_>) {
    let mut bytes: [u8; 16] = random.array(Random::u8);
    let at = bytes.as_mut_ptr().wrapping_add(random.below(8));
    // SAFETY: within the array, and not asked to be aligned.
    unsafe {
        let word = at.cast::<u64>().read_unaligned();
        out.put(word);
        at.cast::<u32>().write_unaligned(word as u32 ^ 0x1234_5678);
    }
    out.put(bytes);
}

fn slices_from_raw(random: &mut Random, out: &mut Out<'_>) {
    let mut values: [u16; 6] = random.array(Random::u16);
    // SAFETY: the same memory in other types of no greater alignment.
    unsafe {
        let bytes = core::slice::from_raw_parts(values.as_ptr().cast::<u8>(), 12);
        out.put(bytes);
        let pairs = core::slice::from_raw_parts_mut(values.as_mut_ptr().cast::<[u16; 2]>(), 3);
        pairs.swap(0, 2);
    }
    out.put(values);
}

fn maybe_uninit(random: &mut Random, out: &mut Out<'_>) {
    let mut values = [const { MaybeUninit::<u32>::uninit() }; 8];
    let count = random.below(9);
    for value in &mut values[..count] {
        value.write(random.u32());
    }
    // SAFETY: these have been written.
    let written = unsafe { core::slice::from_raw_parts(values.as_ptr().cast::<u32>(), count) };
    out.put(written);
}

fn transmute(random: &mut Random, out: &mut Out<'_>) {
    // SAFETY: all bits are values of these types, or were made as one.
    unsafe {
        out.put(mem::transmute::<[u8; 8], u64>(random.array(Random::u8)));
        out.put(mem::transmute::<u128, [u16; 8]>(random.u128()));
        out.put(mem::transmute::<u8, bool>(random.u8() & 1));
        out.put(mem::transmute::<f32, [u8; 4]>(random.i16().into()));
        out.put(mem::transmute_copy::<[u32; 2], u32>(&[random.u32(), 0]));
    }
}

#[repr(C)]
union Bits {
    float: f32,
    word: u32,
    bytes: [u8; 4],
}

fn unions(random: &mut Random, out: &mut Out<'_>) {
    let mut bits = Bits {
        float: random.i16().into(),
    };
    // SAFETY: every field takes all bits.
    unsafe {
        out.put((bits.word, bits.bytes));
        bits.bytes[3] ^= 0x80;
        out.put(bits.float);
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Mixed {
    a: u8,
    b: u32,
    c: u16,
    d: u128,
}

fn representations(random: &mut Random, out: &mut Out<'_>) {
    out.put([
        size_of::<Mixed>(),
        align_of::<Mixed>(),
        mem::offset_of!(Mixed, b),
        mem::offset_of!(Mixed, d),
    ]);
    let mixed = Mixed {
        a: random.u8(),
        b: random.u32(),
        c: random.u16(),
        d: random.u128(),
    };
    let mut array = [mixed; 3];
    array[random.below(3)].c = 7;
    out.put(array.map(|mixed| u64::from(mixed.a) + u64::from(mixed.b) + u64::from(mixed.c)));
    out.put(array[1].d);
}

#[repr(C, packed)]
#[derive(Clone, Copy)]
struct Packed {
    tag: u8,
    value: u64,
    rest: u16,
}

fn packed(random: &mut Random, out: &mut Out<'_>) {
    let mut all = [Packed {
        tag: 1,
        value: random.u64(),
        rest: random.u16(),
    }; 3];
    all[random.below(3)].value ^= u64::MAX;
    all[1].tag += 1;
    out.put(all.map(|packed| (packed.tag, { packed.value }, { packed.rest })));
    out.put(size_of_val(&all));
}

#[repr(align(64))]
struct Aligned([u8; 3]);

fn alignment(random: &mut Random, out: &mut Out<'_>) {
    let aligned = [Aligned(random.array(Random::u8)), Aligned([4; 3])];
    out.put([
        size_of::<Aligned>(),
        align_of::<Aligned>(),
        (&raw const aligned[1]).addr() % 64,
    ]);
    out.put((aligned[0].0, aligned[1].0));
}

fn swap_take_replace(random: &mut Random, out: &mut Out<'_>) {
    let (mut a, mut b) = ([random.u64(); 3], [random.u64(); 3]);
    mem::swap(&mut a, &mut b);
    let c = mem::replace(&mut a[1], 5);
    let d = mem::take(&mut b);
    out.put((a, b, c, d));
}

fn cell(random: &mut Random, out: &mut Out<'_>) {
    let cell = Cell::new(random.u32());
    let (a, b) = (&cell, &cell);
    a.set(b.get().wrapping_add(1));
    out.put((a.replace(9), b.get(), a.take(), b.get()));
    let mut values: [u16; 4] = random.array(Random::u16);
    let cells = Cell::from_mut(&mut values[..]).as_slice_of_cells();
    cells[0].swap(&cells[3]);
    out.put(values);
}

fn ref_cell(random: &mut Random, out: &mut Out<'_>) {
    let cell = RefCell::new([random.u8(); 3]);
    cell.borrow_mut()[random.below(3)] ^= 1;
    let first = cell.borrow();
    out.put([cell.try_borrow().is_ok(), cell.try_borrow_mut().is_ok()]);
    drop(first);
    out.put(cell.try_borrow_mut().is_ok());
    out.put(cell.into_inner());
}

fn once_cell(random: &mut Random, out: &mut Out<'_>) {
    let cell = OnceCell::new();
    let mut calls = 0;
    for _ in 0..3 {
        let value = *cell.get_or_init(|| {
            calls += 1;
            random.u32()
        });
        out.put(value);
    }
    out.put((calls, cell.set(1).is_err()));
}

fn unsafe_cell(random: &mut Random, out: &mut Out<'_>) {
    struct Counter(UnsafeCell<u32>);
    impl Counter {
        fn count(&self) -> u32 {
            // SAFETY: no reference to the number outlives a call, and one thread has it.
            unsafe {
                *self.0.get() += 1;
                *self.0.get()
            }
        }
    }
    let counter = Counter(UnsafeCell::new(random.u32() % 100));
    out.put([counter.count(), counter.count(), counter.count()]);
}

/// Notes when it is dropped.
struct Noted<'a>(&'a Cell<u64>, u64);

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.0
            .set(self.0.get().wrapping_mul(31).wrapping_add(self.1));
    }
}

fn manually_drop(random: &mut Random, out: &mut Out<'_>) {
    let notes = Cell::new(0);
    let mut kept = ManuallyDrop::new(Noted(&notes, random.u64()));
    let _never = ManuallyDrop::new(Noted(&notes, 3));
    out.put(notes.get());
    // SAFETY: it is dropped here only.
    unsafe { ManuallyDrop::drop(&mut kept) };
    out.put(notes.get());
}

fn drop_order(random: &mut Random, out: &mut Out<'_>) {
    let notes = Cell::new(1);
    {
        let _a = Noted(&notes, random.u64());
        let b = Noted(&notes, 2);
        let _c = Noted(&notes, 3);
        drop(b);
        out.put(notes.get());
    }
    out.put(notes.get());
}

fn drop_in_loops(random: &mut Random, out: &mut Out<'_>) {
    let notes = Cell::new(1);
    for i in 0..6 {
        let _noted = Noted(&notes, i);
        if random.bool() {
            continue;
        }
        let _inner = Noted(&notes, 100);
        if random.below(4) == 0 {
            break;
        }
    }
    out.put(notes.get());
}

fn drop_on_early_return(random: &mut Random, out: &mut Out<'_>) {
    fn attempt(random: &mut Random, notes: &Cell<u64>) -> Option<u32> {
        let _a = Noted(notes, 1);
        let n = random.u32().checked_sub(1 << 20)?;
        let _b = Noted(notes, 2);
        let n = n.checked_mul(2)?;
        let _c = Noted(notes, 3);
        Some(n)
    }
    let notes = Cell::new(1);
    out.put(attempt(random, &notes));
    out.put(notes.get());
}

fn drop_of_temporaries(random: &mut Random, out: &mut Out<'_>) {
    let notes = Cell::new(1);
    fn value(noted: &Noted<'_>) -> u64 {
        noted.1
    }
    let sum = value(&Noted(&notes, 5)) + notes.get() + value(&Noted(&notes, random.u64() >> 1));
    out.put((sum, notes.get()));
    match Noted(&notes, 6).1 {
        n => out.put((n, notes.get())),
    }
    let _ = Noted(&notes, 7);
    out.put(notes.get());
}

fn drop_of_fields(random: &mut Random, out: &mut Out<'_>) {
    struct Outer<'a> {
        _first: Noted<'a>,
        _second: [Noted<'a>; 2],
        last: Option<Noted<'a>>,
    }
    let notes = Cell::new(1);
    let noted = |n| Noted(&notes, n);
    let mut outer = Outer {
        _first: noted(1),
        _second: [noted(2), noted(3)],
        last: None,
    };
    if random.bool() {
        outer.last = Some(noted(4));
    }
    outer._second[0] = noted(random.u64());
    out.put(notes.get());
    let moved = outer.last.take();
    drop(outer);
    out.put(notes.get());
    drop(moved);
    out.put(notes.get());
}

fn forget(random: &mut Random, out: &mut Out<'_>) {
    let notes = Cell::new(random.u64());
    mem::forget(Noted(&notes, 1));
    out.put((
        notes.get(),
        mem::needs_drop::<Noted<'_>>(),
        mem::needs_drop::<u8>(),
    ));
}

static TABLE: [u32; 6] = [3, 1, 4, 1, 5, 9];
static POINTERS: [&u32; 3] = [&TABLE[2], &TABLE[5], &77];

struct Entry {
    name: &'static str,
    parts: &'static [&'static [u8]],
    next: Option<&'static Entry>,
}

static LAST: Entry = Entry {
    name: "last",
    parts: &[b"end"],
    next: None,
};
static FIRST: Entry = Entry {
    name: "first",
    parts: &[b"a", b"bc", b""],
    next: Some(&LAST),
};

fn statics(random: &mut Random, out: &mut Out<'_>) {
    out.put(TABLE[random.below(6)]);
    out.put(TABLE.iter().sum::<u32>());
}

fn statics_with_pointers(random: &mut Random, out: &mut Out<'_>) {
    out.put(*POINTERS[random.below(3)]);
    out.put(ptr::eq(POINTERS[0], &TABLE[2]));
    // SAFETY: still within the table.
    out.put(unsafe { *ptr::from_ref(POINTERS[0]).sub(1) });
}

fn statics_of_slices(random: &mut Random, out: &mut Out<'_>) {
    let mut entry = Some(&FIRST);
    while let Some(at) = entry {
        out.put(at.name);
        out.put(at.parts[random.below(at.parts.len())]);
        entry = at.next;
    }
}

fn statics_of_functions(random: &mut Random, out: &mut Out<'_>) {
    static STEPS: &[(&str, fn(u64) -> u64)] = &[
        ("not", |x| !x),
        ("half", |x| x / 2),
        ("ones", |x| x.count_ones().into()),
    ];
    let (name, step) = STEPS[random.below(3)];
    out.put(name);
    out.put(step(random.u64()));
}

fn const_blocks(random: &mut Random, out: &mut Out<'_>) {
    const SQUARES: [u32; 8] = {
        let mut squares = [0; 8];
        let mut i = 0;
        while i < 8 {
            squares[i] = (i * i) as u32;
            i += 1;
        }
        squares
    };
    out.put((SQUARES[random.below(8)], const { size_of::<Mixed>() * 2 }));
}

fn provenance(random: &mut Random, out: &mut Out<'_>) {
    let values: [u32; 4] = random.array(Random::u32);
    let tagged = values[1..].as_ptr().map_addr(|address| address | 1);
    out.put(tagged.addr() & 1);
    // SAFETY: without the tag it is the pointer that it was.
    out.put(unsafe { *tagged.map_addr(|address| address & !1) });
    let exposed = values.as_ptr().expose_provenance();
    // SAFETY: the address is that of the array.
    out.put(unsafe { *ptr::with_exposed_provenance::<u32>(exposed + 12) });
}

fn pointer_compare(random: &mut Random, out: &mut Out<'_>) {
    let values: [u8; 8] = random.array(Random::u8);
    let (a, b) = (&values[random.below(8)], &values[random.below(8)]);
    out.put((
        ptr::eq(a, b),
        ptr::from_ref(a) < ptr::from_ref(b),
        ptr::from_ref(a).cmp(&ptr::from_ref(b)),
    ));
}

fn null_checks(random: &mut Random, out: &mut Out<'_>) {
    let value = random.u32();
    let pointer = if random.bool() {
        &raw const value
    } else {
        ptr::null()
    };
    out.put(pointer.is_null());
    // SAFETY: null, or of a variable.
    out.put(unsafe { pointer.as_ref() }.copied());
}

fn non_null(random: &mut Random, out: &mut Out<'_>) {
    let mut value = random.u32();
    let pointer = ptr::NonNull::from(&mut value);
    // SAFETY: of a variable that is not used otherwise meanwhile.
    unsafe { *pointer.as_ptr() ^= 0xff };
    out.put((value, size_of::<Option<ptr::NonNull<u32>>>()));
    out.put(ptr::NonNull::<u64>::dangling().addr().get());
}

fn zero_sized(random: &mut Random, out: &mut Out<'_>) {
    let units = [(); 7];
    out.put((
        units.len(),
        size_of_val(&units),
        units.iter().count(),
        random.bool(),
    ));
}

fn scope_shadowing(random: &mut Random, out: &mut Out<'_>) {
    let x = random.u32() % 100;
    let y = {
        let x = x + 1;
        let x = x * x;
        x - 1
    };
    let (x, mut z) = (y - x, x);
    z += x;
    out.put((x, y, z));
}

fn pinning(random: &mut Random, out: &mut Out<'_>) {
    let mut pinned = core::pin::pin!([random.u8(); 2]);
    pinned.as_mut().get_mut()[1] = 3;
    out.put(*pinned);
}

fn futures(random: &mut Random, out: &mut Out<'_>) {
    use core::future::Future;
    use core::task::{Context, Poll, Waker};
    struct Countdown(u32);
    impl Future for Countdown {
        type Output = u32;
        fn poll(mut self: core::pin::Pin<&mut Self>, _: &mut Context<'_>) -> Poll<u32> {
            self.0 = self.0.saturating_sub(1);
            if self.0 == 0 {
                Poll::Ready(7)
            } else {
                Poll::Pending
            }
        }
    }
    let (a, b) = (random.u32() % 5, random.u32() % 3);
    let mut task = core::pin::pin!(async move { Countdown(a).await * 10 + Countdown(b).await + a });
    let mut context = Context::from_waker(Waker::noop());
    let mut polls = 0;
    let result = loop {
        polls += 1;
        if let Poll::Ready(value) = task.as_mut().poll(&mut context) {
            break value;
        }
    };
    out.put((polls, result));
}
