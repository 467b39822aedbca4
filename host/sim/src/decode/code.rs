//! The code of one function: its operations and the tables that they refer to.
//!
//! A function is compiled on its own. Its code joins the program only when all of the function is
//! compiled, so a function that is refused on the way leaves nothing behind. From the beginning,
//! each entry has the number that it gets in the program, so that nothing in the operations changes
//! when they join it.

use std::ops::{Index, IndexMut};

use crate::machine::asynchronous::CopySite;
use crate::machine::asynchronous::bulk::BulkSite;
use crate::machine::asynchronous::tensor::TensorSite;
use crate::machine::asynchronous::tensor_map::{PublishSite, ReplaceSite};
use crate::machine::checks::init::flow::{Flow, FlowOperand};
use crate::machine::compute::matrix::Product;
use crate::machine::compute::track::RegisterUse;
use crate::machine::compute::warpgroup::WarpgroupSite;
use crate::machine::image::ImageSite;
use crate::machine::meeting::together::MeetingPoint;
use crate::machine::memory::multimem::MultimemSite;
use crate::machine::memory::tile::Tile;
use crate::machine::op::Op;
use crate::machine::program::{CallSite, Function, LateLoad, LocalArray, OpInfo, Program};
use crate::semantics::video::Video;

/// A function's part of a table of the program.
#[derive(Debug)]
pub(super) struct Section<T> {
    /// The number of its first entry in the program.
    first: usize,
    entries: Vec<T>,
}

impl<T> Section<T> {
    fn after(table: &[T]) -> Self {
        Self {
            first: table.len(),
            entries: Vec::new(),
        }
    }

    /// Returns the number of the entry that is added next.
    pub(super) fn next(&self) -> usize {
        self.first + self.entries.len()
    }

    /// Adds an entry and returns its number.
    pub(super) fn push(&mut self, entry: T) -> u32 {
        let number = self.next() as u32;
        self.entries.push(entry);
        number
    }

    /// Adds entries and returns the number of the first.
    pub(super) fn extend(&mut self, entries: impl IntoIterator<Item = T>) -> u32 {
        let number = self.next() as u32;
        self.entries.extend(entries);
        number
    }

    /// Returns the entry with this number, if the function has added it.
    pub(super) fn get(&self, number: usize) -> Option<&T> {
        self.entries.get(number.checked_sub(self.first)?)
    }
}

impl<T> Index<usize> for Section<T> {
    type Output = T;

    fn index(&self, number: usize) -> &T {
        &self.entries[number - self.first]
    }
}

impl<T> IndexMut<usize> for Section<T> {
    fn index_mut(&mut self, number: usize) -> &mut T {
        &mut self.entries[number - self.first]
    }
}

/// Defines [`Code`] from the tables of a program that functions add to: the name, the place in
/// [`Program`], and the type of an entry.
macro_rules! code {
    ($($table:ident in $place:ident $(. $part:ident)?: $entry:ty,)*) => {
        /// The code of one function, as far as it is compiled. The tables are those of [`Program`].
        #[derive(Debug)]
        pub(super) struct Code {
            $(pub(super) $table: Section<$entry>,)*
            /// The accesses of operations to registers that `wgmma` uses, by operation.
            pub(super) touches: Vec<(usize, RegisterUse)>,
            pub(super) prints: bool,
            pub(super) heap: bool,
            pub(super) asks_for_reserved: bool,
        }

        impl Code {
            /// Begins the code of the function that follows those of the program.
            pub(super) fn after(program: &Program) -> Self {
                Self {
                    $($table: Section::after(&program.$place $(. $part)?),)*
                    touches: Vec::new(),
                    prints: false,
                    heap: false,
                    asks_for_reserved: false,
                }
            }

            /// Appends the code and its function to the program, which must have the same functions
            /// as when the code was begun.
            pub(super) fn append(self, function: Function, program: &mut Program) {
                $(
                    debug_assert_eq!(program.$place $(. $part)? .len(), self.$table.first);
                    program.$place $(. $part)? .extend(self.$table.entries);
                )*
                if let Some((last, _)) = self.touches.last() {
                    program.touches.resize(last + 1, None);
                }
                for (op, touch) in self.touches {
                    program.touches[op] = Some(Box::new(touch));
                }
                program.prints |= self.prints;
                program.heap |= self.heap;
                program.asks_for_reserved |= self.asks_for_reserved;
                program.functions.push(function);
            }
        }
    };
}

code! {
    ops in ops: Op,
    infos in infos: OpInfo,
    calls in calls: CallSite,
    lists in lists: u32,
    images in images: ImageSite,
    tables in tables: Vec<u32>,
    copies in copies: CopySite,
    bulks in bulks: BulkSite,
    tensors in tensors: TensorSite,
    replaces in replaces: ReplaceSite,
    publishes in publishes: PublishSite,
    products in products: Product,
    warpgroups in warpgroups: WarpgroupSite,
    tracked in tracked: String,
    tiles in tiles: Tile,
    multimems in multimems: MultimemSite,
    videos in videos: Video,
    meetings in meetings: MeetingPoint,
    arrays in arrays: (u32, u32),
    copied_arrays in copied_arrays: (u32, [Option<u32>; 2]),
    local_arrays in local_arrays: (u32, LocalArray),
    late in late: LateLoad,
    flows in flows.list: Flow,
    flow_operands in flows.parts: FlowOperand,
}
