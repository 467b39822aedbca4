//! Structures, enumerations and loops that depend on the data.

use lanewise_macros::{Value, kernel, shared};
use lanewise_std::math::Float;
use lanewise_std::{DisjointSlice, thread};

/// A point with a velocity and a mass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Value)]
#[repr(C)]
pub struct Particle {
    /// The position along `x`.
    pub x: f32,
    /// The position along `y`.
    pub y: f32,
    /// The position along `z`.
    pub z: f32,
    /// The velocity along `x`.
    pub vx: f32,
    /// The velocity along `y`.
    pub vy: f32,
    /// The velocity along `z`.
    pub vz: f32,
    /// The mass, in units of its own.
    pub mass: f32,
}

/// What the others need of a particle.
#[derive(Clone, Copy, Default)]
struct Body {
    x: f32,
    y: f32,
    z: f32,
    mass: f32,
}

/// The number of bodies in a tile, and of threads in a block.
pub const BODIES: usize = 128;

/// One step of gravity among all particles, by tiles in shared memory.
#[kernel]
#[launch_contract(dims = 1, block = (BODIES))]
pub fn nbody_tiles(input: &[Particle], mut out: DisjointSlice<Particle>, dt: f32) {
    shared! { static TILE: [Body; BODIES]; }
    let tid = thread::thread_idx_x() as usize;
    let i = thread::index_1d();
    let mut me = input.get(i.get()).copied().unwrap_or_default();
    let (mut ax, mut ay, mut az) = (0.0, 0.0, 0.0);
    for base in (0..input.len()).step_by(BODIES) {
        let body = match input.get(base + tid) {
            Some(p) => Body {
                x: p.x,
                y: p.y,
                z: p.z,
                mass: p.mass,
            },
            None => Body::default(),
        };
        // SAFETY: each thread sets its own cell; all have read the last tile before the barrier at
        // the loop's end.
        unsafe { TILE.set(tid, body) };
        thread::sync_threads();
        for k in 0..BODIES {
            // SAFETY: set before the barrier.
            let other = unsafe { TILE.get(k) };
            let (dx, dy, dz) = (other.x - me.x, other.y - me.y, other.z - me.z);
            let inv = (dx * dx + dy * dy + dz * dz + 1e-3).rsqrt();
            let f = other.mass * inv * inv * inv;
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
        }
        thread::sync_threads();
    }
    if let Some(out) = out.get_mut(&i) {
        me.vx += ax * dt;
        me.vy += ay * dt;
        me.vz += az * dt;
        me.x += me.vx * dt;
        me.y += me.vy * dt;
        me.z += me.vz * dt;
        *out = me;
    }
}

/// Moves particles, which bounce off the walls and the floor.
#[kernel]
#[launch_contract(dims = 1)]
pub fn particle_update(mut p: DisjointSlice<Particle>, dt: f32, gravity: f32) {
    if let Some(p) = p.get_mut(thread::index_1d()) {
        p.vz -= gravity * dt;
        p.x += p.vx * dt;
        p.y += p.vy * dt;
        p.z += p.vz * dt;
        if p.x < 0.0 || p.x > 1.0 {
            p.vx = -p.vx;
        }
        if p.y < 0.0 || p.y > 1.0 {
            p.vy = -p.vy;
        }
        if p.z < 0.0 {
            p.z = -p.z;
            p.vz *= -0.9;
        }
    }
}

/// The number of entries of a sorted table that are below each query.
#[kernel]
#[launch_contract(dims = 1)]
pub fn binary_search(table: &[u32], query: &[u32], mut found: DisjointSlice<i32>) {
    let i = thread::index_1d();
    if let Some(found) = found.get_mut(&i) {
        let q = query[i.get()];
        let (mut lo, mut hi) = (0, table.len());
        while lo < hi {
            let mid = lo + (hi - lo) / 2;
            if table[mid] < q {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        *found = lo as i32;
    }
}

/// Where a reader of UTF-8 is.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Start,
    Need1,
    Need2,
    Need3,
    AfterE0,
    AfterEd,
    AfterF0,
    AfterF4,
    Bad,
}

impl State {
    fn next(self, byte: u8) -> State {
        match (self, byte) {
            (State::Start, 0x00..=0x7F) => State::Start,
            (State::Start, 0xC2..=0xDF) => State::Need1,
            (State::Start, 0xE0) => State::AfterE0,
            (State::Start, 0xED) => State::AfterEd,
            (State::Start, 0xE1..=0xEF) => State::Need2,
            (State::Start, 0xF0) => State::AfterF0,
            (State::Start, 0xF1..=0xF3) => State::Need3,
            (State::Start, 0xF4) => State::AfterF4,
            (State::Need1, 0x80..=0xBF) => State::Start,
            (State::Need2, 0x80..=0xBF) => State::Need1,
            (State::Need3, 0x80..=0xBF) => State::Need2,
            (State::AfterE0, 0xA0..=0xBF) => State::Need1,
            (State::AfterEd, 0x80..=0x9F) => State::Need1,
            (State::AfterF0, 0x90..=0xBF) => State::Need2,
            (State::AfterF4, 0x80..=0x8F) => State::Need2,
            _ => State::Bad,
        }
    }
}

/// The number of characters of each record, or -1 if it is not UTF-8.
#[kernel]
#[launch_contract(dims = 1)]
pub fn utf8_validate(text: &[u8], offset: &[i32], mut chars: DisjointSlice<i32>) {
    let i = thread::index_1d();
    if let Some(chars) = chars.get_mut(&i) {
        let i = i.get();
        let mut state = State::Start;
        let mut count = 0;
        for &byte in &text[offset[i] as usize..offset[i + 1] as usize] {
            if state == State::Start {
                count += 1;
            }
            state = state.next(byte);
            if state == State::Bad {
                break;
            }
        }
        *chars = if state == State::Start { count } else { -1 };
    }
}
