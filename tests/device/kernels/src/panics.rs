//! Panics of each kind, in one thread or in all.

use core::cell::RefCell;

use lanewise_macros::kernel;
use lanewise_std::{DisjointSlice, thread};

/// The value of `only` with which every thread panics.
pub const ALL: u32 = u32::MAX;

/// Panics in the way `which`, in the thread with the global index `only`. `read` has seven
/// elements, and `at` is past them.
#[kernel]
#[launch_contract(dims = 1)]
pub fn panics(which: u32, only: u32, at: usize, read: &[u32], mut own: DisjointSlice<u32>) {
    if only != ALL && thread::global_idx_x() != only {
        return;
    }
    let zero = read[0];
    let none: Option<u32> = (at == 0).then_some(1);
    let error: Result<u32, usize> = none.ok_or(at);
    let mut array = [zero; 4];
    let cell = RefCell::new(zero);
    // One line each: the test looks for them.
    #[rustfmt::skip]
    let sum = match which {
        0 => read[at],
        1 => read[at..][0],
        2 => read[..at][0],
        3 => read[at - 3..at - 5][0],
        4 => read[..=at - 2][0],
        5 => { array.copy_from_slice(read); array[1] }
        6 => none.unwrap(),
        7 => none.expect("there is a number"),
        8 => which / zero,
        9 => which % zero,
        10 => { assert!(at < 7, "at is small"); 1 }
        11 => { assert!(at < 7); 1 }
        12 => unreachable!(),
        13 => panic!("a brace {{0}}"),
        14 => { let _first = cell.borrow_mut(); *cell.borrow_mut() }
        15 => { let _first = cell.borrow_mut(); *cell.borrow() }
        16 => zero.ilog2(),
        17 => (i32::MIN + zero as i32).div_euclid(zero as i32 - 1) as u32,
        18 => panic!("{which} and {at:#x}"),
        19 => { assert_eq!(at, 7); 1 }
        20 => error.unwrap(),
        _ => todo!(),
    };
    if let Some(mine) = own.get_mut(thread::index_1d()) {
        *mine = sum + array[0];
    }
}
