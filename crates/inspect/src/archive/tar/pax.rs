//! Records of a pax header: `LENGTH KEY=VALUE\n`, over and over.

/// More pieces of a sparse file are not read.
pub(super) const MOST_PIECES: usize = 1 << 16;

/// What precedes a member and belongs to it.
#[derive(Default)]
pub(super) struct Extra {
    pub(super) name: Option<Vec<u8>>,
    pub(super) target: Option<Vec<u8>>,
    pub(super) size: Option<u64>,
    /// GNU sparse 1.0: the map stands before the data.
    pub(super) map_in_data: bool,
    /// GNU sparse 0.0 and 0.1: the map is in the records.
    pub(super) map: Option<Vec<(u64, u64)>>,
    pub(super) real_size: Option<u64>,
    sparse_name: Option<Vec<u8>>,
    /// GNU sparse 0.0: the offset of the piece whose length comes next.
    piece: Option<u64>,
}

impl Extra {
    /// Reads records until one makes no sense.
    pub(super) fn add(&mut self, mut records: &[u8]) {
        while let Some((key, value, rest)) = record(records) {
            self.learn(key, value);
            records = rest;
        }
        // The ordinary name of such a member is one for tars that do not know sparse files.
        if let Some(name) = self.sparse_name.take() {
            self.name = Some(name);
        }
    }

    fn learn(&mut self, key: &[u8], value: &[u8]) {
        match key {
            b"path" => self.name = Some(value.to_vec()),
            b"linkpath" => self.target = Some(value.to_vec()),
            b"size" => self.size = decimal(value),
            b"GNU.sparse.name" => self.sparse_name = Some(value.to_vec()),
            b"GNU.sparse.realsize" | b"GNU.sparse.size" => self.real_size = decimal(value),
            b"GNU.sparse.major" => self.map_in_data = value == b"1",
            b"GNU.sparse.offset" => self.piece = decimal(value),
            b"GNU.sparse.numbytes" => self.piece(value),
            b"GNU.sparse.map" => self.map = map(value),
            _ => {}
        }
    }

    fn piece(&mut self, bytes: &[u8]) {
        let map = self.map.get_or_insert_default();
        if let (Some(at), Some(bytes)) = (self.piece.take(), decimal(bytes))
            && map.len() < MOST_PIECES
        {
            map.push((at, bytes));
        }
    }
}

fn record(records: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let blank = records.iter().take(20).position(|byte| *byte == b' ')?;
    let len = usize::try_from(decimal(records.get(..blank)?)?).ok()?;
    let body = records.get(blank + 1..len)?.strip_suffix(b"\n")?;
    let equals = body.iter().position(|byte| *byte == b'=')?;
    let (key, value) = body.split_at(equals);
    Some((key, value.get(1..)?, records.get(len..)?))
}

/// Offsets and lengths in turn, parted by commas.
fn map(value: &[u8]) -> Option<Vec<(u64, u64)>> {
    let mut numbers = value.split(|byte| *byte == b',').map(decimal);
    let mut map = Vec::new();
    while let Some(start) = numbers.next() {
        if map.len() >= MOST_PIECES {
            return None;
        }
        map.push((start?, numbers.next()??));
    }
    Some(map)
}

pub(super) fn decimal(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_follow_each_other() {
        let mut extra = Extra::default();
        extra.add(b"19 path=sys/block/\n12 size=512\n19 linkpath=../x=y\n5 x=\n");
        assert_eq!(extra.name.as_deref(), Some(b"sys/block/".as_slice()));
        assert_eq!(extra.size, Some(512));
        assert_eq!(extra.target.as_deref(), Some(b"../x=y".as_slice()));
        for bad in ["", "9", "0 a=b\n", "99 path=x\n", "-1 a=b\n", "7 path\n"] {
            assert!(record(bad.as_bytes()).is_none(), "{bad}");
        }
        assert_eq!(map(b"0,512,1024,1"), Some(vec![(0, 512), (1024, 1)]));
        assert_eq!((map(b"0,512,1"), map(b"x,1")), (None, None));
    }
}
