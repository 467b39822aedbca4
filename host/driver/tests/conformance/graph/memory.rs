//! Allocations of graphs, and the memory that a device holds for them.

use super::parts::{allocation, row};
use crate::fixture::{BYTES, holds, ok};
use crate::rows;
use lanewise_driver::abi::enums::graph_memory_attribute as memory;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null;

rows! {
    "cuGraphAddMemAllocNode: has an address" => SUCCESS, |f| holds(f.allocating().2 != 0);
    "cuGraphAddMemAllocNode: of no bytes" => ERROR_INVALID_VALUE, |f| {
        let mut params = CUDA_MEM_ALLOC_NODE_PARAMS { bytesize: 0, ..allocation() };
        cuGraphAddMemAllocNode(&mut CUgraphNode(0), f.graph(), null(), 0, (&raw mut params).cast())
    };
    "cuGraphMemAllocNodeGetParams: the address" => SUCCESS, |f| {
        let (_, node, address) = f.allocating();
        let mut found = allocation();
        ok(cuGraphMemAllocNodeGetParams(node, (&raw mut found).cast()));
        holds(found.dptr == address && found.bytesize == BYTES)
    };
    "cuGraphAddMemFreeNode: the allocation can be used in between" => SUCCESS, |f| {
        let (graph, node, address) = f.allocating();
        let to = f.device();
        let set = f.set_node(graph, &[node], address, 6);
        let mut copied = CUgraphNode(0);
        ok(cuGraphAddMemcpyNode(&mut copied, graph, &set, 1, &row(address, to, 16), f.context));
        ok(cuGraphAddMemFreeNode(&mut CUgraphNode(0), graph, &copied, 1, address));
        f.run(graph);
        holds(f.word(to) == 6)
    };
    "cuGraphAddMemFreeNode: of memory that no graph allocated" => ERROR_INVALID_VALUE, |f| {
        cuGraphAddMemFreeNode(&mut CUgraphNode(0), f.graph(), null(), 0, f.device())
    };
    "cuGraphMemFreeNodeGetParams: the address" => SUCCESS, |f| {
        let (graph, node, address) = f.allocating();
        let (mut free, mut found) = (CUgraphNode(0), 0);
        ok(cuGraphAddMemFreeNode(&mut free, graph, &node, 1, address));
        ok(cuGraphMemFreeNodeGetParams(free, &mut found));
        holds(found == address)
    };
    "cuDeviceGetGraphMemAttribute: in use after a launch that does not free" => SUCCESS, |f| {
        let (graph, ..) = f.allocating();
        let mut used = 0u64;
        f.run(graph);
        ok(cuDeviceGetGraphMemAttribute(0, memory::USED_MEM_CURRENT, (&raw mut used).cast()));
        holds(used >= BYTES as u64)
    };
    "cuDeviceGetGraphMemAttribute: none" => ERROR_INVALID_VALUE, |_| {
        let mut value = 0u64;
        cuDeviceGetGraphMemAttribute(0, 1000, (&raw mut value).cast())
    };
    "cuDeviceSetGraphMemAttribute: a high-water mark" => SUCCESS, |_| {
        let mut zero = 0u64;
        cuDeviceSetGraphMemAttribute(0, memory::USED_MEM_HIGH, (&raw mut zero).cast())
    };
    "cuDeviceSetGraphMemAttribute: what is in use" => ERROR_INVALID_VALUE, |_| {
        let mut zero = 0u64;
        cuDeviceSetGraphMemAttribute(0, memory::USED_MEM_CURRENT, (&raw mut zero).cast())
    };
    "cuDeviceGraphMemTrim: of the device" => SUCCESS, |_| cuDeviceGraphMemTrim(0);
}
