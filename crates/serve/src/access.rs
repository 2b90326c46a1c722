//! Who may ask, and by which name.

use crate::hosts::HostNames;
use crate::token::AccessToken;

/// Who may ask, and by which name.
#[derive(Clone, Debug)]
pub struct AccessRules {
    /// The names of this server.
    pub hosts: HostNames,
    /// What a client has to show; `None`: whoever reaches the server may read.
    pub token: Option<AccessToken>,
}
