//! The waiting threads and what they wait for, in the report of a launch that cannot go on.

use super::Poll;
use crate::machine::core::Core;
use crate::machine::event::{FaultKind, RawFault, Wait};
use crate::machine::lane::LANES;
use crate::machine::launch::run::Failure;
use crate::machine::launch::team::{Team, waiting};
use crate::machine::op::Op;
use crate::memory::window;

/// The most lines of a report that describe waiting threads.
const LINES: usize = 8;

impl Core<'_> {
    /// Describes what a poll reads now.
    fn polled(&mut self, (block, poll): (usize, Poll)) -> String {
        let mut bytes = [0; 8];
        let size = usize::from(poll.bytes).min(8);
        let read = if poll.shared {
            let offset = (poll.address % window::SHARED_PER_BLOCK)
                .checked_sub(u64::from(self.run.shared_start))
                .map(|offset| offset as usize);
            let of = self.team.blocks.get_mut(block);
            let own = poll.address < window::SHARED_PER_BLOCK;
            let from = of.zip(offset).filter(|_| own).and_then(|(block, offset)| {
                let end = offset.checked_add(size)?;
                let bytes = block.shared.bytes().get(offset..end)?;
                Some(bytes.to_vec())
            });
            from.map(|from| bytes[..size].copy_from_slice(&from))
                .is_some()
        } else {
            self.peek_global(poll.address, &mut bytes[..size])
        };
        let place = match poll.shared {
            true => format!("shared address {:#x}", poll.address),
            false => format!(
                "an address that {}",
                self.run.memory.whereabouts(poll.address)
            ),
        };
        match read {
            true => format!("reads {:#x} at {place}", u64::from_le_bytes(bytes)),
            false => format!("accesses {place}"),
        }
    }

    /// Describes the waiting threads of the running team, for the report of a launch that
    /// cannot go on.
    fn stuck(&mut self, notes: &mut Vec<String>, at: &mut Option<(usize, usize, *const Op)>) {
        let (program, cluster) = (self.run.program, self.cluster_count());
        let objects = self.awaited();
        let mut spinning = Vec::new();
        for (b, block) in self.team.blocks.iter().enumerate() {
            for (w, warp) in block.warps.iter().enumerate() {
                for group in &warp.groups {
                    if group.wait != Wait::Ready {
                        if notes.len() < LINES {
                            let who = waiting(program, block, w, group, cluster, &objects);
                            let named = matches!(group.wait, Wait::Cluster | Wait::Phase(_));
                            let of = if named {
                                String::new()
                            } else {
                                format!("block {}, ", block.linear)
                            };
                            notes.push(of + &who);
                        }
                        continue;
                    }
                    spinning.push((b, w, *group));
                }
            }
        }
        for (b, w, group) in spinning {
            let poll = self.team.progress.polls.get(&(b, w)).copied();
            let op = poll.map_or(group.op, |poll| poll.op);
            at.get_or_insert((b, w, op));
            if notes.len() >= LINES {
                continue;
            }
            let place = self.run.place(op);
            let source = place
                .source
                .map_or(String::new(), |s| format!("{}:{}, ", s.file, s.line));
            let what = match poll {
                Some(poll) => self.polled((b, poll)),
                None => "accesses no memory".into(),
            };
            let threads = group.mask.count_ones();
            let one = if threads == 1 { ("", "s") } else { ("s", "") };
            let first = self.run.thread(
                w as u32,
                poll.map_or(group.mask.trailing_zeros() as usize, |p| p.lane),
            );
            let [x, y, z] = first;
            notes.push(format!(
                "block {}, warp {w}: {threads} thread{} spin{} ({source}ptx line {}, `{}`): thread ({x},{y},{z}) {what}",
                self.team.blocks[b].linear, one.0, one.1, place.line, place.text
            ));
        }
    }

    /// Makes the report of a launch that cannot go on: all of these teams repeat their states.
    pub(in crate::machine) fn no_future<'t>(
        &mut self,
        teams: impl Iterator<Item = &'t mut Team>,
    ) -> Failure {
        let (mut notes, mut at, mut first) = (Vec::new(), None, None);
        let mut count = 0u64;
        for team in teams {
            count += 1;
            std::mem::swap(&mut self.team, team);
            let mut here = None;
            self.stuck(&mut notes, &mut here);
            if at.is_none()
                && let Some((block, warp, op)) = here
            {
                let id = self.team.blocks[block].id;
                at = Some((id, warp as u32, op));
                first = Some(self.team.index);
            }
            std::mem::swap(&mut self.team, team);
        }
        let run = self.run;
        if let Some(waiting) = run.not_begun() {
            notes.push(waiting);
        } else if count > 1 && notes.len() == LINES {
            notes.push(format!("{count} blocks or clusters are in such a state"));
        }
        let (block, warp, op) = at.unwrap_or(([0; 3], 0, std::ptr::null()));
        Failure {
            fault: Box::new(RawFault {
                op,
                lane: LANES,
                what: FaultKind::Stuck { notes },
            }),
            block,
            warp,
            callers: Vec::new(),
            team: first.unwrap_or(0),
        }
    }
}
