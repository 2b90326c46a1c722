//! What a host sends to a server that collects, and the profile in it. Its capture is what `archive` is given.
#![no_main]

use ioalign_fleet::{PushEnvelope, rates::IoRates};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(push) = PushEnvelope::decode(data) {
        assert_eq!(push.encode().ok().and_then(|bytes| PushEnvelope::decode(&bytes).ok()), Some(push.clone()));
        let _ = push.profile.as_deref().map(IoRates::read);
    }
});
