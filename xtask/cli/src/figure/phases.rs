//! `phases`: which threads of a block store, from barrier to barrier.
//!
//! A row is the time between two barriers of the block. A warp issues an instruction if any of its
//! threads needs it, so the same number of working threads costs less in fewer warps.

use super::record::{Kernel, Step, lanes};
use lanewise_svg::{Anchor, BAD, COLORS, INK, Svg, WIDTH};

/// Rows that a picture has at most.
const MOST: usize = 24;
const LEFT: f64 = 14.0;
const RIGHT: f64 = 52.0;
const HEIGHT: f64 = 14.0;

/// Draws the phases of one block.
pub(super) fn draw(kernel: &Kernel, block: u64, what: &str) -> String {
    let threads = kernel.threads() as usize;
    let phases = phases(kernel, block);
    let mut svg = Svg::default();
    svg.heading(&kernel.name, what);
    let mut y = 20.0;
    let cell = (WIDTH - LEFT - RIGHT) / threads.max(1) as f64;
    for warp in 0..threads.div_ceil(32) {
        let x = LEFT + cell * 32.0 * warp as f64;
        svg.text((x, y + 10.0), Anchor::Start, &format!("warp {warp}"));
    }
    svg.text((WIDTH, y + 10.0), Anchor::End, "warps");
    y += 14.0;
    for (i, stores) in phases.iter().take(MOST).enumerate() {
        svg.text((0.0, y + HEIGHT - 4.0), Anchor::Start, &i.to_string());
        let warps = warps(stores);
        svg.text((WIDTH, y + HEIGHT - 4.0), Anchor::End, &warps.to_string());
        svg.rect((LEFT, y), (cell * threads as f64, HEIGHT - 2.0), INK, 0.1);
        for (thread, _) in stores.iter().enumerate().filter(|(_, stores)| **stores) {
            let gap = if cell > 4.0 { 1.0 } else { 0.0 };
            svg.rect(
                (LEFT + cell * thread as f64, y),
                (cell - gap, HEIGHT - 2.0),
                COLORS[0],
                1.0,
            );
        }
        y += HEIGHT;
    }
    for warp in 1..threads.div_ceil(32) {
        let x = LEFT + cell * 32.0 * warp as f64;
        svg.line((x, 36.0), (x, y), BAD, 1.0);
    }
    let all: usize = phases.iter().map(|stores| warps(stores)).sum();
    let verdict = format!(
        "{} phases; in all, {all} warps have a thread that stores",
        phases.len()
    );
    svg.text((0.0, y + 12.0), Anchor::Start, &verdict);
    let description = format!(
        "The threads of a block from left to right; a row for each phase between two barriers, in which the threads that store are marked. {verdict}."
    );
    svg.finish(
        (WIDTH, y + 18.0),
        &format!("{}: {what}", kernel.name),
        &description,
    )
}

/// Returns for each phase whether each thread stores in it. Phases without a store are left out.
fn phases(kernel: &Kernel, block: u64) -> Vec<Vec<bool>> {
    let threads = kernel.threads() as usize;
    let mut phases: Vec<Vec<bool>> = Vec::new();
    // Each warp counts the barriers that it has passed.
    let mut passed = vec![0; threads.div_ceil(32)];
    for step in kernel.steps.iter().filter(|step| step.block == block) {
        let phase: &mut usize = &mut passed[step.warp as usize];
        if is_barrier(kernel, step) {
            *phase += 1;
            continue;
        }
        for access in step.accesses.iter().filter(|access| access.kind == "store") {
            if phases.len() <= *phase {
                phases.resize(*phase + 1, vec![false; threads]);
            }
            for lane in lanes(access.lanes) {
                phases[*phase][step.warp as usize * 32 + lane] = true;
            }
        }
    }
    phases.retain(|stores| stores.contains(&true));
    phases
}

/// Returns whether a step is a barrier of the block.
pub(super) fn is_barrier(kernel: &Kernel, step: &Step) -> bool {
    let name = &kernel.instruction(step).name;
    (name.starts_with("bar.") || name.starts_with("barrier."))
        && !name.contains("warp")
        && !name.contains("cluster")
}

/// Returns the number of warps with a thread that stores.
fn warps(stores: &[bool]) -> usize {
    stores
        .chunks(32)
        .filter(|warp| warp.contains(&true))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::record::{Access, Instruction};

    #[test]
    fn a_phase_ends_at_each_warps_barrier() {
        let instruction = |name: &str| Instruction {
            name: name.into(),
            line: None,
            stack: Vec::new(),
        };
        let kernel = |steps| Kernel {
            block: [64, 1, 1],
            instructions: vec![
                instruction("st.shared.u32"),
                instruction("bar.sync"),
                instruction("bar.warp.sync"),
            ],
            steps,
            ..Kernel::default()
        };
        let step = |warp, instruction| Step {
            warp,
            instruction,
            ..Step::default()
        };
        let store = |warp, lanes| Step {
            accesses: vec![Access {
                kind: "store".into(),
                lanes,
                ..Access::default()
            }],
            ..step(warp, 0)
        };
        let kernel = kernel(vec![
            store(0, 1),
            step(0, 2),
            step(0, 1),
            store(1, 1),
            step(1, 1),
            step(1, 1),
            store(0, 2),
            step(0, 1),
        ]);
        let found = phases(&kernel, 0);
        let threads =
            |stores: &Vec<bool>| (0..64).filter(|&thread| stores[thread]).collect::<Vec<_>>();
        assert_eq!(
            found.iter().map(threads).collect::<Vec<_>>(),
            [vec![0, 32], vec![1]]
        );
        assert_eq!(
            found.iter().map(|stores| warps(stores)).collect::<Vec<_>>(),
            [2, 1]
        );
    }
}
