//! Every built-in atomic on every type. Each is compared with a result that does not depend on the
//! order of the operations.

use anyhow::Result;
use gpu::instruction::atomics::{
    CELLS, Cell, LIMIT, ORDERS, atomic_f32, atomic_f64, atomic_i32, atomic_i64, atomic_inc_dec,
    atomic_scopes, atomic_u32, atomic_u64,
};
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, Stream};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "atomics",
    chapter: "instruction",
    summary: "every built-in atomic on every type: in any order of threads, nothing is lost",
    source: "Professional CUDA C Programming, chapter 7",
    size: Size {
        of: "threads",
        is_square: false,
        default: 1 << 10,
        bench: None,
    },
    variants: &[
        Variant::new("atomic_i32", i32::prepare),
        Variant::new("atomic_u32", u32::prepare),
        Variant::new("atomic_i64", i64::prepare),
        Variant::new("atomic_u64", u64::prepare),
        Variant::new("atomic_inc_dec", inc_dec),
        Variant::new("atomic_f32", |device, setup| {
            sum(
                device,
                setup,
                |x| x as f32,
                |stream, config, input, cells| stream.launch(atomic_f32, config, (input, cells)),
            )
        }),
        Variant::new("atomic_f64", |device, setup| {
            sum(device, setup, f64::from, |stream, config, input, cells| {
                stream.launch(atomic_f64, config, (input, cells))
            })
        }),
        Variant::new("atomic_scopes", scopes),
    ],
};

/// A launch for cells of this type. Each type has its own, because the kernels take cells
/// of different types.
type Launch<T> =
    fn(&Stream, LaunchConfig, &DeviceBuffer<T>, &mut DeviceBuffer<T>) -> Result<(), LaunchError>;

/// Returns a launch with a thread for each element.
fn config(setup: Setup) -> Result<LaunchConfig> {
    let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
    Ok(LaunchConfig::cover_1d(setup.at_most(1 << 24)?, block))
}

/// An integer type for which the device has atomics.
trait Integer: Sized {
    /// Prepares the kernel of this type.
    fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>>;
}

macro_rules! integers {
    ($($ty:ident $kernel:ident;)*) => {
        $(
            impl Integer for $ty {
                fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
                    let config = config(setup)?;
                    // Two integers make the 64 bits of a number.
                    let (low, high) = (
                        input::integers(setup.size, setup.seed),
                        input::integers(setup.size, setup.seed.wrapping_add(1)),
                    );
                    let numbers: Vec<$ty> = low
                        .into_iter()
                        .zip(high)
                        .map(|(low, high)| (i64::from(high) << 32 | i64::from(low.cast_unsigned())) as $ty)
                        .collect();
                    // The bitwise operations need a start that is neither all ones nor all zeros.
                    let start = 0x5a5a_5a5a_5a5a_5a5a_u64 as $ty;
                    let expected = {
                        let fold = |operation: fn($ty, $ty) -> $ty| numbers.iter().copied().fold(start, operation);
                        let mut cells = vec![start; CELLS];
                        cells[Cell::Add as usize] = fold($ty::wrapping_add);
                        cells[Cell::Sub as usize] = fold($ty::wrapping_sub);
                        // The sum of both cells of the exchange.
                        cells[Cell::Exchange as usize] = fold($ty::wrapping_add).wrapping_add(start);
                        cells[Cell::Exchanged as usize] = 0;
                        cells[Cell::Min as usize] = fold(Ord::min);
                        cells[Cell::Max as usize] = fold(Ord::max);
                        cells[Cell::And as usize] = fold(|a, b| a & b);
                        cells[Cell::Or as usize] = fold(|a, b| a | b);
                        cells[Cell::Xor as usize] = fold(|a, b| a ^ b);
                        cells[Cell::Product as usize] = fold(|a, b| a.wrapping_mul(b | 1));
                        cells
                    };
                    /// Compares the cells. No thread reads the last value that was stored, so that
                    /// value is added to the values that threads have read.
                    fn compare_cells(device: &[$ty], cpu: &[$ty]) -> Result<Agreement, Mismatch> {
                        let mut device = device.to_vec();
                        let before = std::mem::take(&mut device[Cell::Exchanged as usize]);
                        let last = &mut device[Cell::Exchange as usize];
                        *last = last.wrapping_add(before);
                        testing::equal(&device, cpu)
                    }

                    let numbers = DeviceBuffer::from_slice(device, &numbers)?;
                    let cells = DeviceBuffer::from_slice(device, &[start; CELLS])?;
                    let launch = move |stream: &Stream, [cells]: &mut [DeviceBuffer<$ty>; 1]| {
                        Ok(stream.launch($kernel, config, (&numbers, cells))?)
                    };
                    Ok(Filling::compared([cells], [expected], compare_cells, Work::Nothing, launch))
                }
            }
        )*
    };
}

integers! {
    i32 atomic_i32;
    u32 atomic_u32;
    i64 atomic_i64;
    u64 atomic_u64;
}

/// Prepares the counters that wrap around at a limit.
fn inc_dec(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let config = config(setup)?;
    let mut expected = vec![0; CELLS];
    let period = LIMIT as usize + 1;
    expected[Cell::Inc as usize] = (setup.size % period) as u32;
    expected[Cell::Dec as usize] = ((period - setup.size % period) % period) as u32;
    let threads = u32::try_from(setup.size)?;
    let cells = DeviceBuffer::zeroed(device, CELLS)?;
    Ok(Filling::boxed(
        [cells],
        [expected],
        Work::Nothing,
        move |stream, [cells]| Ok(stream.launch(atomic_inc_dec, config, (threads, cells))?),
    ))
}

/// Prepares a sum of whole numbers that are so small that no order of additions rounds.
fn sum<T>(
    device: &Device,
    setup: Setup,
    of: fn(i16) -> T,
    launch: Launch<T>,
) -> Result<Box<dyn Case>>
where
    T: lanewise::DeviceCopy + PartialEq + std::fmt::Debug + std::iter::Sum<T> + 'static,
{
    let mut small = setup;
    small.size = setup.at_most(1 << 14)?;
    let config = config(small)?;
    let numbers = input::integers(small.size, setup.seed).into_iter();
    let numbers: Vec<T> = numbers.map(|x| of((x % 1000) as i16)).collect();
    let expected = numbers.iter().copied().sum();
    let numbers = DeviceBuffer::from_slice(device, &numbers)?;
    let cells = DeviceBuffer::from_slice(device, &[of(0)])?;
    Ok(Filling::boxed(
        [cells],
        [vec![expected]],
        Work::Nothing,
        move |stream, [cells]| Ok(launch(stream, config, &numbers, cells)?),
    ))
}

/// Prepares sums of all blocks in the scope of the system, one with every order.
fn scopes(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let config = config(setup)?;
    let numbers: Vec<u32> = input::integers(setup.size, setup.seed)
        .into_iter()
        .map(i32::cast_unsigned)
        .collect();
    let expected = numbers.iter().fold(0, |sum: u32, x| sum.wrapping_add(*x));
    let numbers = DeviceBuffer::from_slice(device, &numbers)?;
    let cells = DeviceBuffer::zeroed(device, ORDERS.len())?;
    let expected = vec![expected; ORDERS.len()];
    Ok(Filling::boxed(
        [cells],
        [expected],
        Work::Nothing,
        move |stream, [cells]| Ok(stream.launch(atomic_scopes, config, (&numbers, cells))?),
    ))
}
