//! Values of functions that `std` does not have, to twice the digits of an `f64` by mpmath and then
//! rounded. `values.py` in this folder makes the table.

/// One value a line: the function, the argument, the value; both numbers by their bits.
const TABLE: &str = include_str!("values.txt");

/// Returns the arguments for which a function's value is known, each with the value.
///
/// # Panics
/// If the table has a line that is not one.
pub fn of(name: &str) -> impl Iterator<Item = (f64, f64)> {
    let number = |word: &str| f64::from_bits(u64::from_str_radix(word, 16).expect("bits"));
    TABLE.lines().filter_map(move |line| {
        let words: Vec<&str> = line.split(' ').collect();
        let [function, x, value] = words[..] else {
            panic!("`{line}` is not a function, an argument and a value");
        };
        (function == name).then(|| (number(x), number(value)))
    })
}
