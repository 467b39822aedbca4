//! Values of functions that `std` does not have, to twice the digits of an `f64` by mpmath and then
//! rounded. `values.py` in this folder makes the table.

use std::collections::HashMap;
use std::sync::LazyLock;

/// One value a line: the function, the argument, the value; both numbers by their bits.
const TABLE: &str = include_str!("values.txt");

/// The lines of the table, by function.
static VALUES: LazyLock<HashMap<&str, Vec<(f64, f64)>>> = LazyLock::new(|| {
    let number = |word: &str| f64::from_bits(u64::from_str_radix(word, 16).expect("bits"));
    let mut values = HashMap::<_, Vec<_>>::new();
    for line in TABLE.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [function, x, value] = words[..] else {
            panic!("`{line}` is not a function, an argument and a value");
        };
        values
            .entry(function)
            .or_default()
            .push((number(x), number(value)));
    }
    values
});

/// Returns the arguments for which a function's value is known, each with the value.
///
/// # Panics
/// If the table has a line that is not one.
pub fn of(name: &str) -> &'static [(f64, f64)] {
    VALUES.get(name).map_or(&[], Vec::as_slice)
}
