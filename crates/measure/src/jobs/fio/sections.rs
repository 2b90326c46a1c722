//! The text of a job file as sections of keys, `[global]` spread over those that follow it.

/// A section with what it inherits before its own keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    pub name: String,
    pub keys: Vec<(String, String)>,
}

/// A job file is small; this many keys are none that anybody wrote.
const MOST_KEYS: usize = 10_000;

/// All sections but `[global]`.
pub fn sections(text: &str) -> Result<Vec<Section>, String> {
    let mut global = Vec::new();
    let mut all: Vec<Section> = Vec::new();
    let mut in_global = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with([';', '#']) {
            continue;
        }
        if number > MOST_KEYS {
            return Err(format!("more than {MOST_KEYS} lines: it is no job file"));
        }
        if let Some(name) = line.strip_prefix('[') {
            let name = name.strip_suffix(']');
            let name = name.ok_or_else(|| format!("line {number}: `[` without `]`"))?;
            in_global = name == "global";
            if !in_global {
                let (name, keys) = (name.to_owned(), global.clone());
                all.push(Section { name, keys });
            }
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let pair = (key.trim().to_owned(), value.trim().to_owned());
        match all.last_mut() {
            _ if in_global => global.push(pair),
            Some(section) => section.keys.push(pair),
            None => return Err(format!("line {number}: it stands before any section")),
        }
    }
    if all.is_empty() {
        return Err("no section beside [global] is in it".to_owned());
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn global_keys_reach_later_sections() {
        let text = "; c\n[global]\nbs=4k\n[a]\nrw=read\n[global]\nbs = 8k\n[b]\ntime_based\n";
        let all = sections(text).unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].keys.len(), 2);
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(
            all[1].keys,
            [pair("bs", "4k"), pair("bs", "8k"), pair("time_based", "")]
        );
        assert!(sections("[global]\nbs=4k").is_err());
        assert!(sections("bs=4k\n").unwrap_err().contains("line 1"));
        assert!(sections("[a\n").unwrap_err().contains("line 1"));
    }
}
