//! `alloc` over the device's heap: boxes, vectors, strings, maps, counted references.

extern crate alloc;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use alloc::rc::{Rc, Weak};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};
use core::cell::RefCell;

use crate::{Out, Random};

crate::case::subject! {
    /// What lives on the heap.
    heap: boxes, boxed_traits, boxed_closures, linked_list, vec_push_pop, vec_grow, vec_insert_remove, vec_retain_dedup, vec_drain,
    vec_sort, vec_of_vecs, vec_collect, vec_concat_join, strings, string_edit, formatting, string_collect, btree_map, btree_set,
    binary_heap, deque, counted, weak_references, cows, expression_tree, boxed_slices
}

fn numbers(random: &mut Random) -> Vec<u32> {
    (0..random.below(12)).map(|_| random.u32() % 1000).collect()
}

fn boxes(random: &mut Random, out: &mut Out<'_>) {
    let mut a = Box::new([random.u64(); 4]);
    a[2] ^= 1;
    let b = a.clone();
    a[0] = 0;
    out.put((*a, *b));
}

fn boxed_traits(random: &mut Random, out: &mut Out<'_>) {
    trait Shape {
        fn area(&self) -> u32;
    }
    struct Square(u32);
    struct Rectangle(u32, u32);
    impl Shape for Square {
        fn area(&self) -> u32 {
            self.0 * self.0
        }
    }
    impl Shape for Rectangle {
        fn area(&self) -> u32 {
            self.0 * self.1
        }
    }
    let make = |random: &mut Random| -> Box<dyn Shape> {
        let side = random.u32() % 100;
        if random.bool() {
            Box::new(Square(side))
        } else {
            Box::new(Rectangle(side, 3))
        }
    };
    let shapes: Vec<Box<dyn Shape>> = (0..5).map(|_| make(random)).collect();
    out.put(shapes.iter().map(|shape| shape.area()).sum::<u32>());
}

fn boxed_closures(random: &mut Random, out: &mut Out<'_>) {
    let n = random.u32();
    let mut steps: Vec<Box<dyn Fn(u32) -> u32>> =
        vec![Box::new(|x| x >> 1), Box::new(move |x| x ^ n)];
    steps.push(Box::new(u32::reverse_bits));
    out.put(steps.iter().fold(random.u32(), |x, step| step(x)));
    let once: Box<dyn FnOnce() -> u32> = Box::new(move || n);
    out.put(once());
}

fn linked_list(random: &mut Random, out: &mut Out<'_>) {
    struct Node {
        value: u32,
        next: Option<Box<Node>>,
    }
    let mut list = None;
    for value in numbers(random) {
        list = Some(Box::new(Node { value, next: list }));
    }
    let mut reversed = None;
    while let Some(mut node) = list {
        list = node.next.take();
        node.next = reversed;
        reversed = Some(node);
    }
    let mut at = reversed.as_deref();
    while let Some(node) = at {
        out.put(node.value);
        at = node.next.as_deref();
    }
}

fn vec_push_pop(random: &mut Random, out: &mut Out<'_>) {
    let mut stack = Vec::new();
    for _ in 0..20 {
        if random.below(3) > 0 {
            stack.push(random.u16());
        } else {
            out.put(stack.pop());
        }
    }
    out.put(&stack[..]);
}

fn vec_grow(random: &mut Random, out: &mut Out<'_>) {
    let mut values = Vec::with_capacity(2);
    values.extend((0..100u32).map(|i| i * i));
    values.resize(110, random.u32());
    values.truncate(105);
    values.shrink_to_fit();
    out.put((
        values.len(),
        values[50],
        values[104],
        values.iter().fold(0u32, |a, b| a.wrapping_add(*b)),
    ));
}

fn vec_insert_remove(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    values.insert(random.below(values.len() + 1), 7);
    values.remove(random.below(values.len()));
    values.push(8);
    values.swap_remove(random.below(values.len()));
    out.put(&values[..]);
}

fn vec_retain_dedup(random: &mut Random, out: &mut Out<'_>) {
    let mut values: Vec<u32> = numbers(random).into_iter().map(|n| n % 4).collect();
    values.dedup();
    out.put(&values[..]);
    values.retain(|n| *n != 2);
    out.put(&values[..]);
}

fn vec_drain(random: &mut Random, out: &mut Out<'_>) {
    let mut values = numbers(random);
    let start = random.below(values.len() + 1);
    out.put(values.drain(start..).sum::<u32>());
    values.splice(..0, [1, 2, 3]);
    let tail = values.split_off(2);
    out.put((values.len(), tail.len()));
    out.put(&tail[..]);
}

fn vec_sort(random: &mut Random, out: &mut Out<'_>) {
    let mut values: Vec<(u8, u32)> = numbers(random)
        .into_iter()
        .map(|n| ((n % 5) as u8, n))
        .collect();
    values.sort_by_key(|(key, _)| *key); // stable: those of one key stay in their order
    values.iter().for_each(|(key, n)| out.put((*key, *n)));
}

fn vec_of_vecs(random: &mut Random, out: &mut Out<'_>) {
    let mut buckets = vec![Vec::new(); 4];
    for n in numbers(random) {
        buckets[n as usize % 4].push(n);
    }
    buckets.iter().for_each(|bucket| out.put(&bucket[..]));
    out.put(buckets.concat().len());
}

fn vec_collect(random: &mut Random, out: &mut Out<'_>) {
    let (even, odd): (Vec<u32>, Vec<u32>) = numbers(random).into_iter().partition(|n| n % 2 == 0);
    out.put((even.len(), odd.len()));
    let all: Option<Vec<u32>> = even.iter().map(|n| n.checked_sub(100)).collect();
    out.put(all.map(|all| all.len()));
    let (a, b): (Vec<u32>, Vec<bool>) = odd.iter().map(|n| (n / 2, *n > 500)).unzip();
    out.put(&a[..]);
    out.put(&b[..]);
}

fn vec_concat_join(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (numbers(random), numbers(random));
    out.put(&[a.as_slice(), &b].join(&0)[..]);
    out.put((a < b, a == a.to_vec()));
}

fn strings(random: &mut Random, out: &mut Out<'_>) {
    let mut text = String::from("grid");
    text.push(random.char());
    text += " of ";
    text.push_str(["blocks", "Blöcke"][random.below(2)]);
    out.put(text.as_str());
    out.put(text.to_uppercase().as_str());
    out.put(text.replace("o", "00").as_str());
}

fn string_edit(random: &mut Random, out: &mut Out<'_>) {
    let mut text = "thread, block, grid".to_string();
    text.insert_str(random.below(7), "<>");
    out.put(text.pop());
    text.truncate(random.below(12));
    text.retain(|c| c != 'r');
    out.put(text.as_str());
    out.put(String::from_utf8_lossy(&[b'a', 0xff, random.u8() % 128]).as_ref());
}

fn formatting(random: &mut Random, out: &mut Out<'_>) {
    out.put(format!("{:>6}|{:?}|{:.2}", random.u16(), numbers(random), 0.125).as_str());
}

fn string_collect(random: &mut Random, out: &mut Out<'_>) {
    let words = ["warp", "lane", "mask", "vote"];
    let text: Vec<&str> = (0..random.below(5))
        .map(|_| words[random.below(4)])
        .collect();
    out.put(text.join("-").as_str());
    out.put(text.concat().chars().rev().collect::<String>().as_str());
}

fn btree_map(random: &mut Random, out: &mut Out<'_>) {
    let mut counts = BTreeMap::new();
    for _ in 0..30 {
        *counts.entry(random.below(12)).or_insert(0u32) += 1;
    }
    counts.remove(&3);
    counts
        .iter()
        .for_each(|(key, count)| out.put((*key, *count)));
    out.put(counts.range(4..8).map(|(_, count)| count).sum::<u32>());
    out.put((
        counts.first_key_value().map(|(key, _)| *key),
        counts.contains_key(&11),
    ));
}

fn btree_set(random: &mut Random, out: &mut Out<'_>) {
    let a: BTreeSet<u32> = numbers(random).into_iter().map(|n| n % 10).collect();
    let b: BTreeSet<u32> = numbers(random).into_iter().map(|n| n % 10).collect();
    a.intersection(&b).for_each(|n| out.put(*n));
    a.difference(&b).for_each(|n| out.put(*n));
    out.put((a.union(&b).count(), a.is_subset(&b)));
}

fn binary_heap(random: &mut Random, out: &mut Out<'_>) {
    let mut heap: BinaryHeap<u32> = numbers(random).into();
    heap.push(500);
    while let Some(n) = heap.pop() {
        out.put(n);
    }
}

fn deque(random: &mut Random, out: &mut Out<'_>) {
    let mut queue = VecDeque::new();
    for i in 0..16u32 {
        match random.below(4) {
            0 => queue.push_front(i),
            1 | 2 => queue.push_back(i),
            _ => out.put(queue.pop_front()),
        }
    }
    queue.rotate_left(queue.len() / 2);
    queue.iter().for_each(|n| out.put(*n));
}

fn counted(random: &mut Random, out: &mut Out<'_>) {
    let a = Rc::new(RefCell::new(numbers(random)));
    let b = Rc::clone(&a);
    b.borrow_mut().push(5);
    out.put((Rc::strong_count(&a), a.borrow().len(), Rc::ptr_eq(&a, &b)));
    drop(a);
    out.put(Rc::try_unwrap(b).is_ok());
}

fn weak_references(random: &mut Random, out: &mut Out<'_>) {
    struct Child {
        parent: Weak<u32>,
    }
    let parent = Rc::new(random.u32());
    let child = Child {
        parent: Rc::downgrade(&parent),
    };
    out.put(child.parent.upgrade().map(|parent| *parent));
    drop(parent);
    out.put(child.parent.upgrade().is_none());
}

fn cows(random: &mut Random, out: &mut Out<'_>) {
    fn escaped(text: &str) -> Cow<'_, str> {
        if text.contains('&') {
            text.replace('&', "&amp;").into()
        } else {
            text.into()
        }
    }
    let text = escaped(["a & b", "plain"][random.below(2)]);
    out.put(matches!(text, Cow::Borrowed(_)));
    out.put(text.into_owned().as_str());
}

enum Expression {
    Number(i64),
    Negated(Box<Expression>),
    Sum(Box<Expression>, Box<Expression>),
    Product(Vec<Expression>),
}

fn expression(random: &mut Random, depth: u32) -> Expression {
    match random.below(if depth == 0 { 1 } else { 4 }) {
        0 => Expression::Number(random.i64() % 100),
        1 => Expression::Negated(Box::new(expression(random, depth - 1))),
        2 => Expression::Sum(
            Box::new(expression(random, depth - 1)),
            Box::new(expression(random, depth - 1)),
        ),
        _ => Expression::Product(
            (0..random.below(4))
                .map(|_| expression(random, depth - 1))
                .collect(),
        ),
    }
}

fn value(expression: &Expression) -> i64 {
    match expression {
        Expression::Number(n) => *n,
        Expression::Negated(of) => value(of).wrapping_neg(),
        Expression::Sum(a, b) => value(a).wrapping_add(value(b)),
        Expression::Product(of) => of.iter().map(value).fold(1, i64::wrapping_mul),
    }
}

fn expression_tree(random: &mut Random, out: &mut Out<'_>) {
    let tree = expression(random, 4);
    out.put(value(&tree));
}

fn boxed_slices(random: &mut Random, out: &mut Out<'_>) {
    let slice: Box<[u32]> = numbers(random).into_boxed_slice();
    let text: Box<str> = "boxed".into();
    let shared: Rc<[u32]> = slice.iter().rev().copied().collect();
    out.put((slice.len(), text.len(), shared.len()));
    out.put(&shared[..]);
}
