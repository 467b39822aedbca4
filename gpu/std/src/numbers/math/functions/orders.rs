//! Bessel functions of any whole order, from those of the orders 0 and 1.
//!
//! `Y` grows with the order, and so do the errors of its recurrence no faster than itself. For `J`
//! that is so only below the argument. Beyond, the recurrence goes down from an order whose value
//! is negligible, and the sum of all even orders, which is 1, gives the scale. W. Gautschi,
//! "Computational Aspects of Three-Term Recurrence Relations", 1967.

/// Defines `J_n` and `Y_n` for a type, with the argument below which the first term of the series
/// is exact, and the square of the orders for which a recurrence down forgets where it began.
macro_rules! orders {
    ($float:ident, $jn:ident: $j0:ident $j1:ident, $yn:ident: $y0:ident $y1:ident, $small:expr, $beyond:expr, $large:expr) => {
        /// Returns the Bessel function of the first kind of order `n`.
        #[inline(always)]
        pub(crate) fn $jn(n: i32, x: $float) -> $float {
            let a = x.abs();
            let twice = 2.0 / a;
            let value = if n < 0 {
                $float::NAN
            } else if n == 0 {
                super::$j0(a)
            } else if n == 1 {
                super::$j1(a)
            } else if (n as $float) < a {
                let (mut below, mut value) = (super::$j0(a), super::$j1(a));
                for k in 1..n {
                    (below, value) = (value, k as $float * twice * value - below);
                }
                value
            } else if a < $small {
                let (mut value, mut k) = (1.0, 1.0);
                while k <= n as $float && value != 0.0 {
                    value *= 0.5 * a / k;
                    k += 1.0;
                }
                value
            } else {
                let from = (n as u32 + root($beyond * n as u64)) | 1;
                let (mut above, mut value, mut even, mut found) = (0.0, 1.0, 0.0, 0.0);
                for k in (0..from).rev() {
                    (above, value) = (value, (k + 1) as $float * twice * value - above);
                    if value.abs() > $large {
                        value *= 1.0 / $large;
                        above *= 1.0 / $large;
                        even *= 1.0 / $large;
                        found *= 1.0 / $large;
                    }
                    if k == n as u32 {
                        found = value;
                    }
                    if k % 2 == 0 {
                        even += value;
                    }
                }
                // The order 0 is in the sum once, and all others twice.
                found / (2.0 * even - value)
            };
            if x < 0.0 && n & 1 != 0 { -value } else { value }
        }

        /// Returns the Bessel function of the second kind of order `n`.
        #[inline(always)]
        pub(crate) fn $yn(n: i32, x: $float) -> $float {
            if n < 0 {
                return $float::NAN;
            }
            let (mut below, mut value) = (super::$y0(x), super::$y1(x));
            if n == 0 {
                return below;
            }
            let twice = 2.0 / x;
            for k in 1..n {
                if value == $float::NEG_INFINITY {
                    break;
                }
                (below, value) = (value, k as $float * twice * value - below);
            }
            value
        }
    };
}

/// The whole part of the root.
fn root(x: u64) -> u32 {
    x.isqrt() as u32
}

orders!(f32, jnf: j0f j1f, ynf: y0f y1f, 2.0e-4, 60, 1.152_921_5e18);
orders!(f64, jn: j0 j1, yn: y0 y1, 1.0e-8, 240, 1.0e150);
