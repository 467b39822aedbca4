//! Enums and matches: payloads, guards, bindings, niches, discriminants.

use crate::{Out, Random};

crate::case::subject! {
    /// Enums and matches.
    enums: payloads, guards, bindings, nested, ranges, discriminants, niches, references, let_else, if_let_chains, tuples,
    slices, matches_macro, state_machine, replace_variant, sparse_match
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Shape {
    Empty,
    Circle { radius: u32 },
    Rectangle(u32, u32),
    Tagged(u8, u64),
}

fn shape(random: &mut Random) -> Shape {
    match random.below(4) {
        0 => Shape::Empty,
        1 => Shape::Circle {
            radius: random.u32() % 1000,
        },
        2 => Shape::Rectangle(random.u32() % 1000, random.u32() % 1000),
        _ => Shape::Tagged(random.u8(), random.u64()),
    }
}

fn payloads(random: &mut Random, out: &mut Out<'_>) {
    for _ in 0..8 {
        out.put(match shape(random) {
            Shape::Empty => 0,
            Shape::Circle { radius } => u64::from(radius * radius * 3),
            Shape::Rectangle(width, height) => u64::from(width * height),
            Shape::Tagged(tag, value) => value ^ u64::from(tag),
        });
    }
}

fn guards(random: &mut Random, out: &mut Out<'_>) {
    for _ in 0..8 {
        out.put(match shape(random) {
            Shape::Circle { radius } if radius > 500 => 1,
            Shape::Rectangle(a, b) if a == b => 2,
            Shape::Rectangle(a, _) | Shape::Circle { radius: a } if a % 2 == 0 => 3,
            Shape::Tagged(0..=127, _) => 4,
            _ => 5u8,
        });
    }
}

fn bindings(random: &mut Random, out: &mut Out<'_>) {
    let n = random.u32();
    out.put(match n {
        0 => 0,
        small @ 1..=9 => small * 100,
        even @ 10.. if even % 2 == 0 => even / 2,
        odd => odd.wrapping_mul(3),
    });
}

fn nested(random: &mut Random, out: &mut Out<'_>) {
    let value: Option<Result<Shape, u8>> = match random.below(3) {
        0 => None,
        1 => Some(Err(random.u8())),
        _ => Some(Ok(shape(random))),
    };
    out.put(match value {
        None => 1u64,
        Some(Err(code @ 0..=9)) => u64::from(code),
        Some(Err(_)) => 2,
        Some(Ok(Shape::Tagged(_, value))) => value,
        Some(Ok(other)) => u64::from(other == Shape::Empty),
    });
}

fn ranges(random: &mut Random, out: &mut Out<'_>) {
    let c = random.char();
    out.put(match c {
        '0'..='9' => 0u8,
        'a'..='z' | 'A'..='Z' => 1,
        '\u{80}'..='\u{7ff}' => 2,
        _ => 3,
    });
    out.put(match random.i64() {
        i64::MIN..=-1 => -1i8,
        0 => 0,
        1.. => 1,
    });
}

#[derive(Clone, Copy)]
#[repr(i16)]
enum Code {
    Low = -300,
    Zero = 0,
    Next,
    High = 32_000,
}

fn discriminants(random: &mut Random, out: &mut Out<'_>) {
    let codes = [Code::Low, Code::Zero, Code::Next, Code::High];
    out.put(codes[random.below(4)] as i16);
    out.put(codes.map(|code| code as i64));
    let (a, b) = (shape(random), shape(random));
    out.put(core::mem::discriminant(&a) == core::mem::discriminant(&b));
}

fn niches(random: &mut Random, out: &mut Out<'_>) {
    use core::num::NonZeroU32;
    out.put([
        size_of::<Option<NonZeroU32>>(),
        size_of::<Option<&u8>>(),
        size_of::<Option<bool>>(),
        size_of::<Option<char>>(),
    ]);
    let value = NonZeroU32::new(random.u32() % 3);
    out.put(value.map(NonZeroU32::get));
    let nested = [None, Some(None), Some(Some(true)), Some(Some(false))][random.below(4)];
    out.put(nested.map(|inner: Option<bool>| inner.is_some()));
}

fn references(random: &mut Random, out: &mut Out<'_>) {
    let mut value = shape(random);
    match &mut value {
        Shape::Circle { radius } => *radius += 1,
        Shape::Rectangle(width, height) => core::mem::swap(width, height),
        Shape::Tagged(_, value) => *value = value.rotate_left(7),
        Shape::Empty => {}
    }
    match value {
        Shape::Tagged(ref tag, ref value) => out.put((*tag, *value)),
        Shape::Rectangle(a, b) => out.put((a, b)),
        Shape::Circle { radius } => out.put(radius),
        Shape::Empty => out.put(0u8),
    }
}

fn let_else(random: &mut Random, out: &mut Out<'_>) {
    fn area(shape: Shape) -> u32 {
        let Shape::Rectangle(width, height) = shape else {
            return 1;
        };
        width * height
    }
    out.put([
        area(shape(random)),
        area(shape(random)),
        area(shape(random)),
    ]);
}

fn if_let_chains(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (random.u32().checked_sub(10), random.u8().checked_mul(3));
    if let Some(a) = a
        && let Some(b) = b
        && a > u32::from(b)
    {
        out.put((a, b));
    } else {
        out.put(0u8);
    }
}

fn tuples(random: &mut Random, out: &mut Out<'_>) {
    out.put(match (random.bool(), random.u8() % 3, random.bool()) {
        (true, 0, _) => 1u8,
        (_, 1, true) => 2,
        (false, _, false) => 3,
        (x, n, y) => n + u8::from(x) * 4 + u8::from(y) * 8,
    });
}

fn slices(random: &mut Random, out: &mut Out<'_>) {
    let values: [u16; 6] = random.array(Random::u16);
    out.put(match &values[..random.below(7)] {
        [] => 0,
        [one] => *one,
        [first, .., last] if first == last => 1,
        [first, middle @ .., last] => middle.iter().fold(first ^ last, |a, b| a.wrapping_add(*b)),
    });
}

fn matches_macro(random: &mut Random, out: &mut Out<'_>) {
    let value = shape(random);
    out.put([
        matches!(value, Shape::Empty | Shape::Circle { .. }),
        matches!(value, Shape::Rectangle(a, _) if a > 10),
    ]);
}

fn state_machine(random: &mut Random, out: &mut Out<'_>) {
    enum State {
        Start,
        Number(u64),
        Name { length: usize },
        Failed(char),
    }
    let text: [char; 12] = random.array(|random| ['1', '7', 'a', 'z', ' ', '-'][random.below(6)]);
    let mut state = State::Start;
    for c in text {
        state = match (state, c) {
            (State::Failed(at), _) => State::Failed(at),
            (_, ' ') => State::Start,
            (State::Start, '0'..='9') => State::Number(u64::from(c) - 48),
            (State::Number(n), '0'..='9') => State::Number(n * 10 + u64::from(c) - 48),
            (State::Start, 'a'..='z') => State::Name { length: 1 },
            (State::Name { length }, _) => State::Name { length: length + 1 },
            (_, c) => State::Failed(c),
        };
    }
    out.put(match state {
        State::Start => (0, 0),
        State::Number(n) => (1, n),
        State::Name { length } => (2, length as u64),
        State::Failed(c) => (3, u64::from(c)),
    });
}

fn replace_variant(random: &mut Random, out: &mut Out<'_>) {
    let mut slot = Some(shape(random));
    let taken = slot.take();
    out.put(slot.is_none());
    let old = slot.replace(Shape::Circle { radius: 5 });
    out.put((
        old.is_some(),
        taken == Some(Shape::Empty),
        slot == Some(Shape::Circle { radius: 5 }),
    ));
    out.put(core::mem::replace(&mut slot, None).is_some());
}

// Far apart, so that it is a tree of comparisons; close together, so that it is a table.
fn sparse_match(random: &mut Random, out: &mut Out<'_>) {
    for _ in 0..6 {
        let n = [3, 77, 5_000, 1 << 20, 1 << 40, u64::MAX][random.below(6)];
        out.put(match n {
            3 => 30u32,
            77 => 31,
            5_000 => 32,
            0x10_0000 => 33,
            0x100_0000_0000 => 34,
            _ => 35,
        });
        out.put(match random.u8() % 9 {
            0 => 17u32,
            1 => 4,
            2 => 99,
            3 => 2,
            4 => 66,
            5 => 23,
            6 => 42,
            7 => 1,
            _ => 0,
        });
    }
}
