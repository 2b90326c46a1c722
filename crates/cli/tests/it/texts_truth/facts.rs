//! Facts about disks, one line each: what is pasted, and what must be said of it.

/// A disk as a line of the table has it.
pub struct Facts {
    pub dialects: Vec<String>,
    pub name: String,
    pub size: u64,
    pub logical: u64,
    pub physical: u64,
    pub minimum: u64,
    pub optimal: u64,
    pub model: String,
    pub gpt: bool,
    pub parts: Vec<Part>,
    extra: Vec<(String, String)>,
    pub verdict: String,
    /// The partitions that are off a grid.
    pub blamed: Vec<String>,
}

/// A partition, in bytes.
pub struct Part {
    pub number: u64,
    pub start: u64,
    pub size: u64,
    pub kind: String,
}

/// All lines but comments. A line:
/// `dialects | disk | bytes | logical/physical minimum/optimal | model | partitions | more | verdict, partitions`.
pub fn all(table: &str) -> Vec<Facts> {
    let lines = table.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| parse(line).unwrap_or_else(|| panic!("not a line of facts: {line}")))
        .collect()
}

fn parse(line: &str) -> Option<Facts> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let [dialects, name, size, limits, model, parts, more, expected] = cells.as_slice() else {
        return None;
    };
    let limits: Vec<u64> = limits
        .split([' ', '/'])
        .map(|word| word.parse().ok())
        .collect::<Option<_>>()?;
    let [logical, physical, minimum, optimal] = limits.as_slice() else {
        return None;
    };
    let parts = parts.split_whitespace().enumerate();
    let parts = parts
        .map(|(index, text)| part(text, index, *logical))
        .collect::<Option<Vec<_>>>()?;
    let mut expected = expected.split_whitespace().map(str::to_owned);
    let pair = |word: &str| {
        word.split_once('=')
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
    };
    Some(Facts {
        dialects: dialects.split_whitespace().map(str::to_owned).collect(),
        name: (*name).to_owned(),
        size: size.parse().ok()?,
        logical: *logical,
        physical: *physical,
        minimum: *minimum,
        optimal: *optimal,
        model: (*model).to_owned(),
        gpt: more.split_whitespace().any(|word| word == "gpt"),
        parts,
        extra: more.split_whitespace().filter_map(pair).collect(),
        verdict: expected.next()?,
        // A space in a name is `\s`.
        blamed: expected.map(|name| name.replace("\\s", " ")).collect(),
    })
}

/// `3@63+204800:83`: number, start and length in sectors, type. Without a number they count from 1.
fn part(text: &str, index: usize, sector: u64) -> Option<Part> {
    let (place, kind) = text.split_once(':')?;
    let (number, place) = match place.split_once('@') {
        Some((number, place)) => (number.parse().ok()?, place),
        None => (index as u64 + 1, place),
    };
    let (start, count) = place.split_once('+')?;
    Some(Part {
        number,
        start: start.parse::<u64>().ok()? * sector,
        size: count.parse::<u64>().ok()? * sector,
        kind: kind.to_owned(),
    })
}

impl Facts {
    pub fn table(&self) -> &'static str {
        if self.gpt { "gpt" } else { "dos" }
    }

    pub fn device(&self, part: &Part) -> String {
        let digit = self.name.ends_with(|c: char| c.is_ascii_digit());
        format!(
            "/dev/{}{}{}",
            self.name,
            if digit { "p" } else { "" },
            part.number
        )
    }

    pub fn extra(&self, key: &str) -> Option<&str> {
        let found = self.extra.iter().find(|(name, _)| name == key)?;
        Some(&found.1)
    }
}
