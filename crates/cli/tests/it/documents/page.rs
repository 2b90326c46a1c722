//! A page as its parts: prose, fences, and the commands in them.

use std::ops::Range;

/// A part of a page that is run, in the order of the page.
pub enum PagePart {
    /// Shell commands that make what the page uses.
    Setup(String),
    /// A fence with commands.
    Session(Session),
}

/// A fence whose first line is a command.
pub struct Session {
    /// What stands behind the three backticks.
    pub words: Vec<String>,
    pub steps: Vec<Step>,
    /// The line of the first command, from 1.
    pub line: usize,
}

/// A command and what it said.
pub struct Step {
    pub command: String,
    /// Lines of the page, from 0.
    pub said: Range<usize>,
}

/// A fence: what stands behind its backticks, and its lines, from 0.
pub struct Fence {
    pub words: Vec<String>,
    pub lines: Range<usize>,
}

pub fn fences(lines: &[&str]) -> Vec<Fence> {
    let mut found = Vec::new();
    let mut open: Option<(Vec<String>, usize)> = None;
    for (at, line) in lines.iter().enumerate() {
        let Some(rest) = line.trim_start().strip_prefix("```") else {
            continue;
        };
        match open.take() {
            Some((words, begin)) => found.push(Fence {
                words,
                lines: begin..at,
            }),
            None => open = Some((rest.split_whitespace().map(str::to_owned).collect(), at + 1)),
        }
    }
    assert!(open.is_none(), "a fence does not end");
    found
}

/// Whether the fence shows commands at a prompt.
pub fn is_session(lines: &[&str], fence: &Fence) -> bool {
    let prompt = |line: &&str| line.starts_with("$ ") || line.starts_with("# ioalign");
    lines[fence.lines.clone()].iter().any(prompt)
}

/// Setups and sessions, in order.
pub fn parts(text: &str) -> Vec<PagePart> {
    let lines: Vec<_> = text.lines().collect();
    let mut parts: Vec<(usize, PagePart)> = setups(&lines);
    for fence in fences(&lines)
        .iter()
        .filter(|fence| is_session(&lines, fence))
    {
        let session = Session {
            words: fence.words.clone(),
            steps: steps(&lines, fence.lines.clone()),
            line: fence.lines.start + 1,
        };
        parts.push((fence.lines.start, PagePart::Session(session)));
    }
    parts.sort_by_key(|(line, _)| *line);
    parts.into_iter().map(|(_, part)| part).collect()
}

fn setups(lines: &[&str]) -> Vec<(usize, PagePart)> {
    let begins = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| **line == "<!-- setup");
    begins
        .map(|(at, _)| {
            let inside = lines[at + 1..].iter().take_while(|line| **line != "-->");
            let script = inside.copied().collect::<Vec<_>>().join("\n");
            (at, PagePart::Setup(script))
        })
        .collect()
}

fn steps(lines: &[&str], inside: Range<usize>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut goes_on = false;
    for at in inside {
        let line = lines[at];
        if goes_on && let Some(step) = steps.last_mut() {
            step.command.push('\n');
            step.command.push_str(line);
            step.said = at + 1..at + 1;
        } else if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step {
                command: command.to_owned(),
                said: at + 1..at + 1,
            });
        } else if let Some(step) = steps.last_mut() {
            step.said.end = at + 1;
            continue;
        }
        goes_on = line.ends_with('\\');
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_commands_and_what_they_say() {
        let page = "a\n<!-- setup\ntouch x\n-->\n```console figures\n$ one \\\n  more\nsaid\nagain\n$ two\n```\n```\nno\n```\n";
        let [PagePart::Setup(script), PagePart::Session(session)] = &parts(page)[..] else {
            panic!("two parts");
        };
        assert_eq!(script, "touch x");
        assert_eq!(session.words, ["console", "figures"]);
        assert_eq!(session.steps[0].command, "one \\\n  more");
        assert_eq!(session.steps[0].said, 7..9);
        assert_eq!(session.steps[1].said, 10..10);
    }
}
