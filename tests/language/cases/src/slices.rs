//! Slices and arrays: parts of them, searching, sorting, moving.

use crate::{Out, Random};

crate::case::subject! {
    /// Slices and arrays.
    slices: indexing, get, sub_slices, split_at, split_first_last, swap, reverse, rotate, fill, copy_within, copy_from_slice,
    concatenated, contains, starts_with, binary_search, sort_unstable, sort_by_key, select_nth, partition, dedup_in_place,
    iter_mut, chunks_mut, split_at_mut, compare, first_last, array_map, array_equality, array_nested, array_from_fn, array_large,
    array_by_value, slice_to_array, swap_with_slice, get_disjoint, strip_prefix, as_bytes_of, two_dimensional, sorting_network
}

type Numbers = [u32; 13];

fn numbers(random: &mut Random) -> Numbers {
    random.array(|random| random.u32() % 100)
}

fn indexing(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    let (i, j) = (random.below(13), random.below(13));
    values[i] += values[j];
    out.put((values[i], values[12 - i]));
}

fn get(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    let i = random.below(30);
    out.put((
        values.get(i).copied(),
        values.get(i..).map(<[u32]>::len),
        values.get(..=i).map(<[u32]>::len),
    ));
}

fn sub_slices(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    let start = random.below(14);
    let end = start + random.below(14 - start);
    out.put(&values[start..end]);
    out.put([
        values[start..].len(),
        values[..end].iter().filter(|n| **n > 50).count(),
    ]);
}

fn split_at(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    let (a, b) = values.split_at(random.below(14));
    out.put((a.iter().sum::<u32>(), b.iter().sum::<u32>(), a.len()));
    out.put(values.split_at_checked(random.below(30)).is_some());
}

fn split_first_last(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    let mut rest = &values[..random.below(13)];
    while let Some((first, [middle @ .., last])) = rest.split_first() {
        out.put(first ^ last);
        rest = middle;
    }
    out.put(rest.len());
}

fn swap(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    for _ in 0..8 {
        values.swap(random.below(13), random.below(13));
    }
    out.put(values);
}

fn reverse(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    values[random.below(6)..7 + random.below(6)].reverse();
    out.put(values);
}

fn rotate(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    values.rotate_left(random.below(14));
    values[2..9].rotate_right(random.below(8));
    out.put(values);
}

fn fill(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    values[3..3 + random.below(5)].fill(7);
    let mut n = 0;
    values[9..].fill_with(|| {
        n += 2;
        n
    });
    out.put(values);
}

fn copy_within(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    let start = random.below(8);
    values.copy_within(start..start + 5, random.below(9));
    out.put(values);
}

fn copy_from_slice(random: &mut Random, out: &mut Out<'_>) {
    let (mut a, b) = (numbers(random), numbers(random));
    let start = random.below(9);
    a[start..start + 4].copy_from_slice(&b[4..8]);
    a[..2].clone_from_slice(&b[11..]);
    out.put(a);
}

fn concatenated(random: &mut Random, out: &mut Out<'_>) {
    let mut bytes = [0u8; 32];
    let mut end = 0;
    for part in [&b"warp"[..], b", ", b"lane", b"", b"!"] {
        if random.bool() {
            bytes[end..end + part.len()].copy_from_slice(part);
            end += part.len();
        }
    }
    out.put(&bytes[..end]);
}

fn contains(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    out.put([
        values.contains(&50),
        values.contains(&values[random.below(13)]),
    ]);
}

fn starts_with(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    let (a, b) = (random.below(5), random.below(5));
    out.put([
        values.starts_with(&values[a..b.max(a)]),
        values.ends_with(&values[13 - a..]),
        values.starts_with(&[]),
    ]);
}

fn binary_search(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    values.sort_unstable();
    // Of equal elements any may be found: it is put whether the one that was is right.
    let wanted = random.u32() % 100;
    out.put(values.binary_search(&wanted).is_ok());
    out.put(
        values
            .binary_search(&wanted)
            .map_or_else(|i| i, |i| values[i] as usize),
    );
    out.put(
        values
            .binary_search_by_key(&(wanted * 2), |n| n * 2)
            .is_ok(),
    );
}

fn sort_unstable(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    values.sort_unstable();
    out.put(values);
    values.sort_unstable_by(|a, b| b.cmp(a));
    out.put(values);
    let mut many: [u16; 50] = random.array(Random::u16);
    many.sort_unstable();
    out.put([many.is_sorted(), many[25] > many[24]]);
    out.put([many[0], many[17], many[49]]);
}

fn sort_by_key(random: &mut Random, out: &mut Out<'_>) {
    let mut values: [(u8, u32); 9] =
        core::array::from_fn(|i| (i as u8, random.u32() % 1000 * 16 + i as u32));
    values.sort_unstable_by_key(|(_, key)| core::cmp::Reverse(*key));
    out.put(values.map(|(i, _)| i));
}

fn select_nth(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    let n = random.below(13);
    let (below, nth, above) = values.select_nth_unstable(n);
    out.put((below.iter().sum::<u32>(), *nth, above.iter().sum::<u32>()));
}

fn partition(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    let mut end = 0;
    for i in 0..values.len() {
        if values[i] % 2 == 0 {
            values.swap(i, end);
            end += 1;
        }
    }
    out.put(&values[..end]);
    out.put(values[end..].iter().all(|n| n % 2 == 1));
}

fn dedup_in_place(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random).map(|n| n % 3);
    let mut length = 1;
    for i in 1..values.len() {
        if values[i] != values[length - 1] {
            values[length] = values[i];
            length += 1;
        }
    }
    out.put(&values[..length]);
}

fn iter_mut(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    let mut previous = 0;
    for value in &mut values {
        previous += *value;
        *value = previous;
    }
    values.iter_mut().rev().step_by(3).for_each(|n| *n = 1);
    out.put(values);
}

fn chunks_mut(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    for (i, chunk) in values.chunks_mut(random.below(4) + 1).enumerate() {
        chunk.reverse();
        chunk[0] += i as u32;
    }
    out.put(values);
}

fn split_at_mut(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    let (a, b) = values.split_at_mut(6);
    a.swap_with_slice(&mut b[1..]);
    core::mem::swap(&mut a[0], &mut b[0]);
    out.put(values);
}

fn compare(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (
        numbers(random).map(|n| n % 2),
        numbers(random).map(|n| n % 2),
    );
    let (a, b) = (&a[..random.below(4)], &b[..random.below(4)]);
    out.put((a.cmp(b), a == b, a < b));
}

fn first_last(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    let part = &values[..random.below(3)];
    out.put((
        part.first().copied(),
        part.last().copied(),
        part.first_chunk::<2>().copied(),
        part.is_empty(),
    ));
}

fn array_map(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    out.put(values.map(|n| n as u8).map(u64::from));
}

fn array_equality(random: &mut Random, out: &mut Out<'_>) {
    let a: [u8; 16] = random.array(Random::u8);
    let mut b = a;
    out.put(a == b);
    b[random.below(16)] ^= random.u8() & 1;
    out.put([a == b, a[..4] == b[..4], a > b]);
}

fn array_nested(random: &mut Random, out: &mut Out<'_>) {
    let mut cube = [[[0u8; 2]; 3]; 4];
    for _ in 0..10 {
        cube[random.below(4)][random.below(3)][random.below(2)] += 1;
    }
    out.put(cube);
}

fn array_from_fn(random: &mut Random, out: &mut Out<'_>) {
    let n = random.u32();
    let powers: [u32; 6] = core::array::from_fn(|i| n.wrapping_pow(i as u32));
    out.put(powers);
    out.put(powers.each_ref().map(|n| *n & 1));
}

fn array_large(random: &mut Random, out: &mut Out<'_>) {
    let mut counts = [0u16; 64];
    for _ in 0..200 {
        counts[random.below(64)] += 1;
    }
    out.put((
        counts.iter().max().copied(),
        counts.iter().position(|n| *n == 0),
    ));
    out.put(counts.iter().map(|n| u32::from(*n)).sum::<u32>());
}

#[inline(never)]
fn rearranged(mut values: Numbers, by: usize) -> Numbers {
    values.rotate_left(by);
    values
}

fn array_by_value(random: &mut Random, out: &mut Out<'_>) {
    let values = numbers(random);
    let moved = rearranged(values, random.below(13));
    out.put((moved, values[0]));
}

fn slice_to_array(random: &mut Random, out: &mut Out<'_>) {
    let values: [u8; 9] = random.array(Random::u8);
    let start = random.below(8);
    let word: Result<[u8; 4], _> = values[start..].get(..4).unwrap_or_default().try_into();
    out.put(word.ok().map(u32::from_le_bytes));
}

fn swap_with_slice(random: &mut Random, out: &mut Out<'_>) {
    let (mut a, mut b) = (numbers(random), numbers(random));
    let start = random.below(10);
    a[start..start + 3].swap_with_slice(&mut b[..3]);
    out.put((a, b));
}

fn get_disjoint(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    let wanted = [random.below(13), random.below(13)];
    if let Ok([a, b]) = values.get_disjoint_mut(wanted) {
        core::mem::swap(a, b);
        *a += 1;
    } else {
        out.put(0u8);
    }
    out.put(values);
}

fn strip_prefix(random: &mut Random, out: &mut Out<'_>) {
    let words: [&[u8]; 3] = [b"blockIdx", b"block", b"threadIdx"];
    let word = words[random.below(3)];
    out.put(word.strip_prefix(b"block").map(<[u8]>::len));
    out.put(word.strip_suffix(b"Idx").map(<[u8]>::len));
    out.put(word.iter().filter(|byte| byte.is_ascii_uppercase()).count());
}

fn as_bytes_of(random: &mut Random, out: &mut Out<'_>) {
    let values: [u32; 3] = random.array(Random::u32);
    let bytes = values.as_slice().iter().flat_map(|n| n.to_le_bytes());
    out.put(bytes.clone().map(u32::from).sum::<u32>());
    out.put(
        bytes
            .rev()
            .fold(0u64, |hash, byte| hash.wrapping_mul(257) ^ u64::from(byte)),
    );
}

fn two_dimensional(random: &mut Random, out: &mut Out<'_>) {
    let matrix: [[u32; 4]; 3] = random.array(|r| r.array(|r| r.u32() % 100));
    let transposed: [[u32; 3]; 4] =
        core::array::from_fn(|j| core::array::from_fn(|i| matrix[i][j]));
    out.put(transposed);
    out.put(matrix.as_flattened().iter().sum::<u32>());
}

fn sorting_network(random: &mut Random, out: &mut Out<'_>) {
    let mut values: [i16; 4] = random.array(Random::i16);
    for (i, j) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
        if values[i] > values[j] {
            values.swap(i, j);
        }
    }
    out.put(values);
}
