//! The files of a supportconfig: outputs one after the other, each below a line `#==[ Command ]===#`.

/// How a section begins.
const MARK: &[u8] = b"#==[";

/// The sections of a file; what stands before the first one is one too.
pub(super) fn split(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let now = rest.take()?;
        let mut windows = now.windows(MARK.len() + 1).enumerate();
        let next =
            windows.find(|(_, bytes)| bytes.first() == Some(&b'\n') && bytes.ends_with(MARK));
        let Some((at, _)) = next else {
            return Some(now);
        };
        let (section, later) = now.split_at(at + 1);
        rest = Some(later);
        Some(section)
    })
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn sections_begin_at_marks() {
        let text = b"head\n#==[ Command ]=#\n# a\nx #==[ no\n#==[ Command ]=#\n# b\n";
        let sections: Vec<_> = split(text).collect();
        let expected: [&[u8]; 3] = [
            b"head\n",
            b"#==[ Command ]=#\n# a\nx #==[ no\n",
            b"#==[ Command ]=#\n# b\n",
        ];
        assert_eq!(sections, expected);
        assert_eq!(split(b"").count(), 1);
    }
}
