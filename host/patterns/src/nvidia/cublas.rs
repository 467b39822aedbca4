//! cuBLAS: products of dense matrices and vectors. Its matrices are in column-major order, so it
//! sees our matrices transposed.
//! Source: cuBLAS library documentation, `cublas<t>gemm()`, `cublas<t>gemv()`,
//! "cublasSetMathMode()".

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::rc::Rc;

use anyhow::Result;
use lanewise::{Device, DeviceBuffer, DeviceCopy, Stream};

use super::open::{check, functions, version};
use super::{Job, Number, job};

/// `CUBLAS_OP_N`, `CUBLAS_OP_T`, `CUBLAS_PEDANTIC_MATH` (cublas_api.h).
const AS_IT_IS: c_int = 0;
const TURNED: c_int = 1;
const PEDANTIC: c_int = 2;

/// An address that cuBLAS only reads.
type Void = *const c_void;

functions! { Functions "cublas":
    create b"cublasCreate_v2" (*mut *mut c_void);
    destroy b"cublasDestroy_v2" (*mut c_void);
    version b"cublasGetVersion_v2" (*mut c_void, *mut c_int);
    set_stream b"cublasSetStream_v2" (*mut c_void, *mut c_void);
    set_math_mode b"cublasSetMathMode" (*mut c_void, c_int);
    // The parameters are the handle, the transposition of both matrices, three sides, a
    // factor, both matrices with their leading dimensions, a factor, and the product with
    // its leading dimension.
    sgemm b"cublasSgemm_v2" (*mut c_void, c_int, c_int, c_int, c_int, c_int, Void, Void, c_int, Void, c_int, Void, *mut c_void, c_int);
    dgemm b"cublasDgemm_v2" (*mut c_void, c_int, c_int, c_int, c_int, c_int, Void, Void, c_int, Void, c_int, Void, *mut c_void, c_int);
    gemm_ex b"cublasGemmEx" (*mut c_void, c_int, c_int, c_int, c_int, c_int, Void, Void, c_int, c_int, Void, c_int, c_int, Void, *mut c_void, c_int, c_int, c_int, c_int);
    sgemv b"cublasSgemv_v2" (*mut c_void, c_int, c_int, c_int, Void, Void, c_int, Void, c_int, Void, *mut c_void, c_int);
    dgemv b"cublasDgemv_v2" (*mut c_void, c_int, c_int, c_int, Void, Void, c_int, Void, c_int, Void, *mut c_void, c_int);
}

/// The functions of the library and a handle. The handle computes in full single
/// precision, without tf32.
struct Cublas {
    functions: Functions,
    handle: *mut c_void,
}

impl Cublas {
    fn new() -> Result<(Rc<Self>, String)> {
        let functions = Functions::open(&[13, 12, 11])?;
        let mut handle = null_mut();
        // SAFETY: the result is written to a local variable.
        check("cublasCreate", unsafe { (functions.create)(&mut handle) })?;
        let cublas = Self { functions, handle };
        let mut number = 0;
        // SAFETY: the handle was made above, and the result is written to a local variable.
        unsafe {
            check(
                "cublasGetVersion",
                (cublas.functions.version)(handle, &mut number),
            )?;
            check(
                "cublasSetMathMode",
                (cublas.functions.set_math_mode)(handle, PEDANTIC),
            )?;
        }
        let name = format!("cuBLAS {}", version(number, 10_000));
        Ok((Rc::new(cublas), name))
    }

    /// Returns the functions, whose work is queued on `stream` from here on.
    fn on(&self, stream: &Stream) -> Result<&Functions> {
        // SAFETY: both handles are live.
        let status = unsafe { (self.functions.set_stream)(self.handle, stream.raw().cast()) };
        check("cublasSetStream", status)?;
        Ok(&self.functions)
    }
}

impl Drop for Cublas {
    fn drop(&mut self) {
        // SAFETY: `new` made the handle, and nothing else uses it.
        unsafe { (self.functions.destroy)(self.handle) };
    }
}

/// Converts the sides of a matrix to cuBLAS's integers.
fn sides<const N: usize>(sides: [usize; N]) -> Result<[c_int; N]> {
    let mut found = [0; N];
    for (to, side) in found.iter_mut().zip(sides) {
        *to = c_int::try_from(side)?;
    }
    Ok(found)
}

/// Returns the addresses of the two factors of a product, which cuBLAS reads from the host.
fn pointers<T>(factors: &[T; 2]) -> [Void; 2] {
    [&factors[0], &factors[1]].map(|factor| (&raw const *factor).cast())
}

/// Returns the addresses of the buffers that are read on `stream`.
fn read<T: DeviceCopy>(buffers: [&DeviceBuffer<T>; 2], stream: &Stream) -> Result<[Void; 2]> {
    let [one, two] = buffers;
    Ok([one.read_on(stream)?, two.read_on(stream)?].map(|at| at as Void))
}

/// Returns a job that computes `C = alpha A B + beta C` with row-major matrices.
///
/// # Errors
/// An error if cuBLAS is missing, one of its functions fails, or a side does not fit
/// in its integers.
pub fn gemm<T: Number>(
    device: &Device,
    factors: [T; 2],
    [m, n, k]: [usize; 3],
    [a, b, c]: [&[T]; 3],
) -> Result<Box<dyn Job>> {
    let (cublas, name) = Cublas::new()?;
    let [a, b, mut c] = [
        DeviceBuffer::from_slice(device, a)?,
        DeviceBuffer::from_slice(device, b)?,
        DeviceBuffer::from_slice(device, c)?,
    ];
    let [m, n, k] = sides([m, n, k])?;
    Ok(job(name, move |stream| {
        // ANCHOR: call
        let [a, b] = read([&a, &b], stream)?;
        let c = c.write_on(stream)? as *mut c_void;
        let [alpha, beta] = pointers(&factors);
        let functions = cublas.on(stream)?;
        let product = if T::IS_DOUBLE {
            functions.dgemm
        } else {
            functions.sgemm
        };
        // SAFETY: the matrices have these sides, rows are stored without padding, and the uses of
        // the buffers are ordered by the stream. A row-major product here is a column-major product
        // there, with the factors in the other order.
        unsafe {
            let status = product(
                cublas.handle,
                AS_IT_IS,
                AS_IT_IS,
                n,
                m,
                k,
                alpha,
                b,
                n.max(1),
                a,
                k.max(1),
                beta,
                c,
                n.max(1),
            );
            check("cublas gemm", status)
        }
        // ANCHOR_END: call
    }))
}

/// Returns a job that computes `C = A B` of `bf16` in `f32` with the matrix units. `a` is `m` by
/// `k`, and `b` is the transpose of the right factor, `n` by `k`. Both are row-major and hold the
/// bits of their elements.
///
/// # Errors
/// As [`gemm`].
pub fn gemm_bf16(
    device: &Device,
    [m, n, k]: [usize; 3],
    [a, b]: [&[u16]; 2],
) -> Result<Box<dyn Job>> {
    /// `CUDA_R_16BF`, `CUDA_R_32F` (library_types.h), `CUBLAS_COMPUTE_32F`,
    /// `CUBLAS_DEFAULT_MATH`, `CUBLAS_GEMM_DEFAULT` (cublas_api.h).
    const BF16: c_int = 14;
    const F32: c_int = 0;
    const COMPUTE_F32: c_int = 68;
    const DEFAULT_MATH: c_int = 0;
    const DEFAULT_ALGORITHM: c_int = -1;
    let (cublas, name) = Cublas::new()?;
    // SAFETY: the handle was made above.
    let status = unsafe { (cublas.functions.set_math_mode)(cublas.handle, DEFAULT_MATH) };
    check("cublasSetMathMode", status)?;
    let mut c = DeviceBuffer::<f32>::zeroed(device, m * n)?;
    let [a, b] = [
        DeviceBuffer::from_slice(device, a)?,
        DeviceBuffer::from_slice(device, b)?,
    ];
    let [m, n, k] = sides([m, n, k])?;
    let factors = [1.0f32, 0.0];
    Ok(job(name, move |stream| {
        let [a, b] = read([&a, &b], stream)?;
        let c = c.write_on(stream)? as *mut c_void;
        let [alpha, beta] = pointers(&factors);
        let functions = cublas.on(stream)?;
        // SAFETY: the matrices have these sides and types, and the uses of the buffers are
        // ordered by the stream. A row-major matrix here is its transpose there. The transpose of
        // the product is the transpose of the right factor, which is what `b` holds, times that
        // of the left factor.
        unsafe {
            let status = (functions.gemm_ex)(
                cublas.handle,
                TURNED,
                AS_IT_IS,
                n,
                m,
                k,
                alpha,
                b,
                BF16,
                k.max(1),
                a,
                BF16,
                k.max(1),
                beta,
                c,
                F32,
                n.max(1),
                COMPUTE_F32,
                DEFAULT_ALGORITHM,
            );
            check("cublasGemmEx", status)
        }
    }))
}

/// Returns a job that computes `y = alpha A x + beta y`. The rows of `A` have `columns` elements,
/// and their stride is `stride`.
///
/// # Errors
/// As [`gemm`].
pub fn gemv<T: Number>(
    device: &Device,
    factors: [T; 2],
    (a, [rows, columns, stride]): (&[T], [usize; 3]),
    x: &[T],
    y: &[T],
) -> Result<Box<dyn Job>> {
    let (cublas, name) = Cublas::new()?;
    let [a, x, mut y] = [
        DeviceBuffer::from_slice(device, a)?,
        DeviceBuffer::from_slice(device, x)?,
        DeviceBuffer::from_slice(device, y)?,
    ];
    let [rows, columns, stride] = sides([rows, columns, stride])?;
    Ok(job(name, move |stream| {
        let [a, x] = read([&a, &x], stream)?;
        let y = y.write_on(stream)? as *mut c_void;
        let [alpha, beta] = pointers(&factors);
        let functions = cublas.on(stream)?;
        let product = if T::IS_DOUBLE {
            functions.dgemv
        } else {
            functions.sgemv
        };
        // SAFETY: as in `gemm`. Our rows are the columns of a matrix that cuBLAS transposes.
        unsafe {
            let status = product(
                cublas.handle,
                TURNED,
                columns,
                rows,
                alpha,
                a,
                stride.max(1),
                x,
                1,
                beta,
                y,
                1,
            );
            check("cublas gemv", status)
        }
    }))
}
