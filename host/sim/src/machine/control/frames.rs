//! Where the frames of called functions lie in a warp's registers.
//!
//! Lanes of one warp may be in different functions at one time. A row of a frame holds a value of
//! each lane, side by side, and rows differ in width: were two frames to share bytes, one lane's
//! value would lie in another lane's. So frames that are in use never overlap. Lanes that are in
//! one function at a time share one frame where they can, because only lanes of one frame run
//! together.

/// A frame in use.
#[derive(Debug, Clone, Copy)]
struct Used {
    /// Offset of its first byte in the warp's registers.
    base: u32,
    /// Offset of the first byte behind it.
    end: u32,
    /// The function whose frame it is, by its index.
    function: usize,
    /// The lanes that use it.
    lanes: u32,
}

/// The frames in use by calls of one warp, by their place. The kernel's own frame is none of them:
/// it lies before all.
#[derive(Debug, Default)]
pub(in crate::machine) struct Frames {
    used: Vec<Used>,
}

impl Frames {
    /// Forgets all frames: no lane is in a call.
    pub(in crate::machine) fn clear(&mut self) {
        self.used.clear();
    }

    /// Gives the lanes of `lanes` a frame of `size` bytes for `function`, behind their caller's,
    /// which ends at `after`. None where offsets end.
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

    /// The lanes of `lanes` leave the frame at `base`.
    pub(in crate::machine) fn give(&mut self, base: u32, lanes: u32) {
        let Ok(at) = self.used.binary_search_by_key(&base, |u| u.base) else {
            return;
        };
        self.used[at].lanes &= !lanes;
        if self.used[at].lanes == 0 {
            self.used.remove(at);
        }
    }

    /// The lanes of `lanes` end, in whatever calls they are.
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
        // Another function for other lanes: behind it. The same function: the same frame.
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
