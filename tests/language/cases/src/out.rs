//! Results: words that a case writes, and that the host and the device must agree on, bit by bit.

/// Where a case puts its results. What does not fit is mixed into the last word, so that
/// nothing is lost.
pub struct Out<'a> {
    words: &'a mut [u64],
    length: usize,
}

impl<'a> Out<'a> {
    /// Results go to `words`, of which there is one at least.
    pub fn new(words: &'a mut [u64]) -> Out<'a> {
        Out { words, length: 0 }
    }

    /// Adds a result.
    pub fn put(&mut self, value: impl Put) {
        value.put(self);
    }

    /// Not inlined: it is in every case, and none is about it.
    #[inline(never)]
    fn word(&mut self, word: u64) {
        let last = self.words.len() - 1;
        if self.length < last {
            self.words[self.length] = word;
        } else {
            self.words[last] =
                (self.words[last].rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
        self.length += 1;
    }
}

/// What can be a result.
pub trait Put {
    /// Writes its bits.
    fn put(self, out: &mut Out<'_>);
}

macro_rules! words {
    ($($ty:ty)*) => {$(
        impl Put for $ty {
            fn put(self, out: &mut Out<'_>) {
                out.word(self as u64);
            }
        }
    )*};
}

words! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize bool char core::cmp::Ordering }

impl Put for u128 {
    fn put(self, out: &mut Out<'_>) {
        out.word(self as u64);
        out.word((self >> 64) as u64);
    }
}

impl Put for i128 {
    fn put(self, out: &mut Out<'_>) {
        out.put(self as u128);
    }
}

/// Which NaN an operation gives, Rust leaves open; that it is one, it does not.
impl Put for f32 {
    fn put(self, out: &mut Out<'_>) {
        out.word(if self.is_nan() {
            u64::MAX
        } else {
            self.to_bits().into()
        });
    }
}

/// As for `f32`.
impl Put for f64 {
    fn put(self, out: &mut Out<'_>) {
        out.word(if self.is_nan() {
            u64::MAX
        } else {
            self.to_bits()
        });
    }
}

impl Put for () {
    fn put(self, _: &mut Out<'_>) {}
}

impl<T: Put> Put for Option<T> {
    fn put(self, out: &mut Out<'_>) {
        out.put(self.is_some());
        if let Some(value) = self {
            out.put(value);
        }
    }
}

impl<T: Put, E: Put> Put for Result<T, E> {
    fn put(self, out: &mut Out<'_>) {
        out.put(self.is_ok());
        match self {
            Ok(value) => out.put(value),
            Err(error) => out.put(error),
        }
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: Put),*> Put for ($($name,)*) {
            fn put(self, out: &mut Out<'_>) {
                #[allow(non_snake_case, reason = "the type's name serves as the value's")]
                let ($($name,)*) = self;
                $(out.put($name);)*
            }
        }
    };
}

tuples! { A }
tuples! { A B }
tuples! { A B C }
tuples! { A B C D }

impl<T: Put, const N: usize> Put for [T; N] {
    fn put(self, out: &mut Out<'_>) {
        self.into_iter().for_each(|value| out.put(value));
    }
}

impl<T: Put + Copy> Put for &[T] {
    fn put(self, out: &mut Out<'_>) {
        out.put(self.len());
        self.iter().for_each(|&value| out.put(value));
    }
}

impl Put for &str {
    fn put(self, out: &mut Out<'_>) {
        out.put(self.as_bytes());
    }
}
