//! Records of panics on the simulator, where they are memory that only kernels and this module
//! access.

use crate::objects::device::Device;
use crate::panics::{Record, VARIABLE, VARIABLE_SIZE};
use lanewise_sim::{AllocationKind, Fault, Instance, SourcePlace};
use std::sync::Arc;

/// The record of a module's instance. It is freed when nothing refers to it.
#[derive(Debug)]
pub(crate) struct Place {
    device: &'static Device,
    record: u64,
}

impl Place {
    /// Gives an instance a record, if it has the variable. Without memory for a record, panics are
    /// only traps.
    pub(crate) fn of(device: &'static Device, instance: &Instance) -> Option<Arc<Place>> {
        let (variable, size) = instance.global(VARIABLE)?;
        if size != VARIABLE_SIZE {
            return None;
        }
        let bytes = size_of::<Record>() as u64;
        let kind = AllocationKind::Panic;
        let record = device.sim.memory().allocate(bytes, 1, kind, None).ok()?;
        let pointer: *mut u64 = std::ptr::with_exposed_provenance_mut(variable as usize);
        // SAFETY: the variable is live, has at least this size, and is aligned for it. No kernel of
        // the instance runs yet.
        unsafe { pointer.write_unaligned(record) };
        Some(Arc::new(Place { device, record }))
    }

    /// Adds the panic that caused a fault of a kernel of the instance to the fault's report, and
    /// prints it.
    pub(crate) fn tell(&self, instance: &Instance, fault: &mut Fault) {
        let Fault::Trap(report) = fault else {
            return;
        };
        let record = std::ptr::with_exposed_provenance_mut(self.record as usize);
        // SAFETY: the record is allocated, with this size and alignment, until `self` is dropped. A
        // kernel completes its record before it traps, and a complete record is not written.
        let Some(panic) = (unsafe { Record::take(record) }) else {
            return;
        };
        if let Some((variable, VARIABLE_SIZE)) = instance.global(VARIABLE) {
            let state: *mut u32 = std::ptr::with_exposed_provenance_mut(variable as usize + 8);
            // SAFETY: the variable is live as long as the instance, and has this size. The launch
            // that panicked has ended, and a later one may panic too.
            unsafe { state.write_unaligned(0) };
        }
        panic.print();
        report.what = format!("panicked at {}:{}: {}", panic.file, panic.line, panic.text);
        report.place.block = Some(panic.block);
        report.place.thread = Some(panic.thread);
        report.place.source = Some(SourcePlace {
            file: panic.file,
            line: panic.line,
            column: panic.column,
        });
        report.place.stack.clear();
        report.help = None;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // It was allocated when the value was made, and is freed only here.
        let _ = self.device.sim.memory().free(self.record);
    }
}
