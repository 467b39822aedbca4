//! What the arms of the diverging branches compute.

/// The arm of the even: `steps` steps of a linear congruential generator.
pub fn stretch(x: u32, steps: u32) -> u32 {
    (0..steps).fold(x, |x, _| {
        x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
    })
}

/// The arm of the odd: `steps` steps of xorshift.
pub fn fold(x: u32, steps: u32) -> u32 {
    (0..steps).fold(x, |mut x, _| {
        x ^= x << 13;
        x ^= x >> 17;
        x ^ (x << 5)
    })
}

/// One element for each thread: groups of `width` neighbours take the arms in turn.
pub fn alternate(n: usize, width: u32, steps: u32) -> Vec<u32> {
    let arm = |i: u32| {
        if (i / width).is_multiple_of(2) {
            stretch(i, steps)
        } else {
            fold(i, steps)
        }
    };
    (0..n as u32).map(arm).collect()
}

/// 100 and 200 in turn.
pub fn hundreds(n: usize) -> Vec<u32> {
    (0..n)
        .map(|i| if i.is_multiple_of(2) { 100 } else { 200 })
        .collect()
}
