//! Graphs built node by node.
//!
//! A builder lives in a closure, and its nodes carry the closure's lifetime: so a node can wait for nodes of the same graph alone, and for those alone
//! that are there before it. There is no way to say a circle.
//!
//! Source: CUDA driver API, "Graph Management"; CUDA C++ Programming Guide, "Creating a Graph Using Graph APIs", "Graph Memory Nodes".

use std::ffi::c_void;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::ptr::null_mut;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use cust::memory::DeviceCopy;
use lanewise_driver::abi::{
    CUDA_HOST_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS, CUDA_MEM_ALLOC_NODE_PARAMS, CUDA_MEMCPY3D,
    CUDA_MEMSET_NODE_PARAMS, CUarray, CUcontext, CUevent, CUfunction, CUgraph, CUgraphNode,
    CUkernel, CUmemLocation, CUmemPoolProps, CUresult, Side3D,
};
use lanewise_driver::api;
use lanewise_std::kernel::{Kernel, SafeKernel};

use super::error::GraphError;
use super::record::{Record, Recorded};
use super::template::{Entry, GraphTemplate, Handle, HostFunction, Keep, Kind, number, placed};
use super::uses::{RecordableAll, Used};
use crate::launch::{Ready, attributes};
use crate::order::Access;
use crate::{
    Arguments, Device, DeviceBuffer, DriverError, Event, GraphBuffer, LaunchConfig, LaunchError,
    MemoryError,
};

/// A node of the graph that is being built, for others to wait for.
///
/// It can't leave its builder:
/// ```compile_fail
/// # use lanewise::{Device, GraphError};
/// # fn f(device: Device) -> Result<(), GraphError> {
/// let (_, node) = device.build_graph(|graph| graph.empty(&[]))?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Node<'graph> {
    number: usize,
    // No other graph's lifetime will do, longer or shorter.
    graph: PhantomData<fn(&'graph ()) -> &'graph ()>,
}

/// A kernel's node, to be given other arguments in graphs made executable: [`Graph::set_launch`](super::Graph::set_launch).
#[derive(Debug)]
pub struct KernelNode<K> {
    key: u64,
    kernel: PhantomData<fn() -> K>,
}

impl<K> KernelNode<K> {
    /// Which node it is.
    pub(super) fn key(self) -> u64 {
        self.key
    }
}

impl<K> Clone for KernelNode<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for KernelNode<K> {}

/// Memory that a node of a graph may copy or fill: a whole device buffer, or memory of the graph's own.
pub trait GraphMemory<T: DeviceCopy>: sealed::GraphMemory<T> {}
impl<T: DeviceCopy> GraphMemory<T> for DeviceBuffer<T> {}
impl<T: DeviceCopy> GraphMemory<T> for GraphBuffer<'_, T> {}

mod sealed {
    use super::{DeviceBuffer, DeviceCopy, GraphBuffer};

    pub trait GraphMemory<T: DeviceCopy> {
        fn buffer(&self) -> &DeviceBuffer<T>;
    }

    impl<T: DeviceCopy> GraphMemory<T> for DeviceBuffer<T> {
        fn buffer(&self) -> &DeviceBuffer<T> {
            self
        }
    }

    impl<T: DeviceCopy> GraphMemory<T> for GraphBuffer<'_, T> {
        fn buffer(&self) -> &DeviceBuffer<T> {
            self
        }
    }
}

/// A graph that is being built.
///
/// Every method that adds a node takes the nodes that it waits for. Beside those it waits for the nodes before it that write what it uses, or use what
/// it writes: whatever is left out, a graph does to its buffers what its nodes would do one after another, in the order in which they were added.
/// What is not ordered by either may run side by side.
pub struct GraphBuilder<'graph> {
    device: Device,
    number: u64,
    handle: Arc<Handle>,
    nodes: Vec<Entry>,
    /// Memory of the graph's own that no node frees yet: its address, and whose uses those are.
    allocated: Vec<(u64, Used)>,
    graph: PhantomData<fn(&'graph ()) -> &'graph ()>,
}

impl std::fmt::Debug for GraphBuilder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a graph of {} nodes so far", self.nodes.len())
    }
}

impl Device {
    /// Builds a graph node by node. None of its work is done until it is made executable and launched. What `build` answers comes back beside the graph:
    /// the nodes that are to be changed later.
    ///
    /// ```
    /// use kernels::vec_add;
    /// use lanewise::{Device, DeviceBuffer, LaunchConfig};
    ///
    /// let device = Device::open()?;
    /// let stream = device.stream()?;
    /// let config = LaunchConfig::for_num_elems(100);
    /// let one = DeviceBuffer::from_slice(&device, &[1.0f32; 100])?;
    /// let [mut a, mut b, mut c] = [(); 3].map(|()| DeviceBuffer::<f32>::zeroed(&device, 100).unwrap());
    ///
    /// let (template, last) = device.build_graph(|graph| {
    ///     let filled = graph.fill(&[], &mut a, 5.0)?; // beside the next
    ///     graph.launch(&[], vec_add, config, (&one, &one, &mut b))?;
    ///     let (_, last) = graph.launch_to_change(&[filled], vec_add, config, (&a, &b, &mut c))?; // waits for both
    ///     Ok(last)
    /// })?;
    /// let mut executable = template.instantiate()?;
    /// executable.launch(&stream)?;
    /// assert_eq!(c.to_vec()?, [7.0; 100]);
    ///
    /// executable.set_launch(last, config, (&a, &a, &mut c))?;
    /// executable.launch(&stream)?;
    /// assert_eq!(c.to_vec()?, [10.0; 100]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// What `build` answers, or the driver's.
    #[track_caller]
    pub fn build_graph<R>(
        &self,
        build: impl for<'graph> FnOnce(&mut GraphBuilder<'graph>) -> Result<R, GraphError>,
    ) -> Result<(GraphTemplate, R), GraphError> {
        let at = Location::caller();
        self.make_current(at)?;
        let empty = GraphTemplate {
            device: self.clone(),
            handle: Arc::new(Handle::create(at)?),
            nodes: Vec::new(),
        };
        continued(empty, build, at)
    }
}

impl GraphTemplate {
    /// Another graph: the nodes of this one, and those that `build` adds, which find the others in [`GraphBuilder::nodes`].
    ///
    /// # Errors
    /// As [`Device::build_graph`] and [`Self::try_clone`].
    #[track_caller]
    pub fn extend<R>(
        &self,
        build: impl for<'graph> FnOnce(&mut GraphBuilder<'graph>) -> Result<R, GraphError>,
    ) -> Result<(GraphTemplate, R), GraphError> {
        continued(self.try_clone()?, build, Location::caller())
    }
}

/// The graph with what `build` adds to it. Nobody else has it yet.
fn continued<R>(
    graph: GraphTemplate,
    build: impl for<'graph> FnOnce(&mut GraphBuilder<'graph>) -> Result<R, GraphError>,
    at: &'static Location<'static>,
) -> Result<(GraphTemplate, R), GraphError> {
    let GraphTemplate {
        device,
        handle,
        nodes,
    } = graph;
    let mut builder = GraphBuilder {
        device,
        number: number(),
        handle,
        nodes,
        allocated: Vec::new(),
        graph: PhantomData,
    };
    let answer = build(&mut builder)?;
    while let Some((address, used)) = builder.allocated.pop() {
        builder.add_free(&[], address, used, at)?;
    }
    let GraphBuilder {
        device,
        handle,
        nodes,
        ..
    } = builder;
    let made = GraphTemplate {
        device,
        handle,
        nodes,
    };
    Ok((made, answer))
}

/// What a node is made of, before the driver has it.
struct New {
    what: String,
    kind: Kind,
    uses: Vec<Used>,
    keeps: Vec<Keep>,
}

impl New {
    /// A node that uses no memory and keeps nothing alive.
    fn plain(what: &'static str) -> Self {
        Self {
            what: what.to_owned(),
            kind: Kind::Other(what),
            uses: Vec::new(),
            keeps: Vec::new(),
        }
    }
}

impl<'graph> GraphBuilder<'graph> {
    /// The nodes so far.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'graph>> + use<'graph> {
        (0..self.nodes.len()).map(node)
    }

    /// Adds a node by `call`, which is given the result's place, the graph, and what to wait for.
    fn add(
        &mut self,
        after: &[Node<'graph>],
        new: New,
        (name, at): (&'static str, &'static Location<'static>),
        call: impl FnOnce(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize) -> CUresult,
    ) -> Result<Node<'graph>, DriverError> {
        let after: Vec<usize> = after.iter().map(|node| node.number).collect();
        let (direct, before) = placed(&self.nodes, &after, &new.uses);
        let handles: Vec<_> = direct
            .iter()
            .map(|&number| self.nodes[number].handle)
            .collect();
        self.device.make_current(at)?;
        let mut handle = CUgraphNode::default();
        let (graph, _turn) = self.handle.turn();
        let result = call(&mut handle, graph, handles.as_ptr(), handles.len());
        DriverError::check_code(name, result, at)?;
        self.nodes.push(Entry {
            key: number(),
            handle,
            what: new.what,
            kind: new.kind,
            direct,
            before,
            uses: new.uses,
            keeps: new.keeps,
        });
        Ok(node(self.nodes.len() - 1))
    }

    /// What a node uses of a buffer.
    fn uses<T: DeviceCopy>(
        &self,
        buffer: &DeviceBuffer<T>,
        access: Access,
    ) -> Result<Used, GraphError> {
        buffer
            .recorded(&self.device.default_stream(), access, Some(self.number))
            .ok_or(GraphError::NotWhole)
    }

    /// The device's context, for calls that take one.
    fn context(&self) -> CUcontext {
        CUcontext(self.device.context().expose_provenance())
    }

    /// Adds a node that does nothing, where many wait for many.
    ///
    /// # Errors
    /// The driver's.
    #[track_caller]
    pub fn empty(&mut self, after: &[Node<'graph>]) -> Result<Node<'graph>, GraphError> {
        self.add_empty(after, New::plain("an empty node"), Location::caller())
    }

    fn add_empty(
        &mut self,
        after: &[Node<'graph>],
        new: New,
        at: &'static Location<'static>,
    ) -> Result<Node<'graph>, GraphError> {
        let call = ("cuGraphAddEmptyNode", at);
        Ok(self.add(after, new, call, |node, graph, after, count| {
            // SAFETY: the result has a place, the graph is live, and so many nodes of it are there.
            unsafe { api::cuGraphAddEmptyNode(node, graph, after, count) }
        })?)
    }

    /// Adds a launch.
    ///
    /// # Errors
    /// As [`Device::launch`]; [`GraphError::NotWhole`]; [`GraphError::StartsEarly`].
    #[track_caller]
    pub fn launch<K: SafeKernel, A: Arguments<K::Params> + RecordableAll>(
        &mut self,
        after: &[Node<'graph>],
        kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<Node<'graph>, GraphError> {
        // SAFETY: a `SafeKernel` asks nothing of its caller.
        unsafe { self.launch_unchecked(after, kernel, config, arguments) }
    }

    /// Adds a launch that is to be given other arguments later, and says so by what comes back beside the node.
    ///
    /// # Errors
    /// As [`Self::launch`].
    #[track_caller]
    pub fn launch_to_change<K: SafeKernel, A: Arguments<K::Params> + RecordableAll>(
        &mut self,
        after: &[Node<'graph>],
        kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(Node<'graph>, KernelNode<K>), GraphError> {
        let node = self.launch(after, kernel, config, arguments)?;
        let (key, kernel) = (self.nodes[node.number].key, PhantomData);
        Ok((node, KernelNode { key, kernel }))
    }

    /// Adds a launch of a kernel that asks something of its caller.
    ///
    /// # Errors
    /// As [`Self::launch`].
    ///
    /// # Safety
    /// What the kernel's `# Safety` section says holds whenever the graph is launched.
    #[track_caller]
    pub unsafe fn launch_unchecked<K: Kernel, A: Arguments<K::Params> + RecordableAll>(
        &mut self,
        after: &[Node<'graph>],
        _kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<Node<'graph>, GraphError> {
        let at = Location::caller();
        let what = format!("the launch of `{}` at {at}", K::NAME);
        if config.starts_early {
            return Err(GraphError::StartsEarly { node: what });
        }
        let module = self.device.module_of::<K>().map_err(LaunchError::from)?;
        let (stream, graph) = (self.device.default_stream(), Some(self.number));
        let mut added = Err(GraphError::NotWhole);
        let place = |ready: Ready<'_>| {
            let Some(uses) = ready.uses.iter().cloned().collect() else {
                return Ok(()); // and `added` says why
            };
            let attributes = attributes(&ready.config);
            let new = New {
                what,
                kind: Kind::Kernel(ready.config.cluster, ready.config.cooperative),
                uses,
                keeps: Vec::new(),
            };
            let params = kernel_params(ready);
            let call = ("cuGraphAddKernelNode", at);
            let node = self.add(after, new, call, |node, graph, after, count| {
                let params = (&raw const params).cast();
                // SAFETY: the result has a place, the graph is live, so many nodes of it are there, and the parameters are the kernel's.
                unsafe { api::cuGraphAddKernelNode_v2(node, graph, after, count, params) }
            })?;
            let handle = self.nodes[node.number].handle;
            for attribute in attributes {
                // SAFETY: the node is live, and the value is of this attribute.
                let result = unsafe {
                    api::cuGraphKernelNodeSetAttribute(handle, attribute.id, &attribute.value)
                };
                DriverError::check_code("cuGraphKernelNodeSetAttribute", result, at)?;
            }
            added = Ok(node);
            Ok(())
        };
        // SAFETY: the caller vouches for the kernel; each launch of the graph keeps order among the buffers' uses, and the graph does inside.
        unsafe { module.place_launch::<K, A>(&stream, graph, config, arguments, place) }?;
        added
    }

    /// Adds a copy from one buffer to another.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`]; [`GraphError::NotWhole`]; the driver's.
    #[track_caller]
    pub fn copy<T: DeviceCopy>(
        &mut self,
        after: &[Node<'graph>],
        from: &impl GraphMemory<T>,
        to: &mut impl GraphMemory<T>,
    ) -> Result<Node<'graph>, GraphError> {
        let at = Location::caller();
        let (from, to) = (from.buffer(), to.buffer());
        if from.len() != to.len() {
            let (buffer, host) = (to.len(), from.len());
            return Err(MemoryError::LengthMismatch { buffer, host, at }.into());
        }
        let new = New {
            what: format!("the copy at {at}"),
            uses: vec![
                self.uses(from, Access::Read)?,
                self.uses(to, Access::Write)?,
            ],
            ..New::plain("a copy")
        };
        let bytes = from.len() * size_of::<T>();
        if bytes == 0 {
            return self.add_empty(after, new, at);
        }
        let params = CUDA_MEMCPY3D {
            src: side(from.address(), bytes),
            dst: side(to.address(), bytes),
            width_in_bytes: bytes,
            height: 1,
            depth: 1,
        };
        let (context, call) = (self.context(), ("cuGraphAddMemcpyNode", at));
        Ok(self.add(after, new, call, |node, graph, after, count| {
            // SAFETY: the result has a place, the graph is live, so many nodes of it are there; both ends have so many bytes, and the graph is not
            // launched once one of them is gone.
            unsafe { api::cuGraphAddMemcpyNode(node, graph, after, count, &params, context) }
        })?)
    }

    /// Adds setting every byte of a buffer to zero.
    ///
    /// # Errors
    /// [`GraphError::NotWhole`]; the driver's.
    #[track_caller]
    pub fn fill_zero<T: DeviceCopy + Zeroable>(
        &mut self,
        after: &[Node<'graph>],
        buffer: &mut impl GraphMemory<T>,
    ) -> Result<Node<'graph>, GraphError> {
        let buffer = buffer.buffer();
        // A buffer has no more bytes than its address says; rows of one width are what the driver takes.
        let bytes = buffer.len() * size_of::<T>();
        self.set(after, buffer, (0, 1, bytes), Location::caller())
    }

    /// Adds setting every element of a buffer to `value`, of 1, 2 or 4 bytes.
    ///
    /// # Errors
    /// As [`Self::fill_zero`].
    #[track_caller]
    pub fn fill<T: DeviceCopy + Pod>(
        &mut self,
        after: &[Node<'graph>],
        buffer: &mut impl GraphMemory<T>,
        value: T,
    ) -> Result<Node<'graph>, GraphError> {
        const {
            assert!(
                matches!(size_of::<T>(), 1 | 2 | 4),
                "memory is filled with values of 1, 2 or 4 bytes"
            );
        };
        let mut word = [0; 4];
        word[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&value));
        let pattern = (u32::from_le_bytes(word), size_of::<T>() as u32);
        let buffer = buffer.buffer();
        let width = buffer.len();
        self.set(
            after,
            buffer,
            (pattern.0, pattern.1, width),
            Location::caller(),
        )
    }

    fn set<T: DeviceCopy>(
        &mut self,
        after: &[Node<'graph>],
        buffer: &DeviceBuffer<T>,
        (value, element_size, width): (u32, u32, usize),
        at: &'static Location<'static>,
    ) -> Result<Node<'graph>, GraphError> {
        let new = New {
            what: format!("the fill at {at}"),
            uses: vec![self.uses(buffer, Access::Write)?],
            ..New::plain("a fill")
        };
        if width == 0 {
            return self.add_empty(after, new, at);
        }
        let params = CUDA_MEMSET_NODE_PARAMS {
            dst: buffer.address(),
            pitch: width * element_size as usize,
            value,
            element_size,
            width,
            height: 1,
        };
        let (context, call) = (self.context(), ("cuGraphAddMemsetNode", at));
        Ok(self.add(after, new, call, |node, graph, after, count| {
            let params = (&raw const params).cast();
            // SAFETY: the result has a place, the graph is live, so many nodes of it are there; the buffer has so many elements of this size, and the
            // graph is not launched once it is gone. Its elements may be anything, or all zeros, as the two callers say.
            unsafe { api::cuGraphAddMemsetNode(node, graph, after, count, params, context) }
        })?)
    }

    /// Adds a call of `function` on the host, on a thread of the driver's, at every launch.
    ///
    /// It must not use the device, as for [`Stream::call`](crate::Stream::call), and what it panics with is printed.
    ///
    /// # Errors
    /// The driver's.
    #[track_caller]
    pub fn call(
        &mut self,
        after: &[Node<'graph>],
        function: impl Fn() + Send + Sync + 'static,
    ) -> Result<Node<'graph>, GraphError> {
        /// Calls the function at `data`.
        unsafe extern "C" fn run(data: *mut c_void) {
            // SAFETY: `data` is the box in the `Arc` that is kept for the node, which whoever launches it has.
            let function = unsafe { &*data.cast::<Box<dyn Fn() + Send + Sync>>() };
            // The panic's hook has said what it was; unwinding into the driver must not be.
            let _ = catch_unwind(AssertUnwindSafe(function));
        }
        let at = Location::caller();
        let function: HostFunction = Arc::new(Box::new(function));
        let params = CUDA_HOST_NODE_PARAMS {
            function: Some(run),
            user_data: Arc::as_ptr(&function).cast_mut().cast(),
        };
        let new = New {
            what: format!("the call at {at}"),
            keeps: vec![Keep::Function(function)],
            ..New::plain("a call of the host")
        };
        let call = ("cuGraphAddHostNode", at);
        Ok(self.add(after, new, call, |node, graph, after, count| {
            let params = (&raw const params).cast();
            // SAFETY: the result has a place, the graph is live, so many nodes of it are there, and the function is given what it takes.
            unsafe { api::cuGraphAddHostNode(node, graph, after, count, params) }
        })?)
    }

    /// Adds another graph as one node, as it is now. One with memory of its own can't be one.
    ///
    /// # Errors
    /// The driver's.
    #[track_caller]
    pub fn child(
        &mut self,
        after: &[Node<'graph>],
        graph: &GraphTemplate,
    ) -> Result<Node<'graph>, GraphError> {
        let of = |node: &Entry| node.uses.clone();
        let new = New {
            uses: graph.nodes.iter().flat_map(of).collect(),
            keeps: graph
                .nodes
                .iter()
                .flat_map(|node| node.keeps.clone())
                .collect(),
            ..New::plain("a graph")
        };
        self.add_child(after, &graph.handle, new, Location::caller())
    }

    /// Adds work that is recorded, one step after another, as one node: see [`Device::record`].
    ///
    /// # Errors
    /// As [`Device::record`].
    #[track_caller]
    pub fn record(
        &mut self,
        after: &[Node<'graph>],
        work: impl FnOnce(&mut Record) -> Result<(), GraphError>,
    ) -> Result<Node<'graph>, GraphError> {
        let at = Location::caller();
        let Recorded { graph, uses } = Recorded::of(&self.device, work, at)?;
        let new = New {
            uses,
            ..New::plain("recorded work")
        };
        self.add_child(after, &graph, new, at)
    }

    fn add_child(
        &mut self,
        after: &[Node<'graph>],
        child: &Handle,
        new: New,
        at: &'static Location<'static>,
    ) -> Result<Node<'graph>, GraphError> {
        let new = New {
            what: format!("{} at {at}", new.what),
            ..new
        };
        let (child, _turn) = child.turn();
        let call = ("cuGraphAddChildGraphNode", at);
        Ok(self.add(after, new, call, |node, graph, after, count| {
            // SAFETY: the result has a place, both graphs are live, and so many nodes are there.
            unsafe { api::cuGraphAddChildGraphNode(node, graph, after, count, child) }
        })?)
    }

    /// Adds recording an event, for which others wait outside of the graph.
    ///
    /// # Errors
    /// The driver's: of an event of another device.
    #[track_caller]
    pub fn record_event(
        &mut self,
        after: &[Node<'graph>],
        event: &Event,
    ) -> Result<Node<'graph>, GraphError> {
        let call = ("cuGraphAddEventRecordNode", Location::caller());
        self.event(
            after,
            ("an event's record", event),
            call,
            |node, graph, after, count, event| {
                // SAFETY: the result has a place, the graph and the event are live, and so many nodes are there.
                unsafe { api::cuGraphAddEventRecordNode(node, graph, after, count, event) }
            },
        )
    }

    /// Adds waiting for an event, as it was last recorded outside of the graph when this is launched.
    ///
    /// # Errors
    /// The driver's.
    #[track_caller]
    pub fn wait_event(
        &mut self,
        after: &[Node<'graph>],
        event: &Event,
    ) -> Result<Node<'graph>, GraphError> {
        let call = ("cuGraphAddEventWaitNode", Location::caller());
        self.event(
            after,
            ("a wait for an event", event),
            call,
            |node, graph, after, count, event| {
                // SAFETY: as above.
                unsafe { api::cuGraphAddEventWaitNode(node, graph, after, count, event) }
            },
        )
    }

    fn event(
        &mut self,
        after: &[Node<'graph>],
        (what, event): (&'static str, &Event),
        call: (&'static str, &'static Location<'static>),
        add: impl FnOnce(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, CUevent) -> CUresult,
    ) -> Result<Node<'graph>, GraphError> {
        let handle = CUevent(event.raw().expose_provenance());
        let new = New {
            what: format!("{what} at {}", call.1),
            keeps: vec![Keep::Event(event.clone())],
            ..New::plain(what)
        };
        Ok(self.add(after, new, call, |node, graph, after, count| {
            add(node, graph, after, count, handle)
        })?)
    }

    /// Adds memory that the graph has for itself: `len` zeros at each launch, freed behind the last node that uses it, or where [`Self::free`] says.
    ///
    /// A graph with memory of its own can't be cloned, be part of another one, or be executable twice at a time.
    ///
    /// # Errors
    /// The driver's.
    #[track_caller]
    pub fn allocate<T: DeviceCopy + Zeroable>(
        &mut self,
        after: &[Node<'graph>],
        len: usize,
    ) -> Result<GraphBuffer<'graph, T>, GraphError> {
        let at = Location::caller();
        let Some(bytes) = len.checked_mul(size_of::<T>()) else {
            let code = CUresult::ERROR_OUT_OF_MEMORY;
            DriverError::check_code("cuGraphAddMemAllocNode", code, at)?;
            return Err(GraphError::NotWhole);
        };
        let device = self.device.ordinal() as i32;
        let mut params = CUDA_MEM_ALLOC_NODE_PARAMS {
            pool_props: CUmemPoolProps {
                allocation_kind: 1, // CU_MEM_ALLOCATION_TYPE_PINNED, the only one
                handle_types: 0,
                location: CUmemLocation {
                    kind: 1, // CU_MEM_LOCATION_TYPE_DEVICE
                    id: device,
                },
                win32_security_attributes: null_mut(),
                max_size: 0,
                usage: 0,
                reserved: [0; 54],
            },
            access_descs: std::ptr::null(),
            access_desc_count: 0,
            bytesize: bytes.max(1),
            dptr: 0,
        };
        let new = New {
            what: format!("the allocation at {at}"),
            ..New::plain("an allocation")
        };
        let call = ("cuGraphAddMemAllocNode", at);
        let allocated = self.add(after, new, call, |node, graph, after, count| {
            let params = (&raw mut params).cast();
            // SAFETY: the result has a place, the graph is live, so many nodes of it are there, and the driver writes the address to its place.
            unsafe { api::cuGraphAddMemAllocNode(node, graph, after, count, params) }
        })?;
        // SAFETY: whatever uses it comes behind the node that fills it with zeros, and before the one that frees it.
        let buffer = unsafe { DeviceBuffer::of_graph(&self.device, params.dptr, len, self.number) };
        let buffer = GraphBuffer::new(buffer);
        let used = self.uses(&buffer, Access::Write)?;
        self.nodes[allocated.number].uses.push(used.clone());
        self.allocated.push((params.dptr, used));
        let pattern = (0, 1, bytes);
        self.set(&[allocated], &buffer, pattern, at)?;
        Ok(buffer)
    }

    /// Adds the end of such memory, behind all nodes that use it.
    ///
    /// # Errors
    /// The driver's.
    #[track_caller]
    pub fn free<T: DeviceCopy>(
        &mut self,
        after: &[Node<'graph>],
        buffer: GraphBuffer<'graph, T>,
    ) -> Result<Node<'graph>, GraphError> {
        let is_it = |(_, (order, _)): &(u64, Used)| order.is(buffer.order());
        let place = self.allocated.iter().position(is_it);
        let (address, used) = self
            .allocated
            .swap_remove(place.ok_or(GraphError::OtherGraph)?);
        self.add_free(after, address, used, Location::caller())
    }

    fn add_free(
        &mut self,
        after: &[Node<'graph>],
        address: u64,
        used: Used,
        at: &'static Location<'static>,
    ) -> Result<Node<'graph>, GraphError> {
        let new = New {
            what: format!("the end of memory at {at}"),
            uses: vec![used],
            ..New::plain("the end of memory")
        };
        let call = ("cuGraphAddMemFreeNode", at);
        Ok(self.add(after, new, call, |node, graph, after, count| {
            // SAFETY: the result has a place, the graph is live, so many nodes of it are there, and the address is that of an allocation in it that is
            // freed once: nothing else has it any more.
            unsafe { api::cuGraphAddMemFreeNode(node, graph, after, count, address) }
        })?)
    }
}

fn node<'graph>(number: usize) -> Node<'graph> {
    Node {
        number,
        graph: PhantomData,
    }
}

/// A launch as a node has it. The pointers are those of `ready`.
pub(super) fn kernel_params(ready: Ready<'_>) -> CUDA_KERNEL_NODE_PARAMS {
    let LaunchConfig { grid, block, .. } = ready.config;
    CUDA_KERNEL_NODE_PARAMS {
        func: CUfunction(ready.function.expose_provenance()),
        grid: grid.into(),
        block: block.into(),
        shared_mem_bytes: ready.config.dynamic_shared,
        kernel_params: ready.params.as_mut_ptr(),
        extra: null_mut(),
        kern: CUkernel::default(),
        ctx: CUcontext::default(),
    }
}

/// One end of a copy, of bytes side by side on the device.
fn side(device: u64, bytes: usize) -> Side3D {
    Side3D {
        x_in_bytes: 0,
        y: 0,
        z: 0,
        lod: 0,
        memory_type: 2, // CU_MEMORYTYPE_DEVICE
        host: null_mut(),
        device,
        array: CUarray::default(),
        context: CUcontext::default(),
        pitch: bytes,
        height: 1,
    }
}
