//! The numbers of registers that a sum may have, as lists of register numbers.
//!
//! The number of a register in an instruction has to be a constant, or the value would be in
//! memory. So each size has its own code, which these macros generate.

/// Calls `$row! { N [0 1 .. N - 1] }` for each of these `N`, of which each is `by` more than the
/// one before. The first is `by`, or `by` more than 64.
macro_rules! sizes {
    ($row:ident! by $by:tt: $($n:literal)*) => {
        with_numbers! { sizes { @ $row $by [$($n)*] } }
    };
    ($row:ident! by $by:tt after 64: $($n:literal)*) => {
        with_numbers! { sizes { @ 64 $row $by [$($n)*] } }
    };
    (@ 64 $row:ident $by:tt $n:tt $first:tt $second:tt) => { sizes! { $row $by $n $first $second } };
    (@ $row:ident $by:tt $n:tt [$($first:tt)*] [$($second:tt)*]) => { sizes! { $row $by $n [] [$($first)* $($second)*] } };
    ($row:ident $by:tt [] $done:tt $left:tt) => {};
    ($row:ident 2 [$n:literal $($more:literal)*] [$($done:tt)*] [$a:tt $b:tt $($left:tt)*]) => {
        $row! { $n [$($done)* $a $b] }
        sizes! { $row 2 [$($more)*] [$($done)* $a $b] [$($left)*] }
    };
    ($row:ident 4 [$n:literal $($more:literal)*] [$($done:tt)*] [$a:tt $b:tt $c:tt $d:tt $($left:tt)*]) => {
        $row! { $n [$($done)* $a $b $c $d] }
        sizes! { $row 4 [$($more)*] [$($done)* $a $b $c $d] [$($left)*] }
    };
    ($row:ident 8 [$n:literal $($more:literal)*] [$($done:tt)*] [$a:tt $b:tt $c:tt $d:tt $e:tt $f:tt $g:tt $h:tt $($left:tt)*]) => {
        $row! { $n [$($done)* $a $b $c $d $e $f $g $h] }
        sizes! { $row 8 [$($more)*] [$($done)* $a $b $c $d $e $f $g $h] [$($left)*] }
    };
}
pub(super) use sizes;

/// Calls a macro with the given tokens, followed by the numbers of the first 64 registers and
/// of the others.
macro_rules! with_numbers {
    ($call:ident { $($before:tt)* }) => {
        $call! {
            $($before)*
            [
                0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42
                43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
            ]
            [
                64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101
                102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127
            ]
        }
    };
}
pub(super) use with_numbers;
