//! A push: what a host sends in one request.
//!
//! One line of JSON, a line feed, the capture and, where there is one, the profile:
//!
//! ```text
//! {"schema":"ioalign.envelope/1","host_id":"…","host":"db1","taken_at_seconds":1795564799,"capture_bytes":12288,"profile_bytes":null}
//! …capture…profile…
//! ```
//!
//! The capture is the tarball of `ioalign capture`, the profile a document `ioalign.profile/1`; nothing else is sent. The
//! same bytes are the same push: their SHA-256 is the key by which a server knows one that it has.

use serde::{Deserialize, Serialize};

use crate::error::{FleetError, FleetResult};
use crate::hash;

/// Names this form.
pub const SCHEMA: &str = "ioalign.envelope/1";
/// The longest first line.
const MOST_HEAD: usize = 4096;
/// The largest capture. One of 200 disks has 2 MiB.
pub const MOST_CAPTURE: usize = 8 << 20;
/// The largest profile.
pub const MOST_PROFILE: usize = 8 << 20;
/// The largest push.
pub const MOST_BYTES: usize = MOST_HEAD + MOST_CAPTURE + MOST_PROFILE;
/// The longest name of a host: that of a DNS name.
const MOST_NAME: usize = 253;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PushHead {
    schema: String,
    host_id: String,
    host: String,
    taken_at_seconds: i64,
    capture_bytes: usize,
    profile_bytes: Option<usize>,
}

/// What a host sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushEnvelope {
    /// Identifies the host: [`host_id`].
    pub host_id: String,
    /// Its name, for people. Untrusted.
    pub host: String,
    /// The host's clock at the capture, in seconds since 1970. It is shown and decides nothing: clocks of hosts jump.
    pub taken_at_seconds: i64,
    /// The bundle.
    pub capture: Vec<u8>,
    /// The profile, as JSON.
    pub profile: Option<Vec<u8>>,
}

/// The id of a host: a hash of its machine id, which systemd asks not to give away. It stays the same over
/// renames and reinstallations of ioalign.
pub fn host_id(machine_id: &str) -> String {
    hash::of_parts(&[SCHEMA.as_bytes(), machine_id.trim().as_bytes()])
}

impl PushEnvelope {
    /// The bytes to be sent.
    ///
    /// # Errors
    /// Where a part is too large.
    pub fn encode(&self) -> FleetResult<Vec<u8>> {
        let head = PushHead {
            schema: SCHEMA.to_owned(),
            host_id: self.host_id.clone(),
            host: self.host.clone(),
            taken_at_seconds: self.taken_at_seconds,
            capture_bytes: self.capture.len(),
            profile_bytes: self.profile.as_ref().map(Vec::len),
        };
        head.check()?;
        let mut bytes = serde_json::to_vec(&head).map_err(|error| refused(error.to_string()))?;
        bytes.push(b'\n');
        bytes.extend_from_slice(&self.capture);
        bytes.extend_from_slice(self.profile.as_deref().unwrap_or_default());
        Ok(bytes)
    }

    /// Reads what was sent: strict, because nothing but [`PushEnvelope::encode`] writes it.
    ///
    /// # Errors
    /// [`FleetError::Refused`] with what is wrong.
    pub fn decode(bytes: &[u8]) -> FleetResult<Self> {
        let start = bytes.get(..MOST_HEAD).unwrap_or(bytes);
        let end = start.iter().position(|byte| *byte == b'\n');
        let end = end.ok_or_else(|| refused("a push begins with a line of JSON"))?;
        let line = start.get(..end).unwrap_or_default();
        let head: PushHead =
            serde_json::from_slice(line).map_err(|error| refused(error.to_string()))?;
        head.check()?;
        let rest = bytes.get(end + 1..).unwrap_or_default();
        let (capture, profile) = rest
            .split_at_checked(head.capture_bytes)
            .filter(|(_, profile)| profile.len() == head.profile_bytes.unwrap_or(0))
            .ok_or_else(|| refused("it is not as long as its first line says"))?;
        Ok(Self {
            host_id: head.host_id,
            host: head.host,
            taken_at_seconds: head.taken_at_seconds,
            capture: capture.to_vec(),
            profile: head.profile_bytes.map(|_| profile.to_vec()),
        })
    }
}

impl PushHead {
    fn check(&self) -> FleetResult<()> {
        let is_name =
            (1..=MOST_NAME).contains(&self.host.len()) && !self.host.contains(char::is_control);
        let wrong = if self.schema != SCHEMA {
            "its schema is not ioalign.envelope/1"
        } else if !hash::is_hash(&self.host_id) {
            "its host_id is not 64 hexadecimal digits"
        } else if !is_name {
            "its host is not a name"
        } else if !(1..=MOST_CAPTURE).contains(&self.capture_bytes) {
            "its capture is empty or larger than 8 MiB"
        } else if self
            .profile_bytes
            .is_some_and(|bytes| !(1..=MOST_PROFILE).contains(&bytes))
        {
            "its profile is empty or larger than 8 MiB"
        } else {
            return Ok(());
        };
        Err(refused(wrong))
    }
}

fn refused(what: impl Into<String>) -> FleetError {
    FleetError::Refused(format!("not a push: {}", what.into()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn push(profile: Option<&[u8]>) -> PushEnvelope {
        PushEnvelope {
            host_id: host_id("0123456789abcdef0123456789abcdef\n"),
            host: "db1".to_owned(),
            taken_at_seconds: 1_795_564_799,
            capture: b"capture\nof a host".to_vec(),
            profile: profile.map(<[u8]>::to_vec),
        }
    }

    #[test]
    fn what_is_sent_is_read_again() {
        for profile in [None, Some(b"{}".as_slice())] {
            let push = push(profile);
            assert_eq!(PushEnvelope::decode(&push.encode().unwrap()).unwrap(), push);
        }
    }

    #[test]
    fn the_machine_id_is_not_sent() {
        let bytes = push(None).encode().unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("0123456789abcdef"), "{text}");
    }

    #[test]
    fn what_is_cut_off_or_too_long_is_refused() {
        let bytes = push(Some(b"{}")).encode().unwrap();
        for end in 0..bytes.len() {
            assert!(PushEnvelope::decode(&bytes[..end]).is_err(), "{end}");
        }
        assert!(PushEnvelope::decode(&[bytes.as_slice(), b"x"].concat()).is_err());
    }

    #[test]
    fn every_field_is_checked() {
        let wrong: [fn(&mut PushEnvelope); 6] = [
            |push| push.host_id = "..".to_owned(),
            |push| push.host = String::new(),
            |push| push.host = "a\u{1b}[2J".to_owned(),
            |push| push.host = "a".repeat(300),
            |push| push.capture.clear(),
            |push| push.capture.resize(MOST_CAPTURE + 1, 0),
        ];
        for (index, change) in wrong.iter().enumerate() {
            let mut push = push(None);
            change(&mut push);
            assert!(push.encode().is_err(), "{index}");
        }
        // A host may send what no `encode` wrote.
        let sent = String::from_utf8(push(None).encode().unwrap()).unwrap();
        let id = push(None).host_id;
        for (right, wrong) in [
            (id.as_str(), ".."),
            ("\"db1\"", "\"\""),
            ("\"db1\"", "\"a\\u001b[2J\""),
            ("ioalign.envelope/1", "ioalign.envelope/9"),
        ] {
            let bytes = sent.replacen(right, wrong, 1);
            assert_ne!(bytes, sent);
            assert!(PushEnvelope::decode(bytes.as_bytes()).is_err(), "{wrong}");
        }
        let lied = br#"{"schema":"ioalign.envelope/1","capture_bytes":18446744073709551615}"#;
        assert!(PushEnvelope::decode(lied).is_err());
    }
}
