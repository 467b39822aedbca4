//! Iterators: every adaptor of `core`, and iterators of one's own.

use core::iter;
use core::ops::ControlFlow;

use crate::{Out, Random};

crate::case::subject! {
    /// Iterators and adaptors.
    iterators: map, filter, filter_map, zip, unzip, enumerate, chain, rev, step_by, skip_take, skip_while_take_while, map_while,
    scan, flat_map, flatten, peekable, fuse, inspect, cycle, fold, rfold, try_fold, reduce, sum_product, min_max, min_by_key,
    position, find, any_all, count_last_nth, comparison, partition_point, windows, chunks, chunks_exact, rchunks, array_chunks,
    split, successors, from_fn, repeat_n, own_iterator, double_ended, by_ref, is_sorted, copied_cloned, ranges, char_iterators
}

type Numbers = [u32; 11];

fn numbers(random: &mut Random) -> Numbers {
    random.array(|random| random.u32() % 1000)
}

fn put_all(out: &mut Out<'_>, values: impl Iterator<Item = u32>) {
    values.for_each(|value| out.put(value));
}

fn map(random: &mut Random, out: &mut Out<'_>) {
    put_all(out, numbers(random).iter().map(|n| n * 3 + 1));
}

fn filter(random: &mut Random, out: &mut Out<'_>) {
    put_all(out, numbers(random).into_iter().filter(|n| n % 3 != 0));
}

fn filter_map(random: &mut Random, out: &mut Out<'_>) {
    put_all(
        out,
        numbers(random).iter().filter_map(|n| n.checked_sub(400)),
    );
}

fn zip(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (numbers(random), numbers(random));
    put_all(out, a.iter().zip(&b[2..]).map(|(a, b)| a * b));
    out.put(
        iter::zip(a, b)
            .map(|(a, b)| u64::from(a) * u64::from(b))
            .sum::<u64>(),
    );
}

fn unzip(random: &mut Random, out: &mut Out<'_>) {
    let mut halves = [(0, 0); 11];
    for (to, n) in halves.iter_mut().zip(numbers(random)) {
        *to = (n / 2, n % 2);
    }
    let (a, b) = halves.iter().fold((0, 0), |(a, b), (x, y)| (a + x, b + y));
    out.put((a, b));
}

fn enumerate(random: &mut Random, out: &mut Out<'_>) {
    put_all(
        out,
        numbers(random)
            .iter()
            .enumerate()
            .map(|(i, n)| i as u32 * n),
    );
}

fn chain(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (numbers(random), numbers(random));
    put_all(
        out,
        a[..4].iter().chain(&b[7..]).chain(iter::once(&9)).copied(),
    );
}

fn rev(random: &mut Random, out: &mut Out<'_>) {
    put_all(out, numbers(random).into_iter().rev());
    put_all(out, (0..random.u32() % 9).rev());
}

fn step_by(random: &mut Random, out: &mut Out<'_>) {
    let step = random.below(5) + 1;
    put_all(out, numbers(random).into_iter().step_by(step));
    put_all(out, (3..40).step_by(step * 3));
}

fn skip_take(random: &mut Random, out: &mut Out<'_>) {
    let (skip, take) = (random.below(13), random.below(13));
    put_all(out, numbers(random).into_iter().skip(skip).take(take));
}

fn skip_while_take_while(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    put_all(out, values.into_iter().skip_while(|n| *n < 500));
    put_all(out, values.into_iter().take_while(|n| *n < 700));
}

fn map_while(random: &mut Random, out: &mut Out<'_>) {
    put_all(
        out,
        numbers(random)
            .into_iter()
            .map_while(|n| n.checked_sub(100)),
    );
}

fn scan(random: &mut Random, out: &mut Out<'_>) {
    let running = numbers(random).into_iter().scan(0, |sum, n| {
        *sum += n;
        (*sum < 4000).then_some(*sum)
    });
    put_all(out, running);
}

fn flat_map(random: &mut Random, out: &mut Out<'_>) {
    put_all(
        out,
        numbers(random)[..5]
            .iter()
            .flat_map(|n| (0..n % 4).map(move |i| n + i)),
    );
}

fn flatten(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (numbers(random), numbers(random));
    put_all(out, [&a[..2], &[], &b[8..]].into_iter().flatten().copied());
}

fn peekable(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random).into_iter().map(|n| n % 3).peekable();
    while let Some(n) = values.next() {
        let mut run = 1;
        while values.next_if_eq(&n).is_some() {
            run += 1;
        }
        out.put((n, run, values.peek().copied()));
    }
}

fn fuse(random: &mut Random, out: &mut Out<'_>) {
    let mut left = random.u32() % 4;
    let mut values = iter::from_fn(|| {
        left = left.checked_sub(1)?;
        Some(left)
    })
    .fuse();
    for _ in 0..6 {
        out.put(values.next());
    }
}

fn inspect(random: &mut Random, out: &mut Out<'_>) {
    let mut seen = 0;
    let last = numbers(random)
        .into_iter()
        .inspect(|n| seen += n)
        .filter(|n| n % 2 == 1)
        .last();
    out.put((seen, last));
}

fn cycle(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    put_all(
        out,
        values[..3]
            .iter()
            .copied()
            .cycle()
            .skip(random.below(5))
            .take(9),
    );
}

fn fold(random: &mut Random, out: &mut Out<'_>) {
    out.put(
        numbers(random)
            .iter()
            .fold(7u32, |a, n| a.wrapping_mul(31).wrapping_add(*n)),
    );
}

fn rfold(random: &mut Random, out: &mut Out<'_>) {
    out.put(
        numbers(random)
            .iter()
            .rfold(7u32, |a, n| a.wrapping_mul(31).wrapping_add(*n)),
    );
}

fn try_fold(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    out.put(
        values
            .iter()
            .try_fold(0u16, |sum, n| sum.checked_add(u16::try_from(n * 20).ok()?)),
    );
    let stopped = values.iter().try_for_each(|n| {
        if *n > 800 {
            ControlFlow::Break(*n)
        } else {
            ControlFlow::Continue(())
        }
    });
    out.put(match stopped {
        ControlFlow::Break(n) => n,
        ControlFlow::Continue(()) => 0,
    });
}

fn reduce(random: &mut Random, out: &mut Out<'_>) {
    out.put(
        numbers(random)
            .into_iter()
            .reduce(|a, b| a ^ b.rotate_left(a % 32)),
    );
    out.put(iter::empty::<u32>().reduce(|a, b| a + b));
}

fn sum_product(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    out.put(values.iter().sum::<u32>());
    out.put(values.iter().map(|n| u128::from(*n) + 1).product::<u128>());
}

fn min_max(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    out.put((values.iter().min().copied(), values.iter().max().copied()));
    out.put(values[..random.below(3)].iter().max().copied());
}

fn min_by_key(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    out.put(values.into_iter().min_by_key(|n| n % 7));
    out.put(values.into_iter().max_by_key(|n| n % 7));
    out.put(values.into_iter().max_by(|a, b| (a % 10).cmp(&(b % 10))));
}

fn position(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    out.put((
        values.iter().position(|n| *n > 500),
        values.iter().rposition(|n| *n > 500),
    ));
}

fn find(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    out.put((
        values.iter().find(|n| **n % 5 == 0).copied(),
        values.iter().rev().find(|n| **n % 5 == 0).copied(),
    ));
    out.put(values.iter().find_map(|n| n.checked_sub(900)));
}

fn any_all(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    out.put([
        values.iter().any(|n| *n > 990),
        values.iter().all(|n| *n > 10),
    ]);
}

fn count_last_nth(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    let odd = || values.into_iter().filter(|n| n % 2 == 1);
    out.put((
        odd().count(),
        odd().last(),
        odd().nth(2),
        values.iter().nth_back(random.below(12)).copied(),
    ));
}

fn comparison(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (numbers(random), numbers(random));
    let (a, b) = (a.iter().map(|n| n % 2), b.iter().map(|n| n % 2));
    out.put((
        a.clone().cmp(b.clone()),
        a.clone().lt(b.clone()),
        a.clone().eq(a.clone()),
        a.ne(b),
    ));
}

fn partition_point(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    values.sort_unstable();
    out.put(values.partition_point(|n| *n < 300));
}

fn windows(random: &mut Random, out: &mut Out<'_>) {
    put_all(
        out,
        numbers(random).windows(3).map(|w| w[0].max(w[1]).max(w[2])),
    );
}

fn chunks(random: &mut Random, out: &mut Out<'_>) {
    put_all(
        out,
        numbers(random)
            .chunks(random.below(5) + 1)
            .map(|chunk| chunk.iter().sum()),
    );
}

fn chunks_exact(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    let chunks = values.chunks_exact(4);
    out.put(chunks.remainder());
    put_all(out, chunks.map(|chunk| chunk[0] ^ chunk[3]));
}

fn rchunks(random: &mut Random, out: &mut Out<'_>) {
    put_all(
        out,
        numbers(random).rchunks(4).map(|chunk| chunk.iter().sum()),
    );
}

fn array_chunks(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    let (pairs, rest) = values.as_chunks::<2>();
    put_all(out, pairs.iter().map(|[a, b]| a * b));
    out.put(rest);
}

fn split(random: &mut Random, out: &mut Out<'_>) {
    put_all(
        out,
        numbers(random)
            .split(|n| n % 4 == 0)
            .map(|part| part.len() as u32),
    );
    put_all(
        out,
        numbers(random)
            .chunk_by(|a, b| a < b)
            .map(|part| part.len() as u32),
    );
}

fn successors(random: &mut Random, out: &mut Out<'_>) {
    let collatz = iter::successors(Some(random.u32() % 100 + 1), |n| match n {
        1 => None,
        n if n % 2 == 0 => Some(n / 2),
        n => Some(3 * n + 1),
    });
    out.put((collatz.clone().count(), collatz.max()));
}

fn from_fn(random: &mut Random, out: &mut Out<'_>) {
    let (mut a, mut b) = (random.u32() % 5, 1);
    let fibonacci = iter::from_fn(|| {
        (a, b) = (b, a.checked_add(b)?);
        Some(a)
    });
    put_all(out, fibonacci.take(20));
}

fn repeat_n(random: &mut Random, out: &mut Out<'_>) {
    put_all(out, iter::repeat_n(random.u32(), random.below(5)));
    put_all(out, iter::repeat_with(|| random.u32()).take(3));
}

#[derive(Clone)]
struct Digits(u64);

impl Iterator for Digits {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let digit = (self.0 > 0).then_some(self.0 % 10)?;
        self.0 /= 10;
        Some(digit as u32)
    }
}

fn own_iterator(random: &mut Random, out: &mut Out<'_>) {
    let digits = Digits(random.u64());
    out.put((
        digits.clone().count(),
        digits.clone().sum::<u32>(),
        digits.max(),
    ));
}

fn double_ended(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random).into_iter();
    while let (Some(a), Some(b)) = (values.next(), values.next_back()) {
        out.put(a.abs_diff(b));
    }
    out.put(values.len());
}

fn by_ref(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random).into_iter();
    let first = values.by_ref().take(4).sum::<u32>();
    out.put((first, values.sum::<u32>()));
}

fn is_sorted(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    out.put(values[..3].is_sorted());
    values.sort_unstable();
    out.put([
        values.is_sorted(),
        values.iter().rev().is_sorted(),
        values.is_sorted_by_key(|n| n / 2),
    ]);
}

fn copied_cloned(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random).map(Some);
    put_all(out, values.iter().copied().flatten().take(3));
    put_all(out, values.iter().cloned().flatten().skip(8));
}

fn ranges(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (random.i16() % 9, random.i16() % 9);
    out.put([(a..b).count(), (a..=b).count(), (a..b).len()]);
    out.put([(a..b).contains(&0), (a..=b).contains(&b), (a..b).is_empty()]);
    out.put((a..=b).rev().map(i64::from).sum::<i64>());
    for n in [random.u8() | 0xf0, u8::MAX] {
        let mut up_to = 240..=n;
        while let Some(n) = up_to.next() {
            out.put(n);
            if random.bool() {
                out.put(up_to.next_back());
            }
        }
        out.put((
            up_to.next(),
            up_to.next_back(),
            up_to.is_empty(),
            up_to.nth(0),
        ));
    }
    let (a, b) = (i32::from(a), i32::from(b));
    let mut sum = 0;
    for x in a..=b {
        for y in -2..=2 {
            sum += x * y * y;
        }
    }
    out.put(sum);
}

fn char_iterators(random: &mut Random, out: &mut Out<'_>) {
    let start = random.char();
    let end = char::from_u32(u32::from(start).saturating_add(5)).unwrap_or(start);
    out.put((start..=end).count());
    ('a'..'f').rev().for_each(|c| out.put(c));
}
