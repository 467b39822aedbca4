//! Attention against the CPU: lengths that do not fit tiles, heads that share keys, causal, other
//! strides, under all checks.

use lanewise::DeviceBuffer;
use lanewise::checks::{self, Checking};
use lanewise_algorithms::{Attention, Strides};
use lanewise_std::half::{Bf16, F16};

use crate::common::device;

/// Numbers from -1 to 1 without a pattern.
fn numbers(len: usize, seed: usize) -> Vec<f32> {
    let number = |i: usize| ((i + seed) as u32 + 1).wrapping_mul(2_654_435_761) as i32;
    (0..len)
        .map(|i| number(i) as f32 / 2_147_483_648.0)
        .collect()
}

/// Returns the place of a row.
fn row(strides: Strides, [batch, head, row]: [usize; 3]) -> usize {
    batch * strides.batch + head * strides.head + row * strides.row
}

/// Compares the attention of elements of this type with the CPU's.
macro_rules! attention_is_the_cpus {
    ($ty:ident, $of:expr) => {
        let (device, stream) = device();
        let of: Attention = $of;
        let [heads, key_heads, batch] =
            [of.heads, of.key_heads, of.batch].map(|count| count as usize);
        let [queries, keys, columns] =
            [of.queries, of.keys, of.columns].map(|count| count as usize);
        let strides: [Strides; 4] = std::array::from_fn(|i| {
            let (rows, heads) = if i == 1 || i == 2 { (keys, key_heads) } else { (queries, heads) };
            let head = rows * columns;
            of.strides[i].unwrap_or(Strides { row: columns, head, batch: heads * head })
        });
        let len = |rows: usize, heads: usize| batch * heads * rows * columns;
        let rounded = |len: usize, seed: usize, factor: f32| -> Vec<$ty> {
            let numbers = numbers(len, seed).into_iter();
            numbers.map(|x| $ty::from_f32(factor * x)).collect()
        };
        // Queries are long enough that some keys have far more weight than others.
        let q = rounded(len(queries, heads), 0, 8.0);
        let k = rounded(len(keys, key_heads), 77, 1.0);
        let v = rounded(len(keys, key_heads), 991, 1.0);
        let upload = |numbers: &[$ty]| DeviceBuffer::from_slice(&device, numbers).expect("a buffer");
        let (on_q, on_k, on_v) = (upload(&q), upload(&k), upload(&v));
        let mut on_o = upload(&vec![$ty::from_f32(f32::NAN); q.len()]);
        let run = || {
            of.forward(&stream, &on_q, &on_k, &on_v, &mut on_o).expect("attention");
            stream.synchronize().expect("its end");
            Ok::<_, lanewise::MemoryError>(())
        };
        let ((), findings) = checks::of(&device, Checking::all(), run).expect("a run");
        let findings = findings.unwrap_or_default();
        assert!(findings.is_empty(), "{of:?}: {findings:#?}");
        let o = on_o.to_vec().expect("results");
        for place in 0..batch * heads * queries {
            let [of_batch, head, query] = [place / queries / heads, place / queries % heads, place % queries];
            let key_head = head / (heads / key_heads);
            let seen = if of.is_causal { (query + keys + 1).saturating_sub(queries) } else { keys };
            let of_query = &q[row(strides[0], [of_batch, head, query])..][..columns];
            let score = |key: usize| -> f32 {
                let of_key = &k[row(strides[1], [of_batch, key_head, key])..][..columns];
                let products = of_query.iter().zip(of_key).map(|(q, k)| q.to_f32() * k.to_f32());
                products.sum::<f32>() / (columns as f32).sqrt()
            };
            let scores: Vec<f32> = (0..seen).map(score).collect();
            let largest = scores.iter().copied().fold(f32::MIN, f32::max);
            let weights: Vec<f32> = scores.iter().map(|score| (score - largest).exp()).collect();
            let total: f32 = weights.iter().sum();
            let mut sums = vec![0.0f32; columns];
            for (key, weight) in weights.iter().enumerate() {
                let values = &v[row(strides[2], [of_batch, key_head, key])..][..columns];
                sums.iter_mut().zip(values).for_each(|(sum, v)| *sum += weight / total * v.to_f32());
            }
            let found = &o[row(strides[3], [of_batch, head, query])..][..columns];
            for (column, (sum, found)) in sums.iter().zip(found).enumerate() {
                // A rounding of each weight, and one of the result.
                assert!(
                    (found.to_f32() - sum).abs() <= 1.0 / 200.0,
                    "{of:?}, batch {of_batch}, head {head}, query {query}, column {column}: {}, not {sum}",
                    found.to_f32()
                );
            }
        }
    };
}

#[test]
fn attention_is_the_cpus() {
    let of = Attention::new;
    let causal = |heads, queries, keys, columns| Attention {
        is_causal: true,
        ..of(heads, queries, keys, columns)
    };
    attention_is_the_cpus!(Bf16, of(1, 1, 1, 64));
    attention_is_the_cpus!(
        Bf16,
        Attention {
            batch: 2,
            key_heads: 1,
            ..of(2, 130, 300, 64)
        }
    );
    attention_is_the_cpus!(Bf16, causal(1, 257, 257, 64));
    attention_is_the_cpus!(Bf16, causal(1, 40, 400, 128));
    attention_is_the_cpus!(Bf16, causal(1, 200, 70, 72));
    attention_is_the_cpus!(F16, of(1, 65, 513, 128));
    attention_is_the_cpus!(F16, causal(2, 128, 128, 40));
}

/// Rows of all heads follow each other, as a layer makes them.
#[test]
fn attention_takes_strides() {
    let (heads, len, columns) = (3, 70, 64);
    let row = heads * columns;
    let strides = Strides {
        row,
        head: columns,
        batch: len * row,
    };
    let attention = Attention {
        batch: 2,
        strides: [Some(strides); 4],
        ..Attention::new(heads as u32, len as u32, len as u32, columns as u32)
    };
    attention_is_the_cpus!(Bf16, attention);
}

#[test]
fn attention_refuses_what_it_has_no_room_for() {
    let (device, stream) = device();
    let short = DeviceBuffer::from_slice(&device, &[Bf16::from_f32(0.0); 64]).expect("a buffer");
    let mut results = short
        .slice(..)
        .to_vec()
        .map(|all| DeviceBuffer::from_slice(&device, &all));
    let results = results
        .as_mut()
        .expect("elements")
        .as_mut()
        .expect("a buffer");
    let mut error = |of: Attention| {
        let error = of.forward(&stream, &short, &short, &short, results);
        error.expect_err("no room").to_string()
    };
    assert_eq!(
        error(Attention::new(1, 1, 1, 136)),
        "expected at most 128 columns, found 136"
    );
    assert_eq!(
        error(Attention::new(1, 1, 2, 64)),
        "the tensor reaches to byte 256 of a buffer of 128: look at its size, its strides and its offset"
    );
    for (key_heads, found) in [(2, 3), (4, 3), (0, 1)] {
        let of = Attention {
            key_heads,
            ..Attention::new(found, 1, 1, 64)
        };
        assert_eq!(
            error(of),
            format!(
                "expected a multiple of the {key_heads} heads of keys, found {found} heads of queries"
            )
        );
    }
    let none = Attention::new(1, 0, 0, 64);
    none.forward(&stream, &short, &short, &short, results)
        .expect("no queries");
}
