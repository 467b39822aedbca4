//! Comparison of a device's results with the CPU's.
//!
//! Integers and copies must be equal. A sum of floats depends on its order, so it must lie within a
//! bound, which the caller derives for each element. A failure reports how many elements differ,
//! the index of the first one, and both of its values.
//! Source: Fengchen's introduction, chapter 2.3.

use std::fmt;

/// Two results that agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// The number of elements that were compared.
    pub compared: usize,
    /// The number of elements of the results.
    pub of: usize,
    /// The largest absolute difference.
    pub max_error: f64,
}

/// Two results that differ.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{differing} of {compared} elements differ{}", .first.as_ref().map_or(String::new(), |first| format!("; {first}")))]
pub struct Mismatch {
    /// The number of elements that differ.
    pub differing: usize,
    /// The number of elements that were compared.
    pub compared: usize,
    /// The first element that differs; `None` if the lengths differ.
    pub first: Option<Difference>,
}

/// One element that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The index of the element in the device's array.
    pub index: usize,
    /// The value that the device has there.
    pub device: String,
    /// The value that the CPU has there.
    pub cpu: String,
    /// The largest allowed absolute difference.
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

/// Checks that all elements are equal.
///
/// # Errors
/// [`Mismatch`] if an element differs, or if the lengths differ.
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

/// An element's expected value and tolerance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// The index of the element in the device's array.
    pub index: usize,
    /// The value that it should have.
    pub value: f64,
    /// The largest allowed absolute difference.
    pub tolerance: f64,
}

/// Checks that each expected element of `device` is within its tolerance. Other
/// elements are ignored.
///
/// # Errors
/// [`Mismatch`] if an element is not within its tolerance, is a NaN, or does not exist.
pub fn within<T: Copy + Into<f64> + fmt::Debug>(
    device: &[T],
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
        let actual = device.get(index);
        let error = actual.map_or(f64::NAN, |&actual| (actual.into() - value).abs());
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

/// Every `step`-th element, from `offset` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Every {
    /// The index of the first element.
    pub offset: usize,
    /// The distance to the next element. With 0 every element is the same one.
    pub step: usize,
}

impl Every {
    /// All elements, one after another.
    pub const ONE: Self = Self { offset: 0, step: 1 };

    /// Returns the index of the `i`-th selected element, or `None` if it overflows.
    fn index(self, i: usize) -> Option<usize> {
        i.checked_mul(self.step)?.checked_add(self.offset)
    }
}

/// A comparison of some elements of one array with some of another, for any number
/// type.
///
/// ```
/// use lanewise::testing::{Every, Matching};
///
/// // The second column of a matrix with three, against a vector.
/// let device = [0.0f32, 1.0, 0.0, 0.0, 2.000001, 0.0];
/// let matching = Matching::of(2).device(Every { offset: 1, step: 3 }).relative(1e-6);
/// matching.assert(&device, &[1.0, 2.0]);
/// assert!(matching.relative(1e-9).check(&device, &[1.0, 2.0]).is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matching {
    count: usize,
    device: Every,
    cpu: Every,
    relative: f64,
}

impl Matching {
    /// Compares the first `count` elements of both arrays, which must be equal.
    pub fn of(count: usize) -> Self {
        Self {
            count,
            device: Every::ONE,
            cpu: Every::ONE,
            relative: 0.0,
        }
    }

    /// Selects the elements of the device's array.
    #[must_use]
    pub fn device(self, device: Every) -> Self {
        Self { device, ..self }
    }

    /// Selects the elements of the CPU's array.
    #[must_use]
    pub fn cpu(self, cpu: Every) -> Self {
        Self { cpu, ..self }
    }

    /// Sets the largest allowed difference, as a fraction of the larger value. Two zeros match, and
    /// so do equal infinities.
    #[must_use]
    pub fn relative(self, relative: f64) -> Self {
        Self { relative, ..self }
    }

    /// Compares the values with the reference, element by element.
    ///
    /// # Errors
    /// [`Mismatch`] if two values differ by more than the tolerance, or if one is a NaN or does not
    /// exist. Its indices are those of the device's array.
    pub fn check<T: Copy + Into<f64>>(
        &self,
        device: &[T],
        cpu: &[T],
    ) -> Result<Agreement, Mismatch> {
        let (mut differing, mut max_error, mut first) = (0, 0f64, None);
        for i in 0..self.count {
            let at = |values: &[T], every: Every| -> Option<f64> {
                values.get(every.index(i)?).map(|&value| value.into())
            };
            let (actual, expected) = (at(device, self.device), at(cpu, self.cpu));
            let tolerance = self.relative * larger(actual).max(larger(expected));
            let error = match (actual, expected) {
                (Some(actual), Some(expected)) if actual == expected => 0.0,
                (Some(actual), Some(expected)) => (actual - expected).abs(),
                _ => f64::NAN,
            };
            max_error = max_error.max(error);
            if error.is_nan() || error.is_infinite() || error > tolerance {
                differing += 1;
                first.get_or_insert_with(|| Difference {
                    index: self.device.index(i).unwrap_or(usize::MAX),
                    device: printed(actual),
                    cpu: printed(expected),
                    tolerance,
                });
            }
        }
        match first {
            None => Ok(Agreement {
                compared: self.count,
                of: device.len(),
                max_error,
            }),
            first => Err(Mismatch {
                differing,
                compared: self.count,
                first,
            }),
        }
    }

    /// As [`check`](Self::check), but panics if the values do not match.
    ///
    /// # Panics
    /// If the values do not match, with the mismatch and the caller's line.
    #[track_caller]
    pub fn assert<T: Copy + Into<f64>>(&self, device: &[T], cpu: &[T]) {
        if let Err(mismatch) = self.check(device, cpu) {
            panic!("{mismatch}");
        }
    }
}

/// Returns the absolute value, or 0 if there is no value.
fn larger(value: Option<f64>) -> f64 {
    value.map_or(0.0, f64::abs)
}

fn printed(value: Option<f64>) -> String {
    value.map_or("nothing".to_owned(), |value| format!("{value:?}"))
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
    fn matching_looks_at_the_elements_it_is_asked_for_and_no_other() {
        let (device, cpu) = ([9, 1, 9, 2, 9, 3], [8, 8, 1, 2, 3]);
        let matching = Matching::of(3)
            .device(Every { offset: 1, step: 2 })
            .cpu(Every { offset: 2, step: 1 });
        assert_eq!(matching.check(&device, &cpu).map(|a| a.compared), Ok(3));
        let error = Matching::of(3)
            .check(&device, &cpu)
            .expect_err("9 is not 8");
        assert_eq!(
            error.to_string(),
            "3 of 3 elements differ; the first is [0]: the device has 9.0, the CPU 8.0"
        );
        let past = Matching {
            count: 4,
            ..matching
        };
        assert!(past.check(&device, &cpu).is_err(), "there is no fourth");
        let far = Matching::of(2).device(Every {
            offset: 0,
            step: usize::MAX,
        });
        assert!(
            far.check(&device, &[9, 9]).is_err(),
            "an index that does not fit"
        );
        assert!(Matching::of(0).check::<i32>(&[], &[]).is_ok());
    }

    #[test]
    fn matching_is_relative_and_refuses_nan_and_infinities_that_differ() {
        let check = |device: f64, cpu: f64| Matching::of(1).relative(1e-3).check(&[device], &[cpu]);
        assert!(check(1000.0, 1000.9).is_ok());
        assert!(check(1000.0, 1001.1).is_err());
        assert!(
            check(1e-9, 1.0005e-9).is_ok(),
            "small values have small tolerances"
        );
        assert!(check(1e-9, 2e-9).is_err());
        assert!(
            check(0.0, -0.0).is_ok(),
            "where the quotient would be a NaN"
        );
        assert!(check(0.0, 1e-30).is_err());
        assert!(check(f64::NAN, f64::NAN).is_err());
        assert!(check(f64::INFINITY, f64::INFINITY).is_ok());
        assert!(check(f64::INFINITY, 1.0).is_err());
    }

    #[test]
    #[should_panic = "1 of 2 elements differ; the first is [1]: the device has 2.0, the CPU 3.0"]
    fn a_failed_assertion_says_which_and_by_how_much() {
        Matching::of(2).assert(&[1.0f32, 2.0], &[1.0, 3.0]);
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
        assert!(within::<f32>(&[], [expect(0, 1.0)]).is_err());
    }
}
