//! Functions as values: closures of every kind, function pointers, recursion.

use core::hint::black_box;

use crate::{Out, Random};

crate::case::subject! {
    /// Closures, function pointers, recursion.
    functions: closure_by_reference, closure_by_mutable_reference, closure_by_move, closure_returned, closure_in_array,
    closure_dyn, closure_composed, closure_once, function_pointer, pointer_table, pointer_compared, method_pointer, generic_callback,
    recursion, mutual_recursion, deep_recursion, recursive_search, early_return
}

fn closure_by_reference(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (random.u32(), random.u32());
    let mix = |x: u32| x.wrapping_mul(a) ^ b;
    out.put([mix(1), mix(mix(2)), mix(a)]);
}

fn closure_by_mutable_reference(random: &mut Random, out: &mut Out<'_>) {
    let mut calls = 0;
    let mut sum = 0u32;
    let mut add = |x: u32| {
        calls += 1;
        sum = sum.wrapping_add(x);
        sum
    };
    out.put([add(random.u32()), add(7), add(random.u32())]);
    out.put((calls, sum));
}

fn closure_by_move(random: &mut Random, out: &mut Out<'_>) {
    let values: [u16; 4] = random.array(Random::u16);
    let pick = move |i: usize| values[i % 4];
    out.put([pick(random.below(100)), pick(3)]);
}

fn adder(n: u32) -> impl Fn(u32) -> u32 + Copy {
    move |x| x.wrapping_add(n)
}

fn closure_returned(random: &mut Random, out: &mut Out<'_>) {
    let add = adder(random.u32());
    let twice = move |x| add(add(x));
    out.put([add(1), twice(1)]);
}

fn closure_in_array(random: &mut Random, out: &mut Out<'_>) {
    let adders = [adder(1), adder(random.u32()), adder(3)];
    out.put(adders.map(|add| add(10)));
    out.put(adders[random.below(3)](100));
}

fn closure_dyn(random: &mut Random, out: &mut Out<'_>) {
    let n = random.u32();
    let double = |x: u32| x.wrapping_mul(2);
    let shift = |x: u32| x.rotate_left(n);
    let steps: [&dyn Fn(u32) -> u32; 3] = [&double, &shift, &|x| x ^ n];
    out.put((0..6).fold(n, |x, i| steps[(i + random.below(2)) % 3](x)));
}

fn closure_composed(random: &mut Random, out: &mut Out<'_>) {
    fn compose<A, B, C>(f: impl Fn(A) -> B, g: impl Fn(B) -> C) -> impl Fn(A) -> C {
        move |x| g(f(x))
    }
    let n = random.u8();
    let f = compose(
        |x: u8| u32::from(x) + 1,
        move |x| u64::from(x) * u64::from(n),
    );
    out.put([f(random.u8()), f(0)]);
}

fn closure_once(random: &mut Random, out: &mut Out<'_>) {
    struct Token(u32);
    fn consume(f: impl FnOnce() -> Token) -> u32 {
        f().0
    }
    let token = Token(random.u32());
    out.put(consume(move || Token(token.0 >> 1)));
}

fn square(x: i64) -> i64 {
    x.wrapping_mul(x)
}

fn negate(x: i64) -> i64 {
    x.wrapping_neg()
}

fn function_pointer(random: &mut Random, out: &mut Out<'_>) {
    let f: fn(i64) -> i64 = if random.bool() { square } else { negate };
    out.put(black_box(f)(random.i64()));
    let g: fn(i64) -> i64 = |x| x ^ 0x55;
    out.put(black_box(g)(random.i64()));
}

fn pointer_table(random: &mut Random, out: &mut Out<'_>) {
    static TABLE: [fn(i64) -> i64; 4] = [square, negate, |x| x >> 3, |x| x.count_ones().into()];
    for _ in 0..6 {
        out.put(TABLE[random.below(4)](random.i64()));
    }
}

fn pointer_compared(random: &mut Random, out: &mut Out<'_>) {
    let both: [fn(i64) -> i64; 2] = [square, negate];
    let f = both[random.below(2)];
    out.put([
        f as usize == both[0] as usize,
        f as usize == both[1] as usize,
        f as usize == 0,
    ]);
}

fn method_pointer(random: &mut Random, out: &mut Out<'_>) {
    let methods: [fn(u32, u32) -> u32; 3] =
        [u32::wrapping_add, u32::wrapping_mul, u32::rotate_right];
    out.put(methods[random.below(3)](random.u32(), random.u32()));
    out.put(random.array::<_, 3>(Random::u32).map(u32::leading_zeros));
}

fn generic_callback(random: &mut Random, out: &mut Out<'_>) {
    fn visit<F: FnMut(usize, u8)>(bytes: &[u8], mut visitor: F) {
        for (i, byte) in bytes.iter().enumerate() {
            visitor(i, *byte);
        }
    }
    let bytes: [u8; 5] = random.array(Random::u8);
    let mut checksum = 0usize;
    visit(&bytes, |i, byte| {
        checksum = checksum * 31 + i * usize::from(byte)
    });
    out.put(checksum);
}

fn recursion(random: &mut Random, out: &mut Out<'_>) {
    fn ackermann(m: u32, n: u32) -> u32 {
        match (m, n) {
            (0, n) => n + 1,
            (m, 0) => ackermann(m - 1, 1),
            (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
        }
    }
    out.put(ackermann(random.u32() % 3, random.u32() % 4));
}

fn mutual_recursion(random: &mut Random, out: &mut Out<'_>) {
    fn is_even(n: u32) -> bool {
        n == 0 || is_odd(n - 1)
    }
    fn is_odd(n: u32) -> bool {
        n != 0 && is_even(n - 1)
    }
    let n = random.u32() % 12;
    out.put([is_even(n), is_odd(n)]);
}

fn deep_recursion(random: &mut Random, out: &mut Out<'_>) {
    // What is done after the call keeps each frame alive.
    fn digits(n: u64, out: &mut Out<'_>) -> u32 {
        if n == 0 {
            return 0;
        }
        let count = digits(n / 7, out);
        out.put(n % 7);
        count + 1
    }
    let n = random.u64();
    let count = digits(n, out);
    out.put(count);
}

fn recursive_search(random: &mut Random, out: &mut Out<'_>) {
    fn find(values: &[u16], wanted: u16) -> Option<usize> {
        let middle = values.len() / 2;
        match values.get(middle)?.cmp(&wanted) {
            core::cmp::Ordering::Equal => Some(middle),
            core::cmp::Ordering::Greater => find(&values[..middle], wanted),
            core::cmp::Ordering::Less => {
                find(&values[middle + 1..], wanted).map(|i| middle + 1 + i)
            }
        }
    }
    let values: [u16; 16] = core::array::from_fn(|i| (i * i) as u16);
    out.put(find(&values, random.u16() % 300));
    out.put(find(&values, values[random.below(16)]));
}

fn early_return(random: &mut Random, out: &mut Out<'_>) {
    let values: [u8; 8] = random.array(Random::u8);
    let found = 'search: {
        for (i, a) in values.iter().enumerate() {
            for b in &values[i + 1..] {
                if a == b {
                    break 'search Some(*a);
                }
            }
        }
        None
    };
    out.put(found);
}
