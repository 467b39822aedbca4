//! Every built-in atomic on every type, compared with the result that is the same in any order.

use anyhow::Result;
use gpu::instruction::atomics::{
    CELLS, Cell, LIMIT, ORDERS, atomic_f32, atomic_f64, atomic_i32, atomic_i64, atomic_inc_dec,
    atomic_scopes, atomic_u32, atomic_u64,
};
use lanewise::compare::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, Stream};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "atomics",
    chapter: "instruction",
    summary: "every built-in atomic on every type: in any order of threads, nothing is lost",
    source: "CUDA study notes, chapters 7.1.3 and 7.2.3",
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
                |device, stream, config, input, cells| {
                    device.launch(stream, atomic_f32, config, (input, cells))
                },
            )
        }),
        Variant::new("atomic_f64", |device, setup| {
            sum(
                device,
                setup,
                f64::from,
                |device, stream, config, input, cells| {
                    device.launch(stream, atomic_f64, config, (input, cells))
                },
            )
        }),
        Variant::new("atomic_scopes", scopes),
    ],
};

/// The kernels take cells of different types: each brings its own launch.
type Launch<T> = fn(
    &Device,
    &Stream,
    LaunchConfig,
    &DeviceBuffer<T>,
    &mut DeviceBuffer<T>,
) -> Result<(), LaunchError>;

/// A thread for each element.
fn config(setup: Setup) -> Result<LaunchConfig> {
    let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
    Ok(LaunchConfig::cover_1d(setup.at_most(1 << 24)?, block))
}

/// An integer that has the atomics.
trait Integer: Sized {
    /// The kernel of its type.
    fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>>;
}

macro_rules! integers {
    ($($ty:ident $kernel:ident;)*) => {
        $(
            impl Integer for $ty {
                fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
                    let config = config(setup)?;
                    // 64 bits of two integers.
                    let (low, high) = (
                        input::integers(setup.size, setup.seed),
                        input::integers(setup.size, setup.seed.wrapping_add(1)),
                    );
                    let numbers: Vec<$ty> = low
                        .into_iter()
                        .zip(high)
                        .map(|(low, high)| (i64::from(high) << 32 | i64::from(low.cast_unsigned())) as $ty)
                        .collect();
                    // Neither all ones nor all zeros, for the operations on bits.
                    let start = 0x5a5a_5a5a_5a5a_5a5a_u64 as $ty;
                    let expected = {
                        let fold = |operation: fn($ty, $ty) -> $ty| numbers.iter().copied().fold(start, operation);
                        let mut cells = vec![start; CELLS];
                        cells[Cell::Add as usize] = fold($ty::wrapping_add);
                        cells[Cell::Sub as usize] = fold($ty::wrapping_sub);
                        // What both cells of the exchange come to.
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
                    /// No thread reads the last value that was stored, so it is added to the values
                    /// that threads have read.
                    fn compare_cells(device: &[$ty], cpu: &[$ty]) -> Result<Agreement, Mismatch> {
                        let mut device = device.to_vec();
                        let before = std::mem::take(&mut device[Cell::Exchanged as usize]);
                        let last = &mut device[Cell::Exchange as usize];
                        *last = last.wrapping_add(before);
                        compare::equal(&device, cpu)
                    }

                    let numbers = DeviceBuffer::from_slice(device, &numbers)?;
                    let cells = DeviceBuffer::from_slice(device, &[start; CELLS])?;
                    let device = device.clone();
                    let launch = move |stream: &Stream, [cells]: &mut [DeviceBuffer<$ty>; 1]| {
                        Ok(device.launch(stream, $kernel, config, (&numbers, cells))?)
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

/// The counters that start again.
fn inc_dec(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let config = config(setup)?;
    let mut expected = vec![0; CELLS];
    let period = LIMIT as usize + 1;
    expected[Cell::Inc as usize] = (setup.size % period) as u32;
    expected[Cell::Dec as usize] = ((period - setup.size % period) % period) as u32;
    let threads = u32::try_from(setup.size)?;
    let cells = DeviceBuffer::zeroed(device, CELLS)?;
    let device = device.clone();
    Ok(Filling::boxed(
        [cells],
        [expected],
        Work::Nothing,
        move |stream, [cells]| {
            Ok(device.launch(stream, atomic_inc_dec, config, (threads, cells))?)
        },
    ))
}

/// A sum of whole numbers so small that no order of additions rounds.
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
    let device = device.clone();
    Ok(Filling::boxed(
        [cells],
        [vec![expected]],
        Work::Nothing,
        move |stream, [cells]| Ok(launch(&device, stream, config, &numbers, cells)?),
    ))
}

/// Sums of blocks in the system's scope.
fn scopes(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let config = config(setup)?;
    let numbers: Vec<u32> = input::integers(setup.size, setup.seed)
        .into_iter()
        .map(i32::cast_unsigned)
        .collect();
    let expected = numbers.iter().fold(0, |sum: u32, x| sum.wrapping_add(*x));
    let numbers = DeviceBuffer::from_slice(device, &numbers)?;
    let cells = DeviceBuffer::zeroed(device, ORDERS.len())?;
    let device = device.clone();
    let expected = vec![expected; ORDERS.len()];
    Ok(Filling::boxed(
        [cells],
        [expected],
        Work::Nothing,
        move |stream, [cells]| {
            Ok(device.launch(stream, atomic_scopes, config, (&numbers, cells))?)
        },
    ))
}
