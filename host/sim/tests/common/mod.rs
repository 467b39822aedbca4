//! What the tests of the machine share: a device, buffers, launches of PTX text.

use lanewise_sim::{AllocationKind, Device, DeviceModel, Fault, Instance, Launch, Module, Report};

/// The head that every module needs.
pub const HEAD: &str = ".version 8.7\n.target sm_90\n.address_size 64\n";

/// A repeatable stream of numbers.
pub struct Numbers(pub u64);

impl Numbers {
    /// The next number, which is less than `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % end
    }

    /// A number of a range, both ends included.
    pub fn within(&mut self, (low, high): (i64, i64)) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }

    /// Rows of random numbers.
    pub fn matrix(&mut self, rows: usize, columns: usize, range: (i64, i64)) -> Vec<Vec<i64>> {
        let mut row = || (0..columns).map(|_| self.within(range)).collect();
        (0..rows).map(|_| row()).collect()
    }

    /// One element of a list.
    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}

/// A module on a device of its own.
pub struct Rig {
    pub device: Device,
    pub instance: Instance,
}

/// A value that is copied to and from device memory without conversion.
pub trait Plain: Copy + Default {}
impl Plain for u8 {}
impl Plain for u16 {}
impl Plain for u32 {}
impl Plain for i32 {}
impl Plain for f32 {}
impl Plain for u64 {}
impl Plain for f64 {}

impl Rig {
    /// Loads PTX. `body` gets the usual head unless it has one.
    pub fn new(body: &str) -> Self {
        Self::on(DeviceModel::h200(), body)
    }

    /// Loads PTX on another device.
    pub fn on(model: DeviceModel, body: &str) -> Self {
        let text = if body.contains(".version") {
            body.to_string()
        } else {
            format!("{HEAD}{body}")
        };
        let module = Module::load(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let device = Device::new(model).expect("the host gives address space");
        let instance = device.instantiate(&module).expect("variables fit");
        Self { device, instance }
    }

    /// Copies `values` to the device.
    pub fn buffer<T: Plain>(&self, values: &[T]) -> u64 {
        self.buffer_aligned(values, 1)
    }

    /// Copies `values` to the device, to an address that is a multiple of `align`.
    pub fn buffer_aligned<T: Plain>(&self, values: &[T], align: u64) -> u64 {
        let bytes = std::mem::size_of_val(values) as u64;
        let at = self
            .device
            .memory()
            .allocate(bytes.max(1), align, AllocationKind::Device, Some("here"))
            .expect("memory");
        self.device.memory().written(at, bytes.max(1));
        // SAFETY: `at` is a live allocation of that many bytes.
        unsafe { (at as *mut T).copy_from_nonoverlapping(values.as_ptr(), values.len()) };
        at
    }

    /// Allocates bytes of device memory that nothing has written.
    pub fn unwritten(&self, bytes: u64) -> u64 {
        let memory = self.device.memory();
        let at = memory.allocate(bytes, 1, AllocationKind::Device, Some("there"));
        at.expect("memory")
    }

    /// Copies `len` values from the device.
    pub fn read<T: Plain>(&self, at: u64, len: usize) -> Vec<T> {
        assert!(
            self.device
                .memory()
                .is_accessible(at, (len * size_of::<T>()) as u64)
        );
        // SAFETY: the assertion above.
        unsafe { std::slice::from_raw_parts(at as *const T, len) }.to_vec()
    }

    /// Runs a kernel with 64-bit parameters.
    pub fn run(
        &self,
        kernel: &str,
        grid: u32,
        block: u32,
        params: &[u64],
    ) -> Result<Report, Fault> {
        let bytes: Vec<u8> = params.iter().flat_map(|p| p.to_le_bytes()).collect();
        self.device.launch(
            &self.instance,
            &Launch::new(kernel, [grid, 1, 1], [block, 1, 1], &bytes),
        )
    }

    /// Runs a kernel and expects it to complete.
    #[track_caller]
    pub fn ok(&self, kernel: &str, grid: u32, block: u32, params: &[u64]) -> Report {
        self.run(kernel, grid, block, params)
            .unwrap_or_else(|fault| panic!("error: {fault}"))
    }

    /// Runs a kernel and expects a fault; returns the whole report.
    #[track_caller]
    pub fn fault(&self, kernel: &str, grid: u32, block: u32, params: &[u64]) -> String {
        match self.run(kernel, grid, block, params) {
            Ok(_) => panic!("`{kernel}` ran to its end"),
            Err(fault) => fault.to_string(),
        }
    }
}
