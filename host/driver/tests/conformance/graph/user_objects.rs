//! Objects of the program that a graph keeps alive.

use super::parts::{comes, count, pointer};
use crate::fixture::{holds, ok};
use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

rows! {
    "cuUserObjectCreate: is destroyed with its last reference" => SUCCESS, |_| {
        // Never freed: the destructor may run late.
        let (counter, mut object) = (&*Box::leak(Box::new(AtomicU32::new(0))), CUuserObject(0));
        ok(cuUserObjectCreate(&mut object, pointer(counter), Some(count), 2, 1));
        ok(cuUserObjectRelease(object, 1));
        let early = counter.load(Ordering::Relaxed);
        ok(cuUserObjectRelease(object, 1));
        holds(early == 0 && comes(counter))
    };
    "cuUserObjectCreate: without flags" => ERROR_INVALID_VALUE, |_| {
        cuUserObjectCreate(&mut CUuserObject(0), null_mut(), Some(count), 1, 0)
    };
    "cuUserObjectCreate: without references" => ERROR_INVALID_VALUE, |_| {
        cuUserObjectCreate(&mut CUuserObject(0), null_mut(), Some(count), 0, 1)
    };
    "cuUserObjectRetain: adds" => SUCCESS, |_| {
        let (counter, mut object) = (&*Box::leak(Box::new(AtomicU32::new(0))), CUuserObject(0));
        ok(cuUserObjectCreate(&mut object, pointer(counter), Some(count), 1, 1));
        ok(cuUserObjectRetain(object, 1));
        ok(cuUserObjectRelease(object, 1));
        let early = counter.load(Ordering::Relaxed);
        ok(cuUserObjectRelease(object, 1));
        holds(early == 0 && comes(counter))
    };
    "cuUserObjectRelease: of no references" => ERROR_INVALID_VALUE, |_| {
        let (counter, mut object) = (&*Box::leak(Box::new(AtomicU32::new(0))), CUuserObject(0));
        ok(cuUserObjectCreate(&mut object, pointer(counter), Some(count), 1, 1));
        let code = cuUserObjectRelease(object, 0);
        ok(cuUserObjectRelease(object, 1));
        code
    };
    "cuGraphRetainUserObject: goes with the graph" => SUCCESS, |f| {
        let (counter, mut object, graph) = (&*Box::leak(Box::new(AtomicU32::new(0))), CUuserObject(0), f.graph());
        ok(cuUserObjectCreate(&mut object, pointer(counter), Some(count), 1, 1));
        ok(cuGraphRetainUserObject(graph, object, 1, 1));
        let early = counter.load(Ordering::Relaxed);
        ok(cuGraphDestroy(graph));
        holds(early == 0 && comes(counter))
    };
    "cuGraphReleaseUserObject: before the graph goes" => SUCCESS, |f| {
        let (counter, mut object, graph) = (&*Box::leak(Box::new(AtomicU32::new(0))), CUuserObject(0), f.graph());
        ok(cuUserObjectCreate(&mut object, pointer(counter), Some(count), 1, 1));
        ok(cuGraphRetainUserObject(graph, object, 1, 1));
        ok(cuGraphReleaseUserObject(graph, object, 1));
        holds(comes(counter))
    };
}
