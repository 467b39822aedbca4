//! Control flow, and the small types of `core`: loops, labels, ranges, time, wrappers, ordering.

use core::cmp::{Ordering, Reverse};
use core::num::{NonZeroI32, NonZeroU8, Saturating, Wrapping};
use core::ops::{Bound, ControlFlow, RangeBounds};
use core::time::Duration;

use crate::{Out, Random};

crate::case::subject! {
    /// Control flow and small types.
    control: while_loops, labelled_loops, loop_values, nested_breaks, unrolled_loops, data_dependent_loops, short_circuits,
    divergent_calls, range_bounds, durations, wrapping_type, saturating_type, non_zero, reverse_ordering, ordering_chains,
    tuple_ordering, control_flow_type, bit_fields, checksums, greatest_divisor, primes, matrix_power, floyd_cycle, binary_gcd,
    bit_counting_loop, knapsack, edit_distance, permutations, queens, life
}

fn while_loops(random: &mut Random, out: &mut Out<'_>) {
    let (mut n, mut steps) = (random.u32() % 1000 + 1, 0);
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    out.put(steps);
}

fn labelled_loops(random: &mut Random, out: &mut Out<'_>) {
    let limit = random.u32() % 60;
    let mut visited = 0;
    'rows: for i in 0..8 {
        for j in 0..8 {
            if i * j > limit {
                continue 'rows;
            }
            if i + j == 13 {
                break 'rows;
            }
            visited += i ^ j;
        }
    }
    out.put(visited);
}

fn loop_values(random: &mut Random, out: &mut Out<'_>) {
    let found = loop {
        let n = random.u32();
        if n % 7 == 3 {
            break n;
        }
    };
    out.put(found);
}

fn nested_breaks(random: &mut Random, out: &mut Out<'_>) {
    let n = random.u32();
    out.put('outer: {
        let half = 'inner: {
            if n % 2 == 0 {
                break 'inner n / 2;
            }
            if n % 3 == 0 {
                break 'outer 1;
            }
            n
        };
        half ^ 5
    });
}

fn unrolled_loops(random: &mut Random, out: &mut Out<'_>) {
    let values: [u32; 16] = random.array(Random::u32);
    let mut sums = [0u32; 4];
    for i in 0..16 {
        sums[i % 4] = sums[i % 4].wrapping_add(values[i].wrapping_mul(i as u32));
    }
    out.put(sums);
}

// Each thread leaves after another number of turns.
fn data_dependent_loops(random: &mut Random, out: &mut Out<'_>) {
    let (mut a, mut b) = (random.u64() >> 20, random.u64() >> 40 | 1);
    let mut turns = 0;
    while a != 0 {
        (a, b) = (b % (a | 1), a);
        turns += 1;
        if turns > 200 {
            break;
        }
    }
    out.put((turns, b));
}

fn short_circuits(random: &mut Random, out: &mut Out<'_>) {
    let mut calls = 0;
    let mut check = |result: bool| {
        calls += 1;
        result
    };
    let (a, b) = (random.bool(), random.bool());
    out.put([
        check(a) && check(b),
        check(a) || check(b),
        check(a) & check(b),
        check(a) ^ check(b),
    ]);
    out.put(calls);
}

fn divergent_calls(random: &mut Random, out: &mut Out<'_>) {
    #[inline(never)]
    fn deep(n: u32, random: &mut Random) -> u32 {
        if n == 0 {
            random.u32() % 10
        } else {
            deep(n - 1, random) + n
        }
    }
    #[inline(never)]
    fn flat(n: u32) -> u32 {
        (0..n).map(|i| i * i).sum()
    }
    let n = random.u32() % 9;
    out.put(if random.bool() {
        deep(n, random)
    } else {
        flat(n)
    });
    out.put(deep(2, random));
}

fn range_bounds(random: &mut Random, out: &mut Out<'_>) {
    fn length(range: impl RangeBounds<u32>) -> u32 {
        let start = match range.start_bound() {
            Bound::Included(n) => *n,
            Bound::Excluded(n) => n + 1,
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(n) => n + 1,
            Bound::Excluded(n) => *n,
            Bound::Unbounded => 1000,
        };
        end.saturating_sub(start)
    }
    let (a, b) = (random.u32() % 500, random.u32() % 500);
    out.put([
        length(a..b),
        length(a..=b),
        length(..b),
        length(a..),
        length(..),
    ]);
}

fn durations(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (
        Duration::from_nanos(random.u64()),
        Duration::from_millis(random.u64() % 10_000),
    );
    out.put((a.as_secs(), a.subsec_nanos(), a.as_micros()));
    out.put((
        a.checked_sub(b).map(|d| d.as_nanos()),
        (b * 3).as_millis(),
        a.cmp(&b),
    ));
    out.put(b.as_secs_f64());
}

fn wrapping_type(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (Wrapping(random.i32()), Wrapping(random.i32()));
    out.put([(a + b).0, (a * b).0, (-a).0, (a << 33).0, (a - b * a).0]);
}

fn saturating_type(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (Saturating(random.i8()), Saturating(random.i8()));
    out.put([(a + b).0, (a * b).0, (a - b).0, (-a).0]);
}

fn non_zero(random: &mut Random, out: &mut Out<'_>) {
    let a = NonZeroU8::new(random.u8() % 4);
    out.put(a.map(|a| {
        (
            a.get(),
            a.leading_zeros(),
            a.checked_mul(a).map(NonZeroU8::get),
        )
    }));
    out.put(NonZeroI32::new(random.i32()).map(|n| n.unsigned_abs().get()));
}

fn reverse_ordering(random: &mut Random, out: &mut Out<'_>) {
    let mut values: [Reverse<u16>; 6] = random.array(|r| Reverse(r.u16()));
    values.sort_unstable();
    out.put(values.map(|Reverse(n)| n));
}

fn ordering_chains(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([u8; 3], [u8; 3]) = (random.array(|r| r.u8() % 2), random.array(|r| r.u8() % 2));
    let order = a[0]
        .cmp(&b[0])
        .then_with(|| b[1].cmp(&a[1]))
        .then(a[2].cmp(&b[2]));
    out.put((
        order,
        order.is_le(),
        order == Ordering::Equal,
        order.reverse(),
    ));
}

fn tuple_ordering(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (
        (random.u8() % 2, random.i8(), 'x'),
        (random.u8() % 2, random.i8(), 'x'),
    );
    out.put((a < b, a.cmp(&b), a.max(b)));
}

fn control_flow_type(random: &mut Random, out: &mut Out<'_>) {
    let flow: ControlFlow<u32, u32> = if random.bool() {
        ControlFlow::Break(random.u32())
    } else {
        ControlFlow::Continue(1)
    };
    out.put((flow.is_break(), flow.break_value(), flow.continue_value()));
}

fn bit_fields(random: &mut Random, out: &mut Out<'_>) {
    #[derive(Clone, Copy)]
    struct Word(u32);
    impl Word {
        fn field(self, low: u32, bits: u32) -> u32 {
            self.0 >> low & ((1 << bits) - 1)
        }
        fn with(self, low: u32, bits: u32, value: u32) -> Word {
            let mask = ((1 << bits) - 1) << low;
            Word(self.0 & !mask | value << low & mask)
        }
    }
    let word = Word(random.u32());
    out.put([
        word.field(0, 8),
        word.field(23, 9),
        word.with(4, 12, random.u32()).0,
    ]);
}

fn checksums(random: &mut Random, out: &mut Out<'_>) {
    let bytes: [u8; 24] = random.array(Random::u8);
    let crc = bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            crc >> 1 ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
        })
    });
    let (a, b) = bytes.iter().fold((1u32, 0u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    out.put((!crc, b << 16 | a));
}

fn greatest_divisor(random: &mut Random, out: &mut Out<'_>) {
    fn divisor(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { divisor(b, a % b) }
    }
    out.put(divisor(random.u64(), random.u64()));
}

fn primes(random: &mut Random, out: &mut Out<'_>) {
    let mut sieve = [true; 100];
    for n in 2..10 {
        if sieve[n] {
            (n * n..100).step_by(n).for_each(|i| sieve[i] = false);
        }
    }
    out.put((
        sieve[2..].iter().filter(|prime| **prime).count(),
        sieve[random.below(98) + 2],
    ));
}

fn matrix_power(random: &mut Random, out: &mut Out<'_>) {
    type Matrix = [[u64; 2]; 2];
    fn times(a: Matrix, b: Matrix) -> Matrix {
        core::array::from_fn(|i| {
            core::array::from_fn(|j| {
                a[i][0]
                    .wrapping_mul(b[0][j])
                    .wrapping_add(a[i][1].wrapping_mul(b[1][j]))
            })
        })
    }
    let (mut power, mut base, mut n) = ([[1, 0], [0, 1]], [[1, 1], [1, 0]], random.u32() % 200);
    while n > 0 {
        if n % 2 == 1 {
            power = times(power, base);
        }
        base = times(base, base);
        n /= 2;
    }
    out.put(power);
}

fn floyd_cycle(random: &mut Random, out: &mut Out<'_>) {
    let (a, c) = (random.u32() % 97, random.u32() % 97);
    let step = |x: u32| (x * x + a) % 97;
    let (mut slow, mut fast) = (step(c), step(step(c)));
    while slow != fast {
        (slow, fast) = (step(slow), step(step(fast)));
    }
    let mut length = 1;
    fast = step(slow);
    while slow != fast {
        fast = step(fast);
        length += 1;
    }
    out.put(length);
}

fn binary_gcd(random: &mut Random, out: &mut Out<'_>) {
    let (mut a, mut b) = (random.u128() | 1, random.u128() | 1);
    while a != b {
        if a < b {
            core::mem::swap(&mut a, &mut b);
        }
        a -= b;
        a >>= a.trailing_zeros();
    }
    out.put(a);
}

fn bit_counting_loop(random: &mut Random, out: &mut Out<'_>) {
    let (n, mut left, mut count) = (random.u64(), 0u64, 0);
    left |= n;
    while left != 0 {
        left &= left - 1;
        count += 1;
    }
    out.put((count, n.count_ones()));
}

fn knapsack(random: &mut Random, out: &mut Out<'_>) {
    let mut best = [0u32; 32];
    for _ in 0..6 {
        let (weight, worth) = (random.below(12) + 1, random.u32() % 100);
        for room in (weight..32).rev() {
            best[room] = best[room].max(best[room - weight] + worth);
        }
    }
    out.put((best[31], best[10]));
}

fn edit_distance(random: &mut Random, out: &mut Out<'_>) {
    let (a, b): ([u8; 9], [u8; 7]) = (random.array(|r| r.u8() % 3), random.array(|r| r.u8() % 3));
    let mut row: [usize; 8] = core::array::from_fn(|i| i);
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = core::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let cost = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(diagonal + 1).min(row[j] + 1);
        }
    }
    out.put(row[7]);
}

fn permutations(random: &mut Random, out: &mut Out<'_>) {
    let mut values: [u8; 5] = core::array::from_fn(|i| i as u8);
    for _ in 0..random.below(120) {
        let Some(i) = (0..4).rev().find(|i| values[*i] < values[i + 1]) else {
            values.reverse();
            continue;
        };
        let j = (i + 1..5)
            .rev()
            .find(|j| values[*j] > values[i])
            .unwrap_or(i);
        values.swap(i, j);
        values[i + 1..].reverse();
    }
    out.put(values);
}

fn queens(random: &mut Random, out: &mut Out<'_>) {
    fn place(row: u32, size: u32, columns: u32, left: u32, right: u32) -> u32 {
        if row == size {
            return 1;
        }
        let mut free = !(columns | left | right) & ((1 << size) - 1);
        let mut count = 0;
        while free != 0 {
            let bit = free & free.wrapping_neg();
            free ^= bit;
            count += place(
                row + 1,
                size,
                columns | bit,
                (left | bit) << 1,
                (right | bit) >> 1,
            );
        }
        count
    }
    out.put(place(0, random.u32() % 3 + 3, 0, 0, 0));
}

fn life(random: &mut Random, out: &mut Out<'_>) {
    let mut board = random.u64();
    for _ in 0..3 {
        let at = |board: u64, x: i32, y: i32| board >> (x.rem_euclid(8) + y.rem_euclid(8) * 8) & 1;
        let next = (0..64).fold(0, |next, i| {
            let (x, y) = (i % 8, i / 8);
            let near: u64 = (-1..=1)
                .flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)))
                .filter(|d| *d != (0, 0))
                .map(|(dx, dy)| at(board, x + dx, y + dy))
                .sum();
            let alive = near == 3 || (near == 2 && at(board, x, y) == 1);
            next | u64::from(alive) << i
        });
        board = next;
    }
    out.put(board);
}
