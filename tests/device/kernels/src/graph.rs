//! Steps of programs that graphs run: they change numbers, and set conditions with them.

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::graph::Condition;
use lanewise_std::thread;

const ORDER: AtomicOrdering = AtomicOrdering::Relaxed;

/// How [`change`] changes a number.
pub fn changed(number: u32, by: u32) -> u32 {
    (3 * number + by) % 101
}

/// How [`lead`] changes a counter: the next value, and whether there is another round.
pub fn led(counter: u32, limit: u32) -> (u32, bool) {
    match counter < limit {
        true => (counter + 1, true),
        false => (0, false),
    }
}

/// Changes one number.
#[kernel]
pub fn change(numbers: &[DeviceAtomicU32], at: u32, by: u32) {
    if thread::index_1d().get() == 0 {
        let number = &numbers[at as usize];
        number.store(changed(number.load(ORDER), by), ORDER);
    }
}

/// Sets the condition to one number, modulo another.
#[kernel]
pub fn decide(numbers: &[DeviceAtomicU32], at: u32, modulus: u32, condition: Condition) {
    if thread::index_1d().get() == 0 {
        condition.set(numbers[at as usize].load(ORDER) % modulus);
    }
}

/// Counts a round of a loop, and sets whether it runs.
#[kernel]
pub fn lead(counters: &[DeviceAtomicU32], at: u32, limit: u32, condition: Condition) {
    if thread::index_1d().get() == 0 {
        let counter = &counters[at as usize];
        let (next, goes_on) = led(counter.load(ORDER), limit);
        counter.store(next, ORDER);
        condition.set(goes_on.into());
    }
}
