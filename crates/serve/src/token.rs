//! The token that a client has to show.

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Of HTTP Basic, with or without padding.
const BASIC: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);
/// Shorter tokens can be guessed.
const SHORTEST: usize = 16;
const LONGEST: usize = 1024;

/// A secret that clients know.
#[derive(Clone)]
pub struct AccessToken(Vec<u8>);

impl std::fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AccessToken(…)")
    }
}

impl AccessToken {
    /// The contents of a token file: one word of 16 to 1024 printable ASCII characters.
    ///
    /// # Errors
    /// Why it is no token. The text itself is not part of the message.
    pub fn parse(text: &str) -> Result<Self, String> {
        let token = text.trim();
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("a token is one word of printable ASCII characters".to_owned());
        }
        match token.len() {
            SHORTEST..=LONGEST => Ok(Self(token.as_bytes().to_vec())),
            len => Err(format!(
                "a token has {SHORTEST} to {LONGEST} characters, not {len}: `openssl rand -hex 32` makes one"
            )),
        }
    }

    /// Whether a client has shown it. The time does not depend on where the two differ.
    pub fn is(&self, given: &[u8]) -> bool {
        if given.len() != self.0.len() {
            return false;
        }
        let pairs = self.0.iter().zip(given);
        let differences = pairs.fold(0, |all, (own, given)| {
            std::hint::black_box(all | (own ^ given))
        });
        differences == 0
    }
}

/// The token in the headers: `Authorization: Bearer TOKEN`, or the password of `Basic`, which a browser asks for.
pub fn given_token(headers: &HeaderMap) -> Option<Vec<u8>> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, rest) = value.split_once(' ')?;
    let rest = rest.trim();
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.as_bytes().to_vec());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let mut both = BASIC.decode(rest).ok()?;
    let colon = both.iter().position(|byte| *byte == b':')?;
    Some(both.split_off(colon + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: &str) -> Option<Vec<u8>> {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, value.parse().unwrap());
        given_token(&headers)
    }

    #[test]
    fn a_token_is_shown_in_two_ways() {
        let token = AccessToken::parse("0123456789abcdef\n").unwrap();
        assert!(token.is(&shown("Bearer 0123456789abcdef").unwrap()));
        // admin:0123456789abcdef
        let basic = "Basic YWRtaW46MDEyMzQ1Njc4OWFiY2RlZg==";
        assert!(token.is(&shown(basic).unwrap()));
        assert_eq!(shown("Basic YTpiOmM=").unwrap(), b"b:c");
        for wrong in [
            "Bearer 0123456789abcdeg",
            "Bearer 0123456789abcde",
            "Bearer ",
            "Basic YWRtaW4=",
            "Basic %%%",
            "Digest 0123456789abcdef",
            "0123456789abcdef",
        ] {
            assert!(
                !shown(wrong).is_some_and(|given| token.is(&given)),
                "{wrong}"
            );
        }
    }

    #[test]
    fn what_is_no_token_is_not_repeated() {
        for wrong in [
            "",
            "short",
            "two words of some length",
            "0123456789abcde\u{e9}",
        ] {
            let said = AccessToken::parse(wrong).unwrap_err();
            assert!(wrong.is_empty() || !said.contains(wrong), "{said}");
        }
        assert!(AccessToken::parse(&"x".repeat(1025)).is_err());
        let token = AccessToken::parse("0123456789abcdef").unwrap();
        assert!(!format!("{token:?}").contains("0123"));
    }
}
