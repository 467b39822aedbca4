//! The operations of a random program, as numbers that proptest makes smaller and as
//! what is printed.

use proptest::prelude::*;

pub(super) const BUFFERS: u16 = 6;
pub(super) const PINNED: u16 = 3;
pub(super) const MANAGED: u16 = 2;
pub(super) const STREAMS: u16 = 5;
pub(super) const EVENTS: u16 = 3;
pub(super) const GRAPHS: u16 = 3;
pub(super) const POOLS: u16 = 2;
pub(super) const IMAGES: u16 = 3;
pub(super) const THREADS: u8 = 3;

/// A number below `N`: of a slot, or of a way to do something.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Below<const N: u16>(u16);

impl<const N: u16> Below<N> {
    pub(super) fn get(self) -> usize {
        self.0.into()
    }
}

impl<const N: u16> std::fmt::Debug for Below<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// What an operation's numbers stand for.
trait Operand {
    fn of(number: u16) -> Self;
}

impl<const N: u16> Operand for Below<N> {
    fn of(number: u16) -> Self {
        Self(number % N)
    }
}

/// A step of a graph: the slots of its buffers are two different ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pick {
    Advance(usize, usize),
    Copy(usize, usize),
    Zero(usize),
    Bins(usize, usize),
    Fill(usize, u8),
    Count,
    Call,
}

impl Operand for Pick {
    fn of(number: u16) -> Self {
        let [kind, from, to] = [number % 10, number / 10, number / 60].map(usize::from);
        let (from, to) = different(from, to, BUFFERS.into());
        match kind {
            0..=2 => Self::Advance(from, to),
            3 | 4 => Self::Copy(from, to),
            5 => Self::Zero(to),
            6 => Self::Bins(from, to),
            7 => Self::Fill(to, from as u8),
            8 => Self::Count,
            _ => Self::Call,
        }
    }
}

impl Pick {
    /// The slots of the buffers that it reads and writes.
    pub(super) fn uses(self) -> [Option<usize>; 2] {
        match self {
            Self::Advance(from, to) | Self::Copy(from, to) | Self::Bins(from, to) => {
                [Some(from), Some(to)]
            }
            Self::Zero(to) | Self::Fill(to, _) => [None, Some(to)],
            Self::Count | Self::Call => [None, None],
        }
    }
}

/// Two different numbers below `n`.
pub(super) fn different(one: usize, other: usize, n: usize) -> (usize, usize) {
    (one % n, (one % n + 1 + other % (n - 1)) % n)
}

macro_rules! ops {
    ($($(#[$doc:meta])* $weight:literal $name:ident { $($field:ident: $operand:ty),* })*) => {
        /// What a thread does. What it says of a slot with nothing in it is not done.
        #[derive(Debug, Clone, Copy)]
        pub(super) enum Op {
            $($(#[$doc])* $name { $($field: $operand),* },)*
        }

        /// How often each is taken, and what makes it.
        const OPS: &[(u32, fn([u16; 4]) -> Op)] = &[
            $(($weight, |numbers| {
                let mut _numbers = numbers.into_iter();
                Op::$name { $($field: <$operand>::of(_numbers.next().unwrap_or_default())),* }
            }),)*
        ];
    };
}

ops! {
    2 Synchronize { device: Below<2> }
    /// Zeros or numbers, of its own, of a stream's pool, or of a pool of the program's.
    6 Allocate { buffer: Below<BUFFERS>, how: Below<4>, stream: Below<STREAMS>, length: Below<6> }
    3 DropBuffer { buffer: Below<BUFFERS> }
    4 Write { buffer: Below<BUFFERS>, seed: Below<9> }
    2 Zero { buffer: Below<BUFFERS>, stream: Below<STREAMS>, plain: Below<2> }
    5 Read { buffer: Below<BUFFERS>, how: Below<2> }
    6 Copy { stream: Below<STREAMS>, from: Below<BUFFERS>, to: Below<BUFFERS> }
    4 CopyIn { stream: Below<STREAMS>, pinned: Below<PINNED>, buffer: Below<BUFFERS>, end: Below<4> }
    4 CopyOut { stream: Below<STREAMS>, buffer: Below<BUFFERS>, pinned: Below<PINNED>, end: Below<4> }
    10 Advance { stream: Below<STREAMS>, from: Below<BUFFERS>, to: Below<BUFFERS>, rounds: Below<4> }
    4 Bins { stream: Below<STREAMS>, from: Below<BUFFERS>, to: Below<BUFFERS> }
    /// Two parts of one are written on two streams, and one copied to the other where they
    /// are as long.
    4 Parts { one: Below<STREAMS>, other: Below<STREAMS>, from: Below<BUFFERS>, to: Below<BUFFERS> }
    3 View { stream: Below<STREAMS>, from: Below<BUFFERS>, to: Below<BUFFERS>, start: Below<7> }
    2 NewPinned { pinned: Below<PINNED>, how: Below<3>, length: Below<6> }
    2 DropPinned { pinned: Below<PINNED> }
    3 ReadPinned { pinned: Below<PINNED> }
    3 WritePinned { pinned: Below<PINNED>, seed: Below<9> }
    4 Mapped { stream: Below<STREAMS>, pinned: Below<PINNED>, buffer: Below<BUFFERS>, how: Below<4> }
    2 NewManaged { managed: Below<MANAGED>, length: Below<6> }
    1 DropManaged { managed: Below<MANAGED> }
    2 ReadManaged { managed: Below<MANAGED> }
    2 WriteManaged { managed: Below<MANAGED>, seed: Below<9> }
    4 Managed { stream: Below<STREAMS>, managed: Below<MANAGED>, buffer: Below<BUFFERS>, how: Below<2> }
    1 Prefetch { stream: Below<STREAMS>, managed: Below<MANAGED>, to: Below<3> }
    /// Blocking, not blocking, of another priority. The first slots are the default streams'.
    4 NewStream { stream: Below<STREAMS>, how: Below<3>, device: Below<2> }
    2 DropStream { stream: Below<STREAMS> }
    3 WaitForStream { stream: Below<STREAMS>, how: Below<3> }
    2 StreamWaits { stream: Below<STREAMS>, other: Below<STREAMS> }
    /// A function that sees whether all that has to come before it has been called.
    6 Call { stream: Below<STREAMS> }
    2 Pause { stream: Below<STREAMS> }
    /// A function that waits until a helper has queued something.
    2 Hold { stream: Below<STREAMS>, until: Below<8> }
    /// What is moved into a function of the host, and dropped there.
    1 DropOnHost { stream: Below<STREAMS>, what: Below<7>, slot: Below<6> }
    2 NewEvent { event: Below<EVENTS>, how: Below<3>, device: Below<2> }
    1 DropEvent { event: Below<EVENTS> }
    3 Record { event: Below<EVENTS>, stream: Below<STREAMS> }
    3 Wait { event: Below<EVENTS>, stream: Below<STREAMS> }
    2 WaitForEvent { event: Below<EVENTS>, query: Below<2> }
    1 ReadSymbol { device: Below<2> }
    1 WriteSymbol { device: Below<2>, value: Below<9> }
    2 CountUp { stream: Below<STREAMS> }
    3 RecordGraph { graph: Below<GRAPHS>, first: Pick, second: Pick, drops: Below<9> }
    4 BuildGraph { graph: Below<GRAPHS>, first: Pick, second: Pick, third: Pick }
    9 LaunchGraph { graph: Below<GRAPHS>, stream: Below<STREAMS> }
    1 DropGraph { graph: Below<GRAPHS> }
    2 SetLaunch { graph: Below<GRAPHS>, from: Below<BUFFERS>, to: Below<BUFFERS>, rounds: Below<4> }
    2 Update { graph: Below<GRAPHS>, first: Pick, second: Pick }
    2 UpdateFrom { graph: Below<GRAPHS>, other: Below<GRAPHS> }
    1 Instantiate { graph: Below<GRAPHS>, other: Below<GRAPHS> }
    1 Extend { graph: Below<GRAPHS>, other: Below<GRAPHS>, first: Pick }
    1 Child { graph: Below<GRAPHS>, other: Below<GRAPHS>, first: Pick }
    /// By an `if`, an `else` or a `switch`.
    2 BuildCondition { graph: Below<GRAPHS>, how: Below<7>, first: Pick, second: Pick }
    /// As long as a number is even.
    2 BuildLoop { graph: Below<GRAPHS>, number: Below<BUFFERS>, times: Below<BUFFERS>, pick: Pick }
    /// With memory of the graph's own.
    2 BuildOwn { graph: Below<GRAPHS>, to: Below<BUFFERS>, pick: Pick }
    3 Fill { buffer: Below<BUFFERS>, stream: Below<STREAMS>, how: Below<4>, value: Below<9> }
    4 PartRange { buffer: Below<BUFFERS>, stream: Below<STREAMS>, range: Below<600>, how: Below<4> }
    /// A launch, or its recording, in a shape that no device has.
    2 Refused { stream: Below<STREAMS>, from: Below<BUFFERS>, to: Below<BUFFERS>, how: Below<14> }
    1 Advise { managed: Below<MANAGED>, what: Below<6>, to: Below<3> }
    3 NewImage { image: Below<IMAGES>, how: Below<3>, device: Below<2>, size: Below<4> }
    2 DropImage { image: Below<IMAGES> }
    5 Paint { stream: Below<STREAMS>, image: Below<IMAGES> }
    2 ReadImage { image: Below<IMAGES> }
    2 IntoTexture { image: Below<IMAGES> }
    4 ReadRow { stream: Below<STREAMS>, image: Below<IMAGES>, row: Below<7>, reads: Below<2> }
    1 Multicast { stream: Below<STREAMS>, length: Below<6>, seed: Below<9>, reads: Below<2> }
    1 CallPanics { stream: Below<STREAMS> }
    2 CallAsks { stream: Below<STREAMS>, what: Below<16> }
    1 NewPool { pool: Below<POOLS>, device: Below<2> }
    1 DropPool { pool: Below<POOLS> }
}

/// Where an operation is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Plain,
    /// In the work of a [`lanewise::Device::record`].
    InRecord,
    /// In the work of a [`lanewise::Device::build_graph`].
    InBuild,
    /// In a thread of its own.
    InThread,
    /// Its launches are counted.
    Counted,
    /// Its launches are checked.
    Checked,
    /// As [`Self::InRecord`], and a panic comes behind it.
    RecordPanics,
    BuildPanics,
    CountedPanics,
    CheckedPanics,
}

/// An operation as numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    thread: u8,
    place: u8,
    op: u8,
    numbers: [u16; 4],
}

impl Step {
    /// The thread that does it.
    pub(super) fn thread(self) -> usize {
        self.thread.into()
    }

    /// What it does, and where.
    pub(super) fn op(self) -> (Place, Op) {
        let place = match self.place {
            0..=24 => Place::Plain,
            25 => Place::InRecord,
            26 => Place::InBuild,
            27 => Place::InThread,
            28 => Place::Counted,
            29 => Place::Checked,
            30 => Place::RecordPanics,
            31 => Place::BuildPanics,
            32 => Place::CountedPanics,
            _ => Place::CheckedPanics,
        };
        let (_, make) = OPS[usize::from(self.op) % OPS.len()];
        (place, make(self.numbers))
    }

    /// As words of a line.
    pub(super) fn to_line(steps: &[Self]) -> String {
        let words = steps.iter().flat_map(|step| {
            let [a, b, c, d] = step.numbers;
            [
                step.thread.into(),
                step.place.into(),
                step.op.into(),
                a,
                b,
                c,
                d,
            ]
        });
        words
            .map(|word| word.to_string())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// From such a line.
    pub(super) fn of_line(line: &str) -> Vec<Self> {
        let words: Vec<u16> = line
            .split_whitespace()
            .map_while(|word| word.parse().ok())
            .collect();
        let step = |words: &[u16; 7]| {
            let [thread, place, op, numbers @ ..] = *words;
            Self {
                thread: thread as u8,
                place: place as u8,
                op: op as u8,
                numbers,
            }
        };
        words.as_chunks().0.iter().map(step).collect()
    }
}

/// Programs of one to three threads.
pub(super) fn programs(longest: usize) -> impl Strategy<Value = Vec<Step>> {
    let weights = OPS.iter().enumerate();
    let ops: Vec<u8> = weights
        .flat_map(|(op, (weight, _))| vec![op as u8; *weight as usize])
        .collect();
    let step = move |threads: u8| {
        let numbers = prop::array::uniform4(0u16..600);
        (
            0..threads,
            0u8..34,
            prop::sample::select(ops.clone()),
            numbers,
        )
            .prop_map(|(thread, place, op, numbers)| Step {
                thread,
                place,
                op,
                numbers,
            })
    };
    (1..=THREADS).prop_flat_map(move |threads| prop::collection::vec(step(threads), 1..longest))
}

/// A program as it is printed: each thread's operations are done one after another, those of
/// several side by side.
pub(super) fn listing(steps: &[Step]) -> String {
    let line = |(number, step): (usize, &Step)| {
        let (place, op) = step.op();
        let place = match place {
            Place::Plain => String::new(),
            place => format!("  ({place:?})"),
        };
        format!("  {number:3}  thread {}: {op:?}{place}\n", step.thread)
    };
    steps.iter().enumerate().map(line).collect()
}
