//! The run as a process: whether it went well, and what could not be read.

use serde::Serialize;

use super::place::{self, Location};
use super::text::Message;
use crate::model::{ErrorInfo, Report, Target};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Invocation {
    execution_successful: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time_utc: Option<String>,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    descriptor: SarifDescriptor,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
}

#[derive(Serialize)]
struct SarifDescriptor {
    id: String,
}

/// The invocation, with a notification a target that could not be read.
pub fn of(report: &Report) -> Invocation {
    Invocation {
        execution_successful: report.errors() == 0,
        end_time_utc: report.scanned_at_seconds.map(crate::words::time::utc),
        tool_execution_notifications: report
            .targets
            .iter()
            .filter_map(|target| Some(notification(target, target.error.as_ref()?)))
            .collect(),
    }
}

fn notification(target: &Target, error: &ErrorInfo) -> Notification {
    Notification {
        descriptor: SarifDescriptor {
            id: format!("unreadable-{}", error.kind),
        },
        level: "error",
        message: Message::plain(&error.message),
        locations: [place::unreadable(target)],
    }
}
