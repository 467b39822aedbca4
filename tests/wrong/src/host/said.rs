//! What the simulator says of a case of the host's kind: in a process of its own, asked for as any
//! program's user asks, through the environment.

use std::io;
use std::path::Path;

use crate::case::{Case, Variant};
use crate::served::{Answer, Request, Server};

/// Programs of the host's kind, each run in a process of its own by `wrong serve`, which is started
/// for the first.
#[derive(Debug)]
pub(crate) struct Programs<'p> {
    wrong: &'p Path,
    server: Option<Server>,
}

impl<'p> Programs<'p> {
    /// Those in this program, which is `wrong`.
    pub(crate) fn of(wrong: &'p Path) -> Self {
        let server = None;
        Self { wrong, server }
    }

    /// What is written on `stderr`, without what is not the same wherever the program was compiled;
    /// nothing of a right program.
    pub(crate) fn said(&mut self, case: &Case, part: Variant, seed: u64) -> String {
        // What a fault has ended gives nothing back, which is not worth a word.
        let checks = match part == Variant::Right || case.check == "leak" {
            true => "all,leak",
            false => "all",
        };
        let variables = [
            ("LANEWISE_DEVICE", "sim"),
            ("LANEWISE_CHECKS", checks),
            ("LANEWISE_CHECKS_ACTION", "report"),
            ("LANEWISE_SEED", &seed.to_string()),
        ];
        let request = Request {
            part,
            case: case.id(),
            variables: variables.map(|it| (it.0.into(), it.1.into())).into(),
        };
        let answer = match self.ask(&request) {
            Ok(answer) => answer,
            Err(error) => return format!("the program does not start: {error}"),
        };
        let mut said = stable(&answer.stderr, case);
        if part == Variant::Right && !answer.success {
            said += &answer.stdout;
        }
        said
    }

    fn ask(&mut self, request: &Request) -> io::Result<Answer> {
        let server = match &mut self.server {
            Some(server) => server,
            none => none.insert(Server::start(self.wrong)?),
        };
        server.ask(request)
    }
}

/// The text without places in files, which are there if the program was compiled with them; of
/// functions the case's own, which may be inlined into one another, as one.
fn stable(text: &str, case: &Case) -> String {
    // By their name, or by their file: with lines known, a function into which another was inlined
    // has a bare name.
    let name = format!("`wrong::host::{}::{}::", case.check, case.name);
    let file = format!("/host/{}/{}.rs:", case.check, case.name);
    let frame = "     in the case's own code\n";
    let mut stable = String::new();
    for line in text.lines() {
        let trimmed = line.trim_start();
        let more = trimmed.starts_with("and ") && trimmed.ends_with(" more");
        if trimmed.starts_with("--> ") || more {
            continue;
        }
        if trimmed.starts_with("in `") {
            let own = line.contains(&name) || line.contains(&file);
            if own && !stable.ends_with(frame) {
                stable += frame;
            }
            continue;
        }
        stable += without_addresses(&without_place(line)).trim_end();
        stable.push('\n');
    }
    stable
}

/// A line without ` at FILE:LINE`, or `, made at FILE:LINE`.
fn without_place(line: &str) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    while let Some(at) = words
        .windows(2)
        .position(|pair| pair[0] == "at" && pair[1].contains(".rs:"))
    {
        words.drain(at..at + 2);
    }
    words.join(" ")
}

/// A line without addresses of the host's, which are others in each run.
fn without_addresses(line: &str) -> String {
    let mut parts = line.split("0x7");
    let mut stable = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_hexdigit());
        match part.len() - rest.len() {
            ..8 => stable = stable + "0x7" + part,
            _ => stable = stable + "ADDRESS" + rest,
        }
    }
    stable
}
