//! `Option` and `Result`: their methods, `?`, and conversions of errors.

use crate::{Out, Random};

crate::case::subject! {
    /// Options and results.
    results: question_mark_option, question_mark_result, error_conversion, option_maps, option_filters, option_zips,
    option_defaults, option_insertions, result_maps, result_chains, transposes, collects, sums, as_references, iterates, flattens
}

fn maybe(random: &mut Random) -> Option<u32> {
    random.bool().then(|| random.u32() % 100)
}

fn result(random: &mut Random) -> Result<u32, u8> {
    if random.below(3) > 0 {
        Ok(random.u32() % 100)
    } else {
        Err(random.u8())
    }
}

fn question_mark_option(random: &mut Random, out: &mut Out<'_>) {
    fn quotient(random: &mut Random) -> Option<u32> {
        let a = maybe(random)?;
        let b = random.u32().checked_rem(7)?;
        a.checked_div(b)?.checked_sub(1)
    }
    for _ in 0..6 {
        out.put(quotient(random));
    }
}

fn question_mark_result(random: &mut Random, out: &mut Out<'_>) {
    fn total(random: &mut Random) -> Result<u32, u8> {
        let mut total = 0;
        for _ in 0..3 {
            total += result(random)?;
        }
        Ok(total)
    }
    for _ in 0..6 {
        out.put(total(random));
    }
}

enum Failure {
    Number(core::num::IntErrorKind),
    Range(u32),
}

impl From<core::num::ParseIntError> for Failure {
    fn from(error: core::num::ParseIntError) -> Failure {
        Failure::Number(error.kind().clone())
    }
}

fn error_conversion(random: &mut Random, out: &mut Out<'_>) {
    fn percent(text: &str) -> Result<u32, Failure> {
        let number: u32 = text.parse()?;
        if number > 100 {
            Err(Failure::Range(number))
        } else {
            Ok(number)
        }
    }
    let text = ["17", "100", "101", "", "+", "-3", "99999999999", "4x", "0"][random.below(9)];
    out.put(percent(text).map_err(|failure| match failure {
        Failure::Number(core::num::IntErrorKind::Empty) => 1,
        Failure::Number(core::num::IntErrorKind::InvalidDigit) => 2,
        Failure::Number(core::num::IntErrorKind::PosOverflow) => 3,
        Failure::Number(_) => 4,
        Failure::Range(number) => number,
    }));
}

fn option_maps(random: &mut Random, out: &mut Out<'_>) {
    let a = maybe(random);
    out.put((
        a.map(|a| a * 2),
        a.map_or(7, |a| a + 1),
        a.map_or_else(|| 9, |a| a + 3),
    ));
    out.put((
        a.and_then(|a| a.checked_sub(50)),
        a.is_some_and(|a| a > 50),
        a.is_none_or(|a| a > 50),
    ));
}

fn option_filters(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (maybe(random), maybe(random));
    out.put((a.filter(|a| a % 2 == 0), a.or(b), a.xor(b), a.and(b)));
    out.put((a.or_else(|| Some(3)), a.ok_or(5u8)));
}

fn option_zips(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (maybe(random), maybe(random));
    out.put(a.zip(b));
    out.put(a.zip(b).unzip());
    out.put((a < b, a.cmp(&b), a.max(b)));
}

fn option_defaults(random: &mut Random, out: &mut Out<'_>) {
    let a = maybe(random);
    out.put((
        a.unwrap_or(4),
        a.unwrap_or_default(),
        a.unwrap_or_else(|| random.u32()),
    ));
}

fn option_insertions(random: &mut Random, out: &mut Out<'_>) {
    let mut a = maybe(random);
    *a.get_or_insert(5) += 1;
    out.put(a);
    *a.insert(8) += random.u32() % 10;
    out.put(a.take_if(|a| *a > 12));
    out.put((a.take(), *a.get_or_insert_with(|| 77)));
}

fn result_maps(random: &mut Random, out: &mut Out<'_>) {
    let a = result(random);
    out.put((
        a.map(|a| a * 3),
        a.map_err(|e| u32::from(e) + 1),
        a.ok(),
        a.err(),
    ));
    out.put((
        a.unwrap_or(1),
        a.unwrap_or_else(u32::from),
        a.map_or(0, |a| a ^ 1),
        a.is_ok_and(|a| a > 9),
    ));
}

fn result_chains(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (result(random), result(random));
    out.put(a.and_then(|a| b.map(|b| a + b)));
    out.put(a.or_else(|e| if e > 100 { Ok(u32::from(e)) } else { Err(e) }));
    out.put((a.and(b), a.or(b)));
}

fn transposes(random: &mut Random, out: &mut Out<'_>) {
    let a: Option<Result<u32, u8>> = random.bool().then(|| result(random));
    out.put(a.transpose());
    let b: Result<Option<u32>, u8> = result(random).map(|n| (n > 50).then_some(n));
    out.put(b.transpose());
}

fn collects(random: &mut Random, out: &mut Out<'_>) {
    let values: [Result<u32, u8>; 4] = random.array(result);
    let mut sum = 0;
    let all: Result<(), u8> = values.iter().try_for_each(|value| {
        sum += (*value)?;
        Ok(())
    });
    out.put(all.map(|()| sum));
    out.put(values.iter().try_fold(1u32, |a, b| a.checked_mul(b.ok()?)));
}

fn sums(random: &mut Random, out: &mut Out<'_>) {
    let options: [Option<u32>; 3] = random.array(maybe);
    out.put(options.into_iter().sum::<Option<u32>>());
    let three: [Result<u32, u8>; 3] = random.array(result);
    out.put(three.into_iter().sum::<Result<u32, u8>>());
    out.put(
        three
            .map(|r| r.map(|n| n % 9))
            .into_iter()
            .product::<Result<u32, u8>>(),
    );
}

fn as_references(random: &mut Random, out: &mut Out<'_>) {
    let mut a = Some([random.u32(), 2]);
    if let Some(values) = a.as_mut() {
        values[1] = values[0] >> 3;
    }
    out.put(a.as_ref().map(|values| values[1]));
    out.put(a.as_slice().len());
    let pair = result(random);
    out.put((pair.as_ref().ok().copied(), pair.as_ref().err().copied()));
}

fn iterates(random: &mut Random, out: &mut Out<'_>) {
    let values: [Option<u32>; 5] = random.array(maybe);
    out.put(values.iter().flatten().count());
    values
        .into_iter()
        .flatten()
        .for_each(|value| out.put(value));
    out.put(values[0].into_iter().chain(values[1]).sum::<u32>());
}

fn flattens(random: &mut Random, out: &mut Out<'_>) {
    let a: Option<Option<u32>> = random.bool().then(|| maybe(random));
    out.put(a.flatten());
    out.put(a.map(|inner| inner.unwrap_or(3)));
}
