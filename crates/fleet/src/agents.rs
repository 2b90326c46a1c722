//! Who may push: names and hashed tokens, in a file of TOML.
//!
//! ```toml
//! [[agent]]
//! name = "rack-7"
//! token_sha256 = "…"      # printf %s "$TOKEN" | sha256sum
//! may = ["push"]          # or ["push", "waive"]
//! ```
//!
//! A token is random and long, so one round of SHA-256 is enough; the file gives no token away.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Deserialize;

use crate::error::{FleetError, FleetResult};
use crate::hash;

/// A token shorter than this is refused: it could be guessed.
pub const SHORTEST_TOKEN: usize = 32;

/// What a token is good for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentRight {
    /// Push reports.
    Push,
    /// Make and take back waivers.
    Waive,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentsToml {
    #[serde(default)]
    agent: Vec<AgentToml>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentToml {
    name: String,
    token_sha256: String,
    #[serde(default = "push_only")]
    may: Vec<AgentRight>,
}

fn push_only() -> Vec<AgentRight> {
    vec![AgentRight::Push]
}

/// The agents of a file, read again when it changes: a token is taken back without a restart.
#[derive(Debug)]
pub struct AgentList {
    path: PathBuf,
    read: Option<(SystemTime, u64)>,
    by_hash: BTreeMap<String, (String, Vec<AgentRight>)>,
}

impl AgentList {
    /// Reads the file.
    ///
    /// # Errors
    /// When it cannot be read, or an entry is wrong.
    pub fn load(path: &Path) -> FleetResult<Self> {
        let mut list = Self {
            path: path.to_owned(),
            read: None,
            by_hash: BTreeMap::new(),
        };
        list.refresh()?;
        Ok(list)
    }

    /// Reads the file again where it changed.
    ///
    /// # Errors
    /// As [`AgentList::load`]; nobody may do anything then.
    pub fn refresh(&mut self) -> FleetResult<()> {
        let failed = |error| FleetError::file(&self.path, "cannot be read", &error);
        let data = fs::metadata(&self.path).map_err(failed);
        let seen = data.and_then(|data| Ok((data.modified().map_err(failed)?, data.len())));
        if seen.as_ref().is_ok_and(|seen| self.read == Some(*seen)) {
            return Ok(());
        }
        self.by_hash.clear();
        self.read = None;
        let seen = seen?;
        let text = fs::read_to_string(&self.path).map_err(failed)?;
        self.by_hash = parse(&text)
            .map_err(|what| FleetError::File(format!("{}: {what}", self.path.display())))?;
        self.read = Some(seen);
        Ok(())
    }

    /// The name of the agent that has this token, if it may do that.
    pub fn allows(&self, token: &str, right: AgentRight) -> Option<&str> {
        if token.len() < SHORTEST_TOKEN {
            return None;
        }
        let (name, may) = self.by_hash.get(&hash::of(token.as_bytes()))?;
        may.contains(&right).then_some(name.as_str())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.by_hash.len()
    }

    /// Whether nobody may do anything.
    pub fn is_empty(&self) -> bool {
        self.by_hash.is_empty()
    }
}

fn parse(text: &str) -> Result<BTreeMap<String, (String, Vec<AgentRight>)>, String> {
    let read: AgentsToml = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut by_hash = BTreeMap::new();
    for agent in read.agent {
        if agent.name.is_empty() || agent.name.contains(char::is_control) {
            return Err("an agent has no name".to_owned());
        }
        if !hash::is_hash(&agent.token_sha256) {
            return Err(format!(
                "{}: token_sha256 is not 64 hexadecimal digits, as sha256sum prints them",
                agent.name
            ));
        }
        let name = agent.name.clone();
        if by_hash
            .insert(agent.token_sha256, (agent.name, agent.may))
            .is_some()
        {
            return Err(format!("{name}: another agent has the same token"));
        }
    }
    Ok(by_hash)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn entry(name: &str, token: &str, may: &str) -> String {
        format!(
            "[[agent]]\nname = \"{name}\"\ntoken_sha256 = \"{}\"\n{may}\n",
            hash::of(token.as_bytes())
        )
    }

    #[test]
    fn a_token_is_good_for_what_its_entry_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agents.toml");
        fs::write(&path, entry("rack", TOKEN, "")).unwrap();
        let mut list = AgentList::load(&path).unwrap();
        assert_eq!(list.allows(TOKEN, AgentRight::Push), Some("rack"));
        assert_eq!(list.allows(TOKEN, AgentRight::Waive), None);
        assert_eq!(list.allows(&TOKEN.to_uppercase(), AgentRight::Push), None);
        assert_eq!(list.allows("", AgentRight::Push), None);
        fs::write(&path, entry("rack", TOKEN, "may = [\"waive\"]")).unwrap();
        list.refresh().unwrap();
        assert_eq!(list.allows(TOKEN, AgentRight::Push), None);
        assert_eq!(list.allows(TOKEN, AgentRight::Waive), Some("rack"));
        fs::write(&path, "broken").unwrap();
        assert!(list.refresh().is_err() && list.is_empty());
    }

    #[test]
    fn what_is_wrong_in_the_file_is_said() {
        assert!(parse("[[agent]]\nname = \"a\"\ntoken_sha256 = \"secret\"").is_err());
        assert!(parse("[[agent]]\nname = \"a\"\ntoken = \"secret\"").is_err());
        let twice = entry("a", TOKEN, "") + &entry("b", TOKEN, "");
        assert!(parse(&twice).unwrap_err().contains("same token"));
        assert!(parse("").unwrap().is_empty());
    }
}
