//! The places of called functions' frames in a warp's registers.
//!
//! Lanes of one warp may be in different functions at one time. A row of a frame holds the
//! values of all lanes side by side, and rows differ in width. If two frames shared bytes, one
//! lane's value could overlap another lane's. So frames that are in use never overlap. Lanes
//! that are in the same function at one time share a frame if they can, because only lanes of
//! one frame run together.

/// A frame in use.
#[derive(Debug, Clone, Copy)]
struct Used {
    /// The offset of its first byte in the warp's registers.
    base: u32,
    /// The offset of the first byte after it.
    end: u32,
    /// The index of the function whose frame it is.
    function: usize,
    /// The lanes that use it.
    lanes: u32,
}

/// The frames in use by calls of one warp, sorted by offset. They do not include the kernel's own
/// frame, which lies before all of them.
#[derive(Debug, Default)]
pub(in crate::machine) struct Frames {
    used: Vec<Used>,
}

impl Frames {
    /// Removes all frames. No lane is in a call.
    pub(in crate::machine) fn clear(&mut self) {
        self.used.clear();
    }

    /// Allocates a frame of `size` bytes for `function` to the lanes of `lanes`. It lies after
    /// their caller's frame, which ends at `after`. None if the offset would overflow.
    pub(in crate::machine) fn take(
        &mut self,
        function: usize,
        after: u32,
        size: u32,
        lanes: u32,
    ) -> Option<u32> {
        let first = match self.used.last() {
            Some(last) if last.base >= after => self.used.partition_point(|u| u.base < after),
            _ => self.used.len(),
        };
        let behind = &mut self.used[first..];
        if let Some(same) = behind
            .iter_mut()
            .find(|u| u.function == function && u.lanes & lanes == 0)
        {
            same.lanes |= lanes;
            return Some(same.base);
        }
        let (mut base, mut at) = (after, first);
        for used in behind.iter() {
            if used.base - base >= size {
                break;
            }
            (base, at) = (used.end, at + 1);
        }
        let end = base.checked_add(size)?;
        self.used.insert(
            at,
            Used {
                base,
                end,
                function,
                lanes,
            },
        );
        Some(base)
    }

    /// Releases the frame at `base` for the lanes of `lanes`.
    pub(in crate::machine) fn give(&mut self, base: u32, lanes: u32) {
        let Ok(at) = self.used.binary_search_by_key(&base, |u| u.base) else {
            return;
        };
        self.used[at].lanes &= !lanes;
        if self.used[at].lanes == 0 {
            self.used.remove(at);
        }
    }

    /// Releases all frames of the lanes of `lanes`, which end.
    pub(in crate::machine) fn end(&mut self, lanes: u32) {
        self.used.retain_mut(|used| {
            used.lanes &= !lanes;
            used.lanes != 0
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_in_use_do_not_overlap_and_gaps_are_used_again() {
        let mut frames = Frames::default();
        assert_eq!(frames.take(1, 128, 256, 0b0011), Some(128));
        // A frame of another function comes after it. The same function shares the frame.
        assert_eq!(frames.take(2, 128, 128, 0b0100), Some(384));
        assert_eq!(frames.take(1, 128, 256, 0b1000), Some(128));
        // A lane that is in the function already, by recursion, gets a frame of its own.
        assert_eq!(frames.take(1, 384, 256, 0b0001), Some(512));
        frames.give(128, 0b1011);
        assert_eq!(frames.take(3, 128, 128, 0b1000), Some(128));
        assert_eq!(frames.take(4, 128, 256, 0b10_0000), Some(768));
        frames.end(0b0101);
        assert_eq!(frames.take(4, 128, 128, 0b0001), Some(768));
        assert_eq!(frames.take(5, 128, 128, 0b0001), Some(256));
    }
}
