//! One subject's part of the suite's PTX.
//!
//! A driver compiles a whole module on one core, which takes minutes for the whole suite. A kernel
//! and the functions that it reaches are a small module. Tests load only their own, and several are
//! compiled side by side. The text is cut where items begin, which in LLVM's output is at the start
//! of a line. An item belongs to a module if the kernel reaches one of its names.

use std::collections::{HashMap, HashSet};

/// A module's text, cut into items.
#[derive(Debug)]
pub(super) struct Items<'a> {
    items: Vec<&'a str>,
    /// The items that define a name.
    by_name: HashMap<&'a str, Vec<usize>>,
    /// The items that define no name. They are for the whole module, such as version, target and
    /// the names of files.
    for_all: HashSet<usize>,
}

impl<'a> Items<'a> {
    pub(super) fn of(ptx: &'a str) -> Items<'a> {
        let items = items(ptx);
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut for_all = HashSet::new();
        for (index, item) in items.iter().enumerate() {
            match defined(item) {
                Some(name) => by_name.entry(name).or_default().push(index),
                None => drop(for_all.insert(index)),
            }
        }
        Items {
            items,
            by_name,
            for_all,
        }
    }

    /// Returns the module with the kernel `name` and all that it reaches. Items keep their order.
    pub(super) fn module_of(&self, name: &str) -> String {
        let mut kept = self.for_all.clone();
        let mut wanted = vec![name];
        while let Some(name) = wanted.pop() {
            for &index in self.by_name.get(name).into_iter().flatten() {
                if kept.insert(index) {
                    wanted.extend(words(self.items[index]));
                }
            }
        }
        let kept = (0..self.items.len()).filter(|index| kept.contains(index));
        kept.map(|index| self.items[index]).collect()
    }
}

/// The text from each line that begins an item to the next.
fn items(ptx: &str) -> Vec<&str> {
    let mut starts = vec![0];
    let mut at = 0;
    let mut after_body = false;
    for line in ptx.split_inclusive('\n') {
        let begins = line.starts_with('.') && !line.starts_with(".noreturn");
        if begins || after_body {
            starts.push(at);
        }
        after_body = line.starts_with('}');
        at += line.len();
    }
    starts.push(ptx.len());
    starts
        .windows(2)
        .map(|ends| &ptx[ends[0]..ends[1]])
        .collect()
}

/// Returns the name that an item declares or defines: the last word before `(`, `[`, `=` or `;`
/// outside of its result.
fn defined(item: &str) -> Option<&str> {
    let text = item.trim_start();
    let is_function = ["(.param", ".func", ".entry"]
        .iter()
        .any(|word| text.lines().next().is_some_and(|line| line.contains(word)));
    if text.starts_with(".version")
        || text.starts_with(".target")
        || text.starts_with(".address_size")
    {
        return None;
    }
    let head = if is_function {
        // `.func  (.param .b32 func_retval0) NAME(`
        match text
            .find(") ")
            .filter(|_| text.starts_with(".func  (") || text.starts_with(".extern .func  ("))
        {
            Some(result) => &text[result + 2..],
            None => text,
        }
    } else if text.contains(".global") || text.contains(".const") {
        text
    } else {
        return None;
    };
    let end = head.find(['(', '[', '=', ';', '\n']).unwrap_or(head.len());
    words(&head[..end]).last()
}

/// Returns the names in a text, including numbers.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$'))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::Items;

    const PTX: &str = "//\n\n.version 7.8\n.target sm_80\n.address_size 64\n\n.func  (.param .b32 func_retval0) helper\n(\n\t.param .b64 \
        helper_param_0\n)\n;\n.func fails\n()\n.noreturn;\n.extern .func free\n(\n)\n;\n.global .align 8 .u64 table[1] = {helper};\n\
        .global .align 1 .b8 text[2] = {1, 2};\n\n.func  (.param .b32 func_retval0) helper(\n\t.param .b64 helper_param_0\n)\n{\n\tcall.uni \
        fails;\n}\n\t// .globl\tone\n.visible .entry one(\n)\n{\n\tmov.b64 %rd1, table;\n}\n\t// .globl\ttwo\n.visible .entry two(\n)\n{\n\tcall \
        free;\n}\n.func fails()\n.noreturn\n{\n\tret;\n}\n\t.file\t1 \"a.rs\"\n";

    #[test]
    fn a_kernel_comes_with_what_it_reaches_and_nothing_else() {
        let items = Items::of(PTX);
        let one = items.module_of("one");
        for part in [
            ".version 7.8",
            ".entry one",
            "table[1]",
            "call.uni fails",
            ".file\t1",
        ] {
            assert!(one.contains(part), "{part} is missing in\n{one}");
        }
        assert_eq!(one.matches(".func").count(), 4, "{one}");
        for part in [".entry two", "text[2]", "free"] {
            assert!(!one.contains(part), "{part} is in\n{one}");
        }
        assert!(items.module_of("two").contains(".extern .func free"));
    }
}
