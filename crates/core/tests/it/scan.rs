//! Finds the rule ids that the sources emit, by reading them.
//!
//! Every `rules::NAME` is read as its id. Understood are ids in `Remark::new(…)`, `Remark::note(…)`,
//! `Finding::new(…)`, in `rule = …` and `rule: …`; and names that stand for one: a `let rule = …;` or
//! `let (rule, …) = …;` of the same file, a constant, and a parameter `rule: &'static str`, whose
//! callers are then read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Source files without their comments and unit tests, by path.
pub struct Sources(Vec<(String, String)>);

impl Sources {
    pub fn read(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut files = Vec::new();
        for folder in folders {
            walk(&folder, &mut files);
        }
        files.sort();
        Self(files)
    }

    /// The same with every id in the place of its constant.
    pub fn with_ids(mut self) -> Self {
        for (_, code) in &mut self.0 {
            *code = ids_for_constants(code);
        }
        self
    }

    /// Where a rule id stands as a literal: a place that a renamed rule would miss.
    pub fn literals_of(&self, ids: &[&str]) -> Vec<String> {
        let found = self.0.iter().flat_map(|(path, code)| {
            // Keys of facts there are those of the JSON output.
            let lines = code.lines().filter(|_| !path.contains("core/src/layer/"));
            let quoted = lines.flat_map(|line| line.split('"').skip(1).step_by(2));
            let known = quoted.filter(|text| ids.contains(text));
            known.map(move |id| format!("{path}: \"{id}\""))
        });
        found.collect()
    }
}

/// Folders whose code decides something.
const DECIDING: [&str; 6] = [
    "core/src/judge/",
    "inspect/src/assemble/",
    "inspect/src/host/",
    "repair/src/",
    "cli/src/fix/",
    "cli/src/plan/",
];

impl Sources {
    /// Where a decision reads a fact that is there to be shown: another word for it would change what is done.
    pub fn decisions_by_facts(&self) -> Vec<String> {
        let reads = [
            "facts.get",
            "facts.contains_key",
            "facts.remove",
            "facts[",
            "all_facts(",
        ];
        let deciding = self.0.iter().filter(|(path, _)| {
            let path = path.replace('\\', "/");
            DECIDING.iter().any(|folder| path.contains(folder))
        });
        let found = deciding.flat_map(|(path, code)| {
            let code: String = code.split_whitespace().collect();
            let found = reads.iter().filter(move |read| code.contains(*read));
            found.map(move |read| format!("{path}: {read}"))
        });
        found.collect()
    }
}

fn ids_for_constants(code: &str) -> String {
    let mut parts = code.split("rules::");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let in_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let (name, rest) = part.split_at(part.find(|c| !in_name(c)).unwrap_or(part.len()));
        match name {
            "" => out.push_str("rules::"),
            _ => out.push_str(&format!("\"{}\"", name.to_lowercase().replace('_', "-"))),
        }
        out.push_str(rest);
    }
    out
}

fn walk(folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("core/src/rules") {
            walk(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
            let lines = code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            let code: Vec<_> = lines.collect();
            files.push((path.display().to_string(), code.join("\n")));
        }
    }
}

/// What was found.
#[derive(Default)]
pub struct Emitted {
    /// Rule ids with the first file that names them.
    pub rules: BTreeMap<String, String>,
    /// Calls whose rule could not be followed.
    pub unclear: Vec<String>,
}

const CALLS: [&str; 3] = ["Remark::new(", "Remark::note(", "Finding::new("];

pub fn emitted(sources: &Sources) -> Emitted {
    let mut found = Emitted::default();
    let mut passing: BTreeSet<String> = BTreeSet::new();
    for (path, code) in &sources.0 {
        for argument in CALLS.iter().flat_map(|call| first_arguments(code, call)) {
            match resolve(code, &argument) {
                Rule::Literals(ids) => found.add(path, ids),
                Rule::PassedOn => {}
                Rule::Unclear => found.unclear.push(format!("{path}: {argument}")),
            }
        }
        passing.extend(functions_with_rule(code));
        for literal in after(code, "rule: \"").chain(after(code, "rule = \"")) {
            found.add(path, vec![literal]);
        }
    }
    for (path, code) in &sources.0 {
        for name in &passing {
            for call in calls(code, name) {
                found.add(path, kebab_literals(&call).into_iter().take(1).collect());
            }
        }
    }
    found
}

impl Emitted {
    fn add(&mut self, path: &str, ids: Vec<String>) {
        let file = path.split("crates/").last().unwrap_or(path);
        for id in ids {
            self.rules.entry(id).or_insert_with(|| file.to_owned());
        }
    }
}

enum Rule {
    Literals(Vec<String>),
    /// The caller chose it, or it is that of another remark.
    PassedOn,
    Unclear,
}

fn resolve(code: &str, argument: &str) -> Rule {
    if let Some(literal) = argument.strip_prefix('"') {
        return Rule::Literals(vec![literal.trim_end_matches('"').to_owned()]);
    }
    if argument.ends_with(".rule") || argument.contains("&'static str") {
        return Rule::PassedOn;
    }
    let mut ids = Vec::new();
    for opening in [format!("let {argument} ="), format!("let ({argument},")] {
        for (at, _) in code.match_indices(&opening) {
            ids.extend(kebab_literals(statement(&code[at..])));
        }
    }
    for literal in after(code, &format!("const {argument}: &str = \"")) {
        ids.push(literal);
    }
    let parameter = format!("{argument}: &'static str");
    match (ids.is_empty(), code.contains(&parameter)) {
        (false, _) => Rule::Literals(ids),
        (true, true) => Rule::PassedOn,
        (true, false) => Rule::Unclear,
    }
}

/// The first argument of every call, up to its comma.
fn first_arguments<'a>(code: &'a str, call: &str) -> Vec<String> {
    let arguments = code.match_indices(call).map(|(at, _)| {
        let rest: &'a str = code[at + call.len()..].trim_start();
        let end = rest.find([',', ')']).unwrap_or(rest.len());
        rest[..end].trim().to_owned()
    });
    arguments.collect()
}

/// Up to the semicolon that ends the statement.
fn statement(code: &str) -> &str {
    let mut depth = 0_i32;
    for (at, c) in code.char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth -= 1,
            ';' if depth <= 0 => return &code[..at],
            _ => {}
        }
    }
    code
}

/// Functions that are given a rule: their callers name it.
fn functions_with_rule(code: &str) -> Vec<String> {
    let functions = code.match_indices("fn ").filter_map(|(at, _)| {
        let head = &code[at + 3..];
        let head = &head[..head.find('{').unwrap_or(head.len())];
        let name: String = head
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        head.contains("rule: &'static str").then_some(name)
    });
    // The constructors themselves are looked at above.
    functions
        .filter(|name| name != "new" && name != "note")
        .collect()
}

/// The arguments of every call of `name`.
fn calls(code: &str, name: &str) -> Vec<String> {
    let opening = format!("{name}(");
    let starts = code.match_indices(&opening).filter(|(at, _)| {
        let before = code[..*at].chars().next_back();
        let part_of_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !part_of_word && !code[..*at].ends_with("fn ")
    });
    starts
        .map(|(at, _)| {
            let rest = &code[at + opening.len() - 1..];
            let mut depth = 0_i32;
            let end = rest.char_indices().find(|(_, c)| {
                depth += i32::from(*c == '(') - i32::from(*c == ')');
                depth == 0
            });
            rest[..end.map_or(rest.len(), |(at, _)| at)].to_owned()
        })
        .collect()
}

/// The literals that look like rule ids: `word-word`.
fn kebab_literals(code: &str) -> Vec<String> {
    let quoted = code.split('"').skip(1).step_by(2);
    let word = |word: &str| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    quoted
        .filter(|text| text.contains('-') && text.split('-').all(word))
        .map(str::to_owned)
        .collect()
}

/// What stands between `opening` and the next quote.
fn after<'a>(code: &'a str, opening: &'a str) -> impl Iterator<Item = String> + 'a {
    code.match_indices(opening).map(|(at, _)| {
        let rest = &code[at + opening.len()..];
        rest.split('"').next().unwrap_or_default().to_owned()
    })
}
