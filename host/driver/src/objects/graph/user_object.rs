//! User objects: objects of the program that graphs keep alive. They are destroyed when the last
//! reference is released.
//!
//! Source: CUDA driver API reference, `cuUserObjectCreate`. The destructor runs on a separate
//! thread and must not call the driver, like a host function.

use super::node::UserData;
use crate::abi::{CUuserObject, c_void};
use crate::calling;
use crate::error::{Result, ensure, fail};
use crate::objects::handle::ledger::ObjectKind;
use crate::objects::handle::registry::Registry;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

static OBJECTS: Registry<CUuserObject, UserObject> = Registry::to_give_back(ObjectKind::UserObject);

/// An object and the number of references to it.
#[derive(Debug)]
pub(crate) struct UserObject {
    handle: CUuserObject,
    destroy: unsafe extern "C" fn(*mut c_void),
    data: UserData,
    count: Mutex<u64>,
}

/// Makes an object with `count` references, which all belong to the caller.
pub(crate) fn create(
    data: *mut c_void,
    destroy: unsafe extern "C" fn(*mut c_void),
    count: u32,
) -> CUuserObject {
    OBJECTS
        .add(|handle| UserObject {
            handle,
            destroy,
            data: UserData(data),
            count: Mutex::new(u64::from(count)),
        })
        .handle
}

/// Returns the object that `handle` names.
pub(crate) fn get(handle: CUuserObject) -> Result<Arc<UserObject>> {
    match OBJECTS.get(handle) {
        Some(object) => Ok(object),
        None => fail!(
            ERROR_INVALID_VALUE,
            "{:#x} is not a live user object: it was released, or never was one",
            handle.0
        ),
    }
}

impl UserObject {
    /// Adds this many references.
    pub(crate) fn retain(&self, count: u32) {
        *self.count.lock() += u64::from(count);
    }

    /// Releases references. The object is destroyed with the last one.
    pub(crate) fn release(&self, count: u32) -> Result {
        let mut left = self.count.lock();
        ensure!(
            u64::from(count) <= *left,
            ERROR_INVALID_VALUE,
            "{count} references are released; the object has {left}"
        );
        *left -= u64::from(count);
        if *left == 0 {
            OBJECTS.remove(self.handle);
            let (destroy, data) = (self.destroy, self.data);
            let run = move || {
                let UserData(data) = { data };
                // SAFETY: by the contract of `cuUserObjectCreate` the function has this type. It is
                // called once with this data.
                calling::in_callback(|| unsafe { destroy(data) });
            };
            // If the host refuses to start a thread, the caller's thread does it.
            let data_for_caller = self.data;
            if std::thread::Builder::new()
                .name("user object".into())
                .spawn(run)
                .is_err()
            {
                // SAFETY: as above; the thread that would have called it was not made.
                calling::in_callback(|| unsafe { destroy(data_for_caller.0) });
            }
        }
        Ok(())
    }
}

/// The references that a graph holds.
#[derive(Debug, Default)]
pub(crate) struct References(Mutex<HashMap<CUuserObject, u32>>);

impl References {
    /// Adds `count` references. The object counts them here, or with `moved` has
    /// counted them already.
    pub(crate) fn retain(&self, object: &UserObject, count: u32, moved: bool) {
        if !moved {
            object.retain(count);
        }
        *self.0.lock().entry(object.handle).or_default() += count;
    }

    /// Releases `count` references.
    pub(crate) fn release(&self, object: &UserObject, count: u32) -> Result {
        let mut held = self.0.lock();
        let Some(has) = held.get_mut(&object.handle).filter(|has| **has >= count) else {
            fail!(
                ERROR_INVALID_VALUE,
                "the graph does not hold {count} references to the user object {:#x}",
                object.handle.0
            )
        };
        *has -= count;
        drop(held);
        object.release(count)
    }

    /// Adds references to everything that `other` references.
    pub(crate) fn retain_all(&self, other: &References) {
        let held = other.0.lock().clone();
        for (handle, count) in held {
            if let Ok(object) = get(handle) {
                self.retain(&object, count, false);
            }
        }
    }

    /// Releases all references.
    pub(crate) fn release_all(&self) {
        let held = std::mem::take(&mut *self.0.lock());
        for (handle, count) in held {
            if let Ok(object) = get(handle) {
                // The object's count is at least what this graph held.
                let _ = object.release(count);
            }
        }
    }
}
