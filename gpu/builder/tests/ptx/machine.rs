//! Runs PTX that was built on the simulator.

use std::cell::RefCell;

use lanewise_sim::{AllocationKind, Device, DeviceModel, Launch, Module};

/// A module on a simulated device.
pub(crate) struct Machine {
    device: Device,
    instance: lanewise_sim::Instance,
    /// The memory that `words` allocated.
    allocated: RefCell<Vec<u64>>,
}

impl Machine {
    pub(crate) fn load(ptx: &str) -> Machine {
        let module = Module::load(ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
        let device = Device::new(DeviceModel::h200()).expect("address space");
        let instance = device.instantiate(&module).expect("it fits");
        Machine {
            device,
            instance,
            allocated: RefCell::default(),
        }
    }

    /// Copies these words to the device and returns the address.
    pub(crate) fn words(&self, words: &[u32]) -> u64 {
        let bytes = size_of_val(words) as u64;
        let memory = self.device.memory();
        let at = memory
            .allocate(bytes, 16, AllocationKind::Device, None)
            .expect("room");
        // SAFETY: this many bytes were just allocated there.
        unsafe { (at as *mut u32).copy_from_nonoverlapping(words.as_ptr(), words.len()) };
        self.allocated.borrow_mut().push(at);
        at
    }

    /// Frees everything that `words` allocated.
    pub(crate) fn free(&self) {
        for at in self.allocated.take() {
            self.device.memory().free(at).expect("it is live");
        }
    }

    /// Runs one block of a kernel whose parameters are these bytes, and returns the words at
    /// `result` after the run.
    pub(crate) fn run(
        &self,
        kernel: &str,
        threads: u32,
        params: &[u8],
        result: u64,
        length: usize,
    ) -> Vec<u32> {
        let launch = Launch::new(kernel, [1; 3], [threads, 1, 1], params);
        self.device
            .launch(&self.instance, &launch)
            .unwrap_or_else(|error| panic!("{error}"));
        // SAFETY: the caller allocated them by `words`.
        unsafe { std::slice::from_raw_parts(result as *const u32, length) }.to_vec()
    }
}

/// Parameters one after another, each at a multiple of its size.
pub(crate) fn params(values: &[(u64, usize)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (value, size) in values {
        bytes.resize(bytes.len().next_multiple_of(*size), 0);
        bytes.extend(&value.to_le_bytes()[..*size]);
    }
    bytes
}

/// A parameter of this type, like the next two functions.
pub(crate) const fn int(value: u32) -> (u64, usize) {
    (value as u64, 4)
}

pub(crate) const fn float(value: f32) -> (u64, usize) {
    (value.to_bits() as u64, 4)
}

pub(crate) const fn wide(value: u64) -> (u64, usize) {
    (value, 8)
}

/// Runs a kernel and returns `length` words. They were 0 before, and are its last parameter.
pub(crate) fn written(ptx: &str, kernel: &str, before: &[(u64, usize)], length: usize) -> Vec<u32> {
    let machine = Machine::load(ptx);
    let output = machine.words(&vec![0; length]);
    let all: Vec<_> = before.iter().copied().chain([wide(output)]).collect();
    machine.run(kernel, 1, &params(&all), output, length)
}
