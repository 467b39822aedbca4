//! `core::fmt` into a buffer: every trait and flag, for numbers, text and types of one's own.

use core::fmt::{self, Write};

use crate::buffer::Text;
use crate::{Out, Random};

crate::case::subject! {
    /// What `write!` makes of every kind of value.
    formats: display_integers, display_128, hexadecimal, octal_binary, padding, width_argument, sign_and_zero, float_display,
    float_precision, float_exponent, float_debug, strings, string_debug, chars, tuples_and_arrays, derived_debug, pretty_debug,
    options_and_results, own_display, own_flags, debug_helpers, dyn_display, named_arguments, write_errors, nested_arguments,
    pointers_of_traits
}

type Line = Text<400>;

/// Writes a line and puts it.
macro_rules! line {
    ($out:ident, $($format:tt)*) => {{
        let mut text = Line::new();
        let result = write!(text, $($format)*);
        $out.put(result.is_ok());
        $out.put(text.as_str());
    }};
}

fn display_integers(random: &mut Random, out: &mut Out<'_>) {
    line!(
        out,
        "{} {} {} {}",
        random.u8(),
        random.i16(),
        random.i32(),
        random.u64()
    );
}

fn display_128(random: &mut Random, out: &mut Out<'_>) {
    line!(out, "{} {}", random.u128(), random.i128());
}

fn hexadecimal(random: &mut Random, out: &mut Out<'_>) {
    line!(
        out,
        "{:x} {:X} {:#x} {:#010x} {:08X}",
        random.u8(),
        random.u32(),
        random.i16(),
        random.u16(),
        random.u32()
    );
}

fn octal_binary(random: &mut Random, out: &mut Out<'_>) {
    line!(
        out,
        "{:o} {:#o} {:b} {:#012b}",
        random.u32(),
        random.i8(),
        random.u16(),
        random.i8()
    );
}

fn padding(random: &mut Random, out: &mut Out<'_>) {
    let n = random.i16();
    line!(
        out,
        "[{n:8}] [{n:<8}] [{n:^8}] [{n:>8}] [{n:*^9}] [{n:#>3}]"
    );
}

fn width_argument(random: &mut Random, out: &mut Out<'_>) {
    let (width, precision) = (random.below(14), random.below(9));
    line!(
        out,
        "[{:width$}] [{:>1$}] [{:.*}]",
        random.u8(),
        width,
        precision,
        1.0 / 3.0
    );
}

fn sign_and_zero(random: &mut Random, out: &mut Out<'_>) {
    let n = random.i32();
    line!(
        out,
        "{n:+} {n:08} {n:+09} {:+.2}",
        f64::from(random.i16()) / 4.0
    );
}

fn float_display(random: &mut Random, out: &mut Out<'_>) {
    line!(out, "{}", random.f32().abs());
    line!(
        out,
        "{} {}",
        f64::from(random.i32()) / 1024.0,
        0.1f32 + f32::from(random.u8())
    );
}

fn float_precision(random: &mut Random, out: &mut Out<'_>) {
    let x = f64::from(random.i32()) / 1000.0;
    line!(out, "{x:.0} {x:.1} {x:>12.3} {x:<10.2}| {x:010.4}");
}

fn float_exponent(random: &mut Random, out: &mut Out<'_>) {
    let x = random.f64().abs();
    line!(out, "{x:e} {x:.3e} {:E}", random.f32().abs());
}

fn float_debug(random: &mut Random, out: &mut Out<'_>) {
    line!(
        out,
        "{:?} {:?} {:?}",
        random.f32().abs(),
        f64::from(random.u8()),
        [f32::INFINITY, -0.0]
    );
}

fn strings(random: &mut Random, out: &mut Out<'_>) {
    let text = ["warp", "Grüße", "", "世界"][random.below(4)];
    line!(
        out,
        "[{text}] [{text:8}] [{text:>8}] [{text:^9}] [{text:.2}] [{text:-<6.1}]"
    );
}

fn string_debug(random: &mut Random, out: &mut Out<'_>) {
    let text = [
        "plain",
        "tab\t, \"quotes\"",
        "null\0 \u{7f}",
        "世界 \u{301}",
    ][random.below(4)];
    line!(out, "{text:?}");
}

fn chars(random: &mut Random, out: &mut Out<'_>) {
    let c = random.char();
    line!(out, "{c} {c:?} [{c:3}] {}", c.escape_unicode());
}

fn tuples_and_arrays(random: &mut Random, out: &mut Out<'_>) {
    line!(
        out,
        "{:?} {:?} {:02x?}",
        (random.u8(), random.bool(), 'x'),
        [random.i16(); 2],
        [random.u8(), 1]
    );
    line!(out, "{:?} {:?}", (), &[0u8; 0][..]);
}

#[expect(dead_code, reason = "the derived `Debug` reads it")]
#[derive(Debug, Clone, Copy)]
struct Point {
    x: i32,
    y: Option<u8>,
}

#[expect(dead_code, reason = "the derived `Debug` reads it")]
#[derive(Debug, Clone, Copy)]
enum Event {
    Idle,
    Launch(Point, bool),
    Fault { code: u16 },
}

fn event(random: &mut Random) -> Event {
    match random.below(3) {
        0 => Event::Idle,
        1 => Event::Launch(
            Point {
                x: random.i32(),
                y: random.bool().then(|| random.u8()),
            },
            random.bool(),
        ),
        _ => Event::Fault { code: random.u16() },
    }
}

fn derived_debug(random: &mut Random, out: &mut Out<'_>) {
    line!(out, "{:?}", event(random));
}

fn pretty_debug(random: &mut Random, out: &mut Out<'_>) {
    line!(out, "{:#?}", event(random));
}

fn options_and_results(random: &mut Random, out: &mut Out<'_>) {
    let option = random.bool().then(|| random.u8());
    let result: Result<u16, &str> = if random.bool() {
        Ok(random.u16())
    } else {
        Err("late")
    };
    line!(
        out,
        "{option:?} {result:?} {:?}",
        random.u32().cmp(&random.u32())
    );
}

struct Dimension(u32, u32);

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.0, self.1)
    }
}

fn own_display(random: &mut Random, out: &mut Out<'_>) {
    line!(out, "<{}>", Dimension(random.u32() % 99, random.u32() % 99));
}

struct Flags;

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} {:?} {} {}",
            f.width(),
            f.precision(),
            f.sign_plus(),
            f.alternate()
        )?;
        f.pad("padded")
    }
}

fn own_flags(random: &mut Random, out: &mut Out<'_>) {
    let width = random.below(12);
    line!(out, "{Flags} {Flags:+#5.2} {Flags:^width$}");
}

struct Custom([u8; 3]);

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Custom")
            .field("first", &self.0[0])
            .finish_non_exhaustive()?;
        f.debug_list().entries(&self.0).finish()?;
        f.debug_map().entry(&"k", &self.0[1]).finish()
    }
}

fn debug_helpers(random: &mut Random, out: &mut Out<'_>) {
    line!(out, "{:?}", Custom(random.array(Random::u8)));
}

fn dyn_display(random: &mut Random, out: &mut Out<'_>) {
    let (n, point) = (random.u32(), Dimension(1, random.u32()));
    let all: [&dyn fmt::Display; 3] = [&n, &point, &"text"];
    line!(out, "{} {}", all[random.below(3)], all[0]);
}

fn named_arguments(random: &mut Random, out: &mut Out<'_>) {
    line!(
        out,
        "{b}{a}{0}{b:?}{{}}",
        7,
        a = random.u8(),
        b = random.bool()
    );
}

fn write_errors(random: &mut Random, out: &mut Out<'_>) {
    let mut text = Text::<6>::new();
    out.put(write!(text, "{}", random.u32()).is_ok());
    out.put(text.as_str());
}

fn nested_arguments(random: &mut Random, out: &mut Out<'_>) {
    fn outer(f: &mut Line, inner: fmt::Arguments<'_>) -> fmt::Result {
        write!(f, "({inner}) [{:>6}]", 3)
    }
    let mut text = Line::new();
    out.put(outer(&mut text, format_args!("{}-{:x}", random.u8(), random.u8())).is_ok());
    out.put(text.as_str());
    out.put(format_args!("constant").as_str());
}

fn pointers_of_traits(random: &mut Random, out: &mut Out<'_>) {
    let mut text = Line::new();
    let writer: &mut dyn Write = &mut text;
    out.put(
        writer
            .write_char('<')
            .and_then(|()| writer.write_fmt(format_args!("{}", random.i8())))
            .is_ok(),
    );
    out.put(text.as_str());
}
