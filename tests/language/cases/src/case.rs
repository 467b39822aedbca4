//! What makes a kernel of functions: one kernel a subject, whose first argument says which
//! function it runs.

use lanewise_std::{GlobalMut, thread};

use crate::{Out, Random};

/// Words of results of one thread.
pub const WORDS: usize = 64;

/// A function to be run on both sides.
#[derive(Clone, Copy)]
pub struct Case {
    /// The name of the kernel that runs it.
    pub name: &'static str,
    /// The function, for the host.
    pub run: fn(&mut Random, &mut Out<'_>),
}

/// What the thread of this number starts from.
pub fn seed_of(seed: u64, thread: usize) -> u64 {
    seed.wrapping_add((thread as u64).wrapping_mul(0x632b_e59b_d9b4_e019))
}

/// Runs `case` in this thread: inputs from the thread's own seed, results to the
/// thread's own words.
pub(crate) fn run_here(
    seed: u64,
    output: GlobalMut<'_, u64>,
    case: impl FnOnce(&mut Random, &mut Out<'_>),
) {
    let index = thread::index_1d().get();
    if output.len() < (index + 1) * WORDS {
        return;
    }
    // SAFETY: in bounds, and these words are this thread's alone: the index is.
    let words =
        unsafe { core::slice::from_raw_parts_mut(output.as_ptr().add(index * WORDS), WORDS) };
    case(&mut Random::new(seed_of(seed, index)), &mut Out::new(words));
}

/// Keeps a case a function of its own, as it would be in a program: not one arm of a large one.
#[inline(never)]
pub(crate) fn apart(
    case: impl FnOnce(&mut Random, &mut Out<'_>),
    random: &mut Random,
    out: &mut Out<'_>,
) {
    case(random, out);
}

/// A subject: its kernel, in a module of its own so that its name stays free, and the list of its
/// cases for the host.
macro_rules! subject {
    ($(#[$doc:meta])* $name:ident: $($case:ident),* $(,)?) => {
        $(#[$doc])*
        pub mod kernel {
            $(#[$doc])*
            #[lanewise_macros::kernel]
            pub fn $name(case: u32, seed: u64, output: lanewise_std::GlobalMut<u64>) {
                $crate::case::run_here(seed, output, |random, out| {
                    let mut number = 0;
                    $(
                        if case == number {
                            return $crate::case::apart(super::$case, random, out);
                        }
                        number += 1;
                    )*
                    let _ = number;
                });
            }
        }

        /// The cases, in the order of their numbers.
        pub const CASES: &[$crate::Case] = &[$($crate::Case { name: stringify!($case), run: $case }),*];
    };
}
pub(crate) use subject;
