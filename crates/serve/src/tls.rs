//! TLS: the server's certificate, and the authority of those of clients.

use std::io::{Error, ErrorKind, Result};
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

/// The contents of PEM files.
#[derive(Clone, Default)]
pub struct TlsFiles {
    /// The chain of the server, its own certificate first.
    pub certificate: Vec<u8>,
    /// Its key.
    pub key: Vec<u8>,
    /// The authorities of clients; `None`: clients need no certificate.
    pub client_authority: Option<Vec<u8>>,
}

impl TlsFiles {
    /// What accepts connections.
    pub(crate) fn acceptor(&self) -> Result<TlsAcceptor> {
        let chain = certificates(&self.certificate, "the certificate")?;
        let key =
            PrivateKeyDer::from_pem_slice(&self.key).map_err(|error| wrong("the key", &error))?;
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| wrong("TLS", &error))?;
        let builder = match &self.client_authority {
            None => builder.with_no_client_auth(),
            Some(pem) => {
                let what = "the authority of clients";
                let mut roots = RootCertStore::empty();
                for one in certificates(pem, what)? {
                    roots.add(one).map_err(|error| wrong(what, &error))?;
                }
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                        .build()
                        .map_err(|error| wrong(what, &error))?;
                builder.with_client_cert_verifier(verifier)
            }
        };
        let mut config = builder
            .with_single_cert(chain, key)
            .map_err(|error| wrong("the certificate and its key", &error))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

fn certificates(pem: &[u8], what: &str) -> Result<Vec<CertificateDer<'static>>> {
    let all: std::result::Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let all = all.map_err(|error| wrong(what, &error))?;
    if all.is_empty() {
        return Err(wrong(what, &"no certificate is in the file"));
    }
    Ok(all)
}

fn wrong(what: &str, error: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorKind::InvalidData, format!("{what}: {error}"))
}
