//! Generics, traits and trait objects.

use core::any::TypeId;
use core::fmt::Debug;
use core::marker::PhantomData;
use core::ops::{Add, AddAssign, Deref, Index, IndexMut, Mul, Neg, Not, Range, Shl, Sub};

use crate::{Out, Put, Random};

crate::case::subject! {
    /// Generics, traits, trait objects, operators.
    generics: monomorphised, bounds, associated_types, associated_consts, const_generics, const_arithmetic, default_methods,
    blanket_impls, phantom_types, trait_objects, objects_in_array, object_with_generics, supertraits, object_upcast, object_sizes,
    dyn_mutation, operators, indexing, dereferencing, conversions, ordering_derived, equality_derived, hashing_derived,
    type_ids, const_functions, higher_ranked, iterator_of_trait
}

fn largest<T: PartialOrd + Copy>(values: &[T]) -> Option<T> {
    let (first, rest) = values.split_first()?;
    Some(rest.iter().fold(*first, |a, b| if *b > a { *b } else { a }))
}

fn monomorphised(random: &mut Random, out: &mut Out<'_>) {
    out.put(largest(&random.array::<u8, 5>(Random::u8)));
    out.put(largest(&random.array::<i64, 5>(Random::i64)));
    out.put(largest(&random.array::<char, 5>(Random::char)));
    out.put(largest::<f32>(&[]));
}

fn bounds(random: &mut Random, out: &mut Out<'_>) {
    fn dot<T>(a: &[T], b: &[T]) -> T
    where
        T: Copy + Default + Add<Output = T> + Mul<Output = T>,
    {
        a.iter()
            .zip(b)
            .fold(T::default(), |sum, (a, b)| sum + *a * *b)
    }
    let (a, b): ([u64; 4], [u64; 4]) = (
        random.array(|r| r.u64() >> 40),
        random.array(|r| r.u64() >> 40),
    );
    out.put(dot(&a, &b));
    out.put(dot(&a.map(|n| n as f64), &b.map(|n| n as f64)));
}

trait Container {
    type Item: Put + Copy;
    const NAME: u32;
    fn first(&self) -> Option<Self::Item>;
    fn describe(&self) -> u32 {
        Self::NAME * 10 + u32::from(self.first().is_some())
    }
}

struct Pair<T>(T, T);
struct Nothing;

impl<T: Put + Copy> Container for Pair<T> {
    type Item = T;
    const NAME: u32 = size_of::<T>() as u32;
    fn first(&self) -> Option<T> {
        Some(self.0)
    }
}

impl Container for Nothing {
    type Item = u8;
    const NAME: u32 = 99;
    fn first(&self) -> Option<u8> {
        None
    }
}

fn associated_types(random: &mut Random, out: &mut Out<'_>) {
    fn put<C: Container>(container: &C, out: &mut Out<'_>) {
        out.put(container.first());
    }
    let pair = Pair(random.u16(), random.u16());
    put(&pair, out);
    put(&Nothing, out);
    out.put(pair.1);
}

fn associated_consts(random: &mut Random, out: &mut Out<'_>) {
    out.put([
        Pair::<u8>::NAME,
        Pair::<u64>::NAME,
        Nothing::NAME,
        <Pair<[u8; 3]> as Container>::NAME,
    ]);
    out.put(random.u8() < u8::MAX / 2);
}

fn default_methods(random: &mut Random, out: &mut Out<'_>) {
    out.put([Pair(random.u32(), 1).describe(), Nothing.describe()]);
}

struct Matrix<const ROWS: usize, const COLUMNS: usize>([[i32; COLUMNS]; ROWS]);

impl<const ROWS: usize, const COLUMNS: usize> Matrix<ROWS, COLUMNS> {
    fn times<const N: usize>(&self, other: &Matrix<COLUMNS, N>) -> Matrix<ROWS, N> {
        Matrix(core::array::from_fn(|i| {
            core::array::from_fn(|j| {
                (0..COLUMNS).fold(0, |sum: i32, k| {
                    sum.wrapping_add(self.0[i][k].wrapping_mul(other.0[k][j]))
                })
            })
        }))
    }
}

fn const_generics(random: &mut Random, out: &mut Out<'_>) {
    let a = Matrix::<2, 3>(random.array(|r| r.array(Random::i32)));
    let b = Matrix::<3, 4>(random.array(|r| r.array(Random::i32)));
    out.put(a.times(&b).0);
}

fn const_arithmetic(random: &mut Random, out: &mut Out<'_>) {
    fn power<const BASE: u64>(exponent: u32) -> u64 {
        (0..exponent).fold(1, |value: u64, _| value.wrapping_mul(BASE))
    }
    let n = random.u32() % 20;
    out.put([power::<2>(n), power::<3>(n), power::<10>(n)]);
}

trait Doubled {
    fn doubled(&self) -> Self;
}

impl<T: Clone + Add<Output = T>> Doubled for T {
    fn doubled(&self) -> T {
        self.clone() + self.clone()
    }
}

fn blanket_impls(random: &mut Random, out: &mut Out<'_>) {
    out.put((
        (random.u32() / 2).doubled(),
        1.25f32.doubled(),
        (random.i64() / 2).doubled(),
    ));
}

#[derive(Clone, Copy)]
struct Length<Unit>(f64, PhantomData<Unit>);
#[derive(Clone, Copy)]
struct Metre;
#[derive(Clone, Copy)]
struct Inch;

impl From<Length<Inch>> for Length<Metre> {
    fn from(inches: Length<Inch>) -> Self {
        Length(inches.0 * 0.0254, PhantomData)
    }
}

fn phantom_types(random: &mut Random, out: &mut Out<'_>) {
    let inches = Length::<Inch>(f64::from(random.u8()), PhantomData);
    out.put(Length::<Metre>::from(inches).0);
    out.put(size_of::<Length<Metre>>());
}

trait Shape {
    fn area(&self) -> u64;
    fn grow(&mut self, by: u32);
    fn corners(&self) -> u32 {
        0
    }
}

struct Square(u32);
struct Rectangle {
    width: u32,
    height: u64,
}
struct Circle(u8);

impl Shape for Square {
    fn area(&self) -> u64 {
        u64::from(self.0) * u64::from(self.0)
    }
    fn grow(&mut self, by: u32) {
        self.0 += by;
    }
    fn corners(&self) -> u32 {
        4
    }
}

impl Shape for Rectangle {
    fn area(&self) -> u64 {
        u64::from(self.width) * self.height
    }
    fn grow(&mut self, by: u32) {
        self.width += by;
    }
    fn corners(&self) -> u32 {
        4
    }
}

impl Shape for Circle {
    fn area(&self) -> u64 {
        u64::from(self.0) * 3
    }
    fn grow(&mut self, by: u32) {
        self.0 = self.0.wrapping_add(by as u8);
    }
}

fn shapes(random: &mut Random) -> (Square, Rectangle, Circle) {
    let (width, height) = (random.u32() % 99, random.u64() % 99);
    (
        Square(random.u32() % 99),
        Rectangle { width, height },
        Circle(random.u8()),
    )
}

fn trait_objects(random: &mut Random, out: &mut Out<'_>) {
    let (square, rectangle, circle) = shapes(random);
    let shape: &dyn Shape = match random.below(3) {
        0 => &square,
        1 => &rectangle,
        _ => &circle,
    };
    out.put((shape.area(), shape.corners()));
}

fn objects_in_array(random: &mut Random, out: &mut Out<'_>) {
    let (square, rectangle, circle) = shapes(random);
    let all: [&dyn Shape; 4] = [&circle, &square, &rectangle, &square];
    out.put(all.iter().map(|shape| shape.area()).sum::<u64>());
    out.put(all.iter().map(|shape| shape.area()).max());
}

fn object_with_generics(random: &mut Random, out: &mut Out<'_>) {
    trait Visitor<T> {
        fn visit(&mut self, value: T);
    }
    struct Sum(u64);
    struct Largest(u64);
    impl<T: Into<u64>> Visitor<T> for Sum {
        fn visit(&mut self, value: T) {
            self.0 += value.into();
        }
    }
    impl<T: Into<u64>> Visitor<T> for Largest {
        fn visit(&mut self, value: T) {
            self.0 = self.0.max(value.into());
        }
    }
    let (mut sum, mut largest) = (Sum(0), Largest(0));
    for _ in 0..5 {
        let visitors: [&mut dyn Visitor<u32>; 2] = [&mut sum, &mut largest];
        let n = random.u32();
        visitors.into_iter().for_each(|visitor| visitor.visit(n));
    }
    out.put((sum.0, largest.0));
}

trait Named: Shape {
    fn name(&self) -> &'static str;
    fn weight(&self) -> u64 {
        self.area() * self.name().len() as u64
    }
}

impl Named for Square {
    fn name(&self) -> &'static str {
        "square"
    }
}

impl Named for Circle {
    fn name(&self) -> &'static str {
        "circle, nearly"
    }
}

fn supertraits(random: &mut Random, out: &mut Out<'_>) {
    let (square, _, circle) = shapes(random);
    let named: &dyn Named = if random.bool() { &square } else { &circle };
    out.put(named.name());
    out.put((named.weight(), named.corners()));
}

fn object_upcast(random: &mut Random, out: &mut Out<'_>) {
    let (square, _, circle) = shapes(random);
    let named: &dyn Named = if random.bool() { &square } else { &circle };
    let shape: &dyn Shape = named;
    out.put((shape.area(), shape.corners()));
}

fn object_sizes(random: &mut Random, out: &mut Out<'_>) {
    let (square, rectangle, circle) = shapes(random);
    let all: [&dyn Shape; 3] = [&square, &rectangle, &circle];
    out.put(all.map(|shape| (size_of_val(shape), align_of_val(shape))));
}

fn dyn_mutation(random: &mut Random, out: &mut Out<'_>) {
    let (mut square, mut rectangle, mut circle) = shapes(random);
    for _ in 0..4 {
        let shape: &mut dyn Shape = match random.below(3) {
            0 => &mut square,
            1 => &mut rectangle,
            _ => &mut circle,
        };
        shape.grow(random.u32() % 10);
    }
    out.put([square.area(), rectangle.area(), circle.area()]);
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
struct Vector {
    x: i32,
    y: i32,
}

fn vector(random: &mut Random) -> Vector {
    Vector {
        x: random.i32() % 1000,
        y: random.i32() % 1000,
    }
}

impl Put for Vector {
    fn put(self, out: &mut Out<'_>) {
        out.put((self.x, self.y));
    }
}

impl Add for Vector {
    type Output = Vector;
    fn add(self, other: Vector) -> Vector {
        Vector {
            x: self.x + other.x,
            y: self.y + other.y,
        }
    }
}

impl Sub for Vector {
    type Output = Vector;
    fn sub(self, other: Vector) -> Vector {
        self + -other
    }
}

impl Neg for Vector {
    type Output = Vector;
    fn neg(self) -> Vector {
        Vector {
            x: -self.x,
            y: -self.y,
        }
    }
}

impl Mul<i32> for Vector {
    type Output = Vector;
    fn mul(self, by: i32) -> Vector {
        Vector {
            x: self.x * by,
            y: self.y * by,
        }
    }
}

impl Shl<u32> for Vector {
    type Output = Vector;
    fn shl(self, by: u32) -> Vector {
        Vector {
            x: self.x << by,
            y: self.y << by,
        }
    }
}

impl Not for Vector {
    type Output = Vector;
    fn not(self) -> Vector {
        Vector {
            x: self.y,
            y: self.x,
        }
    }
}

impl AddAssign for Vector {
    fn add_assign(&mut self, other: Vector) {
        *self = *self + other;
    }
}

fn operators(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (vector(random), vector(random));
    let mut c = a * 3 - b;
    c += !b << 2;
    out.put((c, -c, a == b));
}

struct Grid {
    cells: [u8; 12],
}

impl Index<(usize, usize)> for Grid {
    type Output = u8;
    fn index(&self, (row, column): (usize, usize)) -> &u8 {
        &self.cells[row * 4 + column]
    }
}

impl IndexMut<(usize, usize)> for Grid {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut u8 {
        &mut self.cells[row * 4 + column]
    }
}

impl Index<Range<usize>> for Grid {
    type Output = [u8];
    fn index(&self, rows: Range<usize>) -> &[u8] {
        &self.cells[rows.start * 4..rows.end * 4]
    }
}

fn indexing(random: &mut Random, out: &mut Out<'_>) {
    let mut grid = Grid {
        cells: random.array(Random::u8),
    };
    let at = (random.below(3), random.below(4));
    grid[at] ^= 0xff;
    out.put((grid[at], grid[(0, 3)]));
    out.put(&grid[1..3]);
}

fn dereferencing(random: &mut Random, out: &mut Out<'_>) {
    struct Guarded(u32);
    impl Deref for Guarded {
        type Target = u32;
        fn deref(&self) -> &u32 {
            &self.0
        }
    }
    let guarded = Guarded(random.u32());
    out.put((guarded.leading_zeros(), guarded.count_ones(), *guarded));
}

fn conversions(random: &mut Random, out: &mut Out<'_>) {
    struct Even(u32);
    impl TryFrom<u32> for Even {
        type Error = u32;
        fn try_from(n: u32) -> Result<Even, u32> {
            if n % 2 == 0 { Ok(Even(n)) } else { Err(n) }
        }
    }
    impl From<Even> for u64 {
        fn from(even: Even) -> u64 {
            u64::from(even.0) / 2
        }
    }
    let even: Result<Even, u32> = random.u32().try_into();
    out.put(even.map(u64::from));
    let (a, b): (u64, i128) = (random.u32().into(), random.i64().into());
    out.put((a, b));
}

fn ordering_derived(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (vector(random), vector(random));
    out.put((
        a.cmp(&b),
        a < b,
        a.max(b),
        core::cmp::Reverse(a).cmp(&core::cmp::Reverse(b)),
    ));
    out.put(a.x.cmp(&b.x).then(b.y.cmp(&a.y)).reverse());
}

fn equality_derived(random: &mut Random, out: &mut Out<'_>) {
    let a = vector(random);
    let mut b = a;
    out.put(a == b);
    b.y ^= random.i32() & 1;
    out.put([a == b, a != b, a == Vector::default()]);
}

fn hashing_derived(random: &mut Random, out: &mut Out<'_>) {
    use core::hash::{Hash, Hasher};
    struct Fnv(u64);
    impl Hasher for Fnv {
        fn write(&mut self, bytes: &[u8]) {
            for byte in bytes {
                self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
        fn finish(&self) -> u64 {
            self.0
        }
    }
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    vector(random).hash(&mut hasher);
    ("text", Some(random.u16()), [random.bool(); 2]).hash(&mut hasher);
    out.put(hasher.finish());
}

// An id differs from one compilation to the next; which are equal does not.
fn type_ids(random: &mut Random, out: &mut Out<'_>) {
    fn is_same<A: 'static, B: 'static>() -> bool {
        TypeId::of::<A>() == TypeId::of::<B>()
    }
    out.put([
        is_same::<u32, u32>(),
        is_same::<u32, i32>(),
        is_same::<Pair<u8>, Pair<i8>>(),
        random.bool(),
    ]);
}

const fn primes_below(limit: usize) -> usize {
    let (mut count, mut n) = (0, 2);
    while n < limit {
        let mut divisor = 2;
        while divisor * divisor <= n && n % divisor != 0 {
            divisor += 1;
        }
        count += (divisor * divisor > n) as usize;
        n += 1;
    }
    count
}

fn const_functions(random: &mut Random, out: &mut Out<'_>) {
    const HUNDRED: usize = primes_below(100);
    out.put((HUNDRED, primes_below(random.below(60))));
}

fn higher_ranked(random: &mut Random, out: &mut Out<'_>) {
    fn apply<F: for<'a> Fn(&'a [u8]) -> &'a u8>(f: F, bytes: &[u8]) -> u8 {
        *f(bytes)
    }
    let bytes: [u8; 6] = random.array(Random::u8);
    out.put(apply(|bytes| &bytes[bytes.len() / 2], &bytes));
    out.put(apply(|bytes| bytes.iter().max().unwrap_or(&0), &bytes));
}

fn iterator_of_trait(random: &mut Random, out: &mut Out<'_>) {
    fn evens<'a>(values: &'a [u32]) -> impl Iterator<Item = &'a u32> + Clone + Debug {
        values.iter().step_by(2)
    }
    let values: [u32; 7] = random.array(|r| r.u32() >> 8);
    let objects: [&mut dyn Iterator<Item = &u32>; 2] = [&mut evens(&values), &mut values.iter()];
    out.put(objects[random.below(2)].fold(0, |sum, n| sum + n));
    out.put(evens(&values).count());
}
