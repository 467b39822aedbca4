//! cuSPARSE: a sparse matrix in compressed rows times a vector.
//! Source: cuSPARSE library documentation, "cusparseSpMV()", "cusparseCreateCsr()".

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use anyhow::Result;
use lanewise::{Device, DeviceBuffer};

use super::open::{check, functions, version};
use super::{Job, Number, job};

/// `CUSPARSE_OPERATION_NON_TRANSPOSE`, `CUSPARSE_INDEX_32I`, `CUSPARSE_INDEX_BASE_ZERO`,
/// `CUSPARSE_SPMV_ALG_DEFAULT` (cusparse.h); `CUDA_R_32F`, `CUDA_R_64F` (library_types.h).
const AS_IT_IS: c_int = 0;
const INDEX_32: c_int = 2;
const FROM_ZERO: c_int = 0;
const DEFAULT: c_int = 0;
const SINGLE: c_int = 0;
const DOUBLE: c_int = 1;

functions! { Functions "cusparse":
    create b"cusparseCreate" (*mut *mut c_void);
    destroy b"cusparseDestroy" (*mut c_void);
    version b"cusparseGetVersion" (*mut c_void, *mut c_int);
    set_stream b"cusparseSetStream" (*mut c_void, *mut c_void);
    create_csr b"cusparseCreateCsr" (*mut *mut c_void, i64, i64, i64, *mut c_void, *mut c_void, *mut c_void, c_int, c_int, c_int, c_int);
    create_vector b"cusparseCreateDnVec" (*mut *mut c_void, i64, *mut c_void, c_int);
    destroy_matrix b"cusparseDestroySpMat" (*mut c_void);
    destroy_vector b"cusparseDestroyDnVec" (*mut c_void);
    room b"cusparseSpMV_bufferSize" (*mut c_void, c_int, *const c_void, *mut c_void, *mut c_void, *const c_void, *mut c_void, c_int, c_int, *mut usize);
    multiply b"cusparseSpMV" (*mut c_void, c_int, *const c_void, *mut c_void, *mut c_void, *const c_void, *mut c_void, c_int, c_int, *mut c_void);
}

/// A matrix on the host in compressed rows: its size, starts of rows, columns of
/// elements, and values.
#[derive(Clone, Copy, Debug)]
pub struct Compressed<'a, T> {
    /// The number of rows and the number of columns.
    pub size: [usize; 2],
    /// The index at which each row starts, and the end of the last row.
    pub starts: &'a [u32],
    /// The column of each element.
    pub places: &'a [u32],
    /// The elements that are not zero, row after row.
    pub values: &'a [T],
}

/// The functions of the library and its handles, which are null until they are made.
struct Product {
    functions: Functions,
    handle: *mut c_void,
    matrix: *mut c_void,
    x: *mut c_void,
    y: *mut c_void,
}

impl Drop for Product {
    fn drop(&mut self) {
        // SAFETY: `spmv` made the handles, and nothing else uses them.
        unsafe {
            for vector in [self.x, self.y] {
                if !vector.is_null() {
                    (self.functions.destroy_vector)(vector);
                }
            }
            if !self.matrix.is_null() {
                (self.functions.destroy_matrix)(self.matrix);
            }
            (self.functions.destroy)(self.handle);
        }
    }
}

/// Returns a job that computes `y = A x`.
///
/// # Errors
/// An error if cuSPARSE is missing or one of its functions fails.
pub fn spmv<T: Number + From<u8>>(
    device: &Device,
    matrix: Compressed<'_, T>,
    x: &[T],
) -> Result<Box<dyn Job>> {
    let functions = Functions::open(&[12, 11])?;
    let mut handle = null_mut();
    // SAFETY: the result is written to a local variable.
    check("cusparseCreate", unsafe { (functions.create)(&mut handle) })?;
    let mut product = Product {
        functions,
        handle,
        matrix: null_mut(),
        x: null_mut(),
        y: null_mut(),
    };
    let kind = if T::IS_DOUBLE { DOUBLE } else { SINGLE };
    let factors = [T::from(1), T::from(0)];
    let [one, zero] =
        [&raw const factors[0], &raw const factors[1]].map(|factor| factor.cast::<c_void>());
    let [rows, columns] = matrix.size;
    let indices = [
        DeviceBuffer::from_slice(device, matrix.starts)?,
        DeviceBuffer::from_slice(device, matrix.places)?,
    ];
    let values = DeviceBuffer::from_slice(device, matrix.values)?;
    let x = DeviceBuffer::from_slice(device, x)?;
    let mut y = DeviceBuffer::<T>::zeroed(device, rows)?;
    let (mut number, mut room) = (0, 0);
    // SAFETY: all buffers live as long as the job and have the given lengths. The results are
    // written to valid places, and each handle was made before it is used.
    unsafe {
        let functions = &product.functions;
        check(
            "cusparseGetVersion",
            (functions.version)(handle, &mut number),
        )?;
        let made = (functions.create_csr)(
            &mut product.matrix,
            i64::try_from(rows)?,
            i64::try_from(columns)?,
            i64::try_from(matrix.values.len())?,
            indices[0].address() as *mut c_void,
            indices[1].address() as *mut c_void,
            values.address() as *mut c_void,
            INDEX_32,
            INDEX_32,
            FROM_ZERO,
            kind,
        );
        check("cusparseCreateCsr", made)?;
        let made = (functions.create_vector)(
            &mut product.x,
            i64::try_from(columns)?,
            x.address() as *mut c_void,
            kind,
        );
        check("cusparseCreateDnVec", made)?;
        let made = (functions.create_vector)(
            &mut product.y,
            i64::try_from(rows)?,
            y.address() as *mut c_void,
            kind,
        );
        check("cusparseCreateDnVec", made)?;
        let asked = (functions.room)(
            handle,
            AS_IT_IS,
            one,
            product.matrix,
            product.x,
            zero,
            product.y,
            kind,
            DEFAULT,
            &mut room,
        );
        check("cusparseSpMV_bufferSize", asked)?;
    }
    let mut room = DeviceBuffer::<u8>::zeroed(device, room.max(1))?;
    let name = format!("cuSPARSE {}", version(number, 1000));
    Ok(job(name, move |stream| {
        for of_matrix in &indices {
            of_matrix.read_on(stream)?;
        }
        values.read_on(stream)?;
        x.read_on(stream)?;
        y.write_on(stream)?;
        let at = room.write_on(stream)? as *mut c_void;
        let [one, zero] =
            [&raw const factors[0], &raw const factors[1]].map(|factor| factor.cast::<c_void>());
        let Product {
            functions,
            handle,
            matrix,
            x,
            y,
        } = &product;
        // SAFETY: the handles were made above for these buffers, whose uses are ordered
        // by the stream.
        unsafe {
            check(
                "cusparseSetStream",
                (functions.set_stream)(*handle, stream.raw().cast()),
            )?;
            let status = (functions.multiply)(
                *handle, AS_IT_IS, one, *matrix, *x, zero, *y, kind, DEFAULT, at,
            );
            check("cusparseSpMV", status)
        }
    }))
}
