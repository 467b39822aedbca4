//! A device's results against the CPU's.
//!
//! Integers and copies must be equal. A sum of floats depends on its order, so it must lie within a bound, which the
//! caller derives for each element. A failure answers what one asks next: how many differ, where the first is, both values.
//! Source: notes 003, chapter 2.3.

use std::fmt;

/// Two results that agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// How many elements were compared.
    pub compared: usize,
    /// How many there are.
    pub of: usize,
    /// The largest absolute difference.
    pub max_error: f64,
}

/// Two results that differ.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{differing} of {compared} elements differ{}", .first.as_ref().map_or(String::new(), |first| format!("; {first}")))]
pub struct Mismatch {
    /// How many differ.
    pub differing: usize,
    /// How many were compared.
    pub compared: usize,
    /// The first that differs; `None` when the lengths do.
    pub first: Option<Difference>,
}

/// One element that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Which element.
    pub index: usize,
    /// What the device has.
    pub device: String,
    /// What the CPU has.
    pub cpu: String,
    /// How far they may be apart.
    pub tolerance: f64,
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            index,
            device,
            cpu,
            tolerance,
        } = self;
        write!(
            out,
            "the first is [{index}]: the device has {device}, the CPU {cpu}"
        )?;
        if *tolerance > 0.0 {
            write!(out, ", tolerance {tolerance:e}")
        } else {
            Ok(())
        }
    }
}

/// Whether every element is equal.
///
/// # Errors
/// [`Mismatch`] when one is not, or when the lengths differ.
pub fn equal<T: PartialEq + fmt::Debug>(device: &[T], cpu: &[T]) -> Result<Agreement, Mismatch> {
    if device.len() != cpu.len() {
        return Err(length_mismatch(device.len(), cpu.len()));
    }
    let mut wrong = device
        .iter()
        .zip(cpu)
        .enumerate()
        .filter(|(_, (device, cpu))| device != cpu);
    let Some((index, (first_device, first_cpu))) = wrong.next() else {
        return Ok(Agreement {
            compared: cpu.len(),
            of: cpu.len(),
            max_error: 0.0,
        });
    };
    let (device, cpu_value) = (format!("{first_device:?}"), format!("{first_cpu:?}"));
    let first = Some(Difference {
        index,
        device,
        cpu: cpu_value,
        tolerance: 0.0,
    });
    Err(Mismatch {
        differing: 1 + wrong.count(),
        compared: cpu.len(),
        first,
    })
}

/// A value to hold an element against: what it should be, and how far off it may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// Which element.
    pub index: usize,
    /// What it should be.
    pub value: f64,
    /// How far off it may be.
    pub tolerance: f64,
}

/// Whether each expected element of `device` is within its tolerance. Elements that are not expected are not looked at.
///
/// # Errors
/// [`Mismatch`] when one is farther off, or a NaN, or not there.
pub fn within(
    device: &[f32],
    expected: impl IntoIterator<Item = Expected>,
) -> Result<Agreement, Mismatch> {
    let (mut compared, mut differing, mut max_error, mut first) = (0, 0, 0f64, None);
    for Expected {
        index,
        value,
        tolerance,
    } in expected
    {
        compared += 1;
        let actual = device.get(index).map(|&actual| f64::from(actual));
        let error = actual.map_or(f64::NAN, |actual| (actual - value).abs());
        max_error = max_error.max(error);
        if error.is_nan() || error > tolerance {
            differing += 1;
            let device = actual.map_or("nothing".to_owned(), |actual| format!("{actual:?}"));
            first.get_or_insert(Difference {
                index,
                device,
                cpu: format!("{value:?}"),
                tolerance,
            });
        }
    }
    match first {
        None => Ok(Agreement {
            compared,
            of: device.len(),
            max_error,
        }),
        Some(first) => Err(Mismatch {
            differing,
            compared,
            first: Some(first),
        }),
    }
}

fn length_mismatch(device: usize, cpu: usize) -> Mismatch {
    Mismatch {
        differing: device.abs_diff(cpu),
        compared: device.max(cpu),
        first: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_the_first_difference_and_counts_them() {
        let error = equal(&[1, 2, 3, 9], &[1, 5, 3, 4]).expect_err("two differ");
        assert_eq!(
            error.to_string(),
            "2 of 4 elements differ; the first is [1]: the device has 2, the CPU 5"
        );
        assert_eq!(
            equal(&[1], &[1, 2])
                .expect_err("lengths differ")
                .to_string(),
            "1 of 2 elements differ"
        );
        assert_eq!(
            equal::<i32>(&[], &[]),
            Ok(Agreement {
                compared: 0,
                of: 0,
                max_error: 0.0
            })
        );
    }

    #[test]
    fn within_refuses_nan_and_missing_elements() {
        let expect = |index, value| Expected {
            index,
            value,
            tolerance: 0.5,
        };
        assert!(within(&[1.25], [expect(0, 1.0)]).is_ok());
        assert!(within(&[1.75], [expect(0, 1.0)]).is_err());
        assert!(within(&[f32::NAN], [expect(0, 1.0)]).is_err());
        assert!(within(&[], [expect(0, 1.0)]).is_err());
    }
}
