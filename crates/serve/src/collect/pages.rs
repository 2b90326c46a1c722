//! The pages of a fleet: one file, which asks what its path says.

use axum::Router;
use axum::http::header;
use axum::response::Redirect;
use axum::routing::get;

const PAGE: &str = include_str!("../../pages/fleet.html");
const HTML: &str = "text/html; charset=utf-8";
/// Path, media type, text.
const FILES: [(&str, &str, &str); 4] = [
    (
        "/pages/fleet.js",
        "text/javascript; charset=utf-8",
        include_str!("../../pages/fleet.js"),
    ),
    (
        "/pages/fleet-tables.js",
        "text/javascript; charset=utf-8",
        include_str!("../../pages/fleet-tables.js"),
    ),
    (
        "/pages/style.css",
        "text/css; charset=utf-8",
        include_str!("../../pages/style.css"),
    ),
    (
        "/pages/icon.svg",
        "image/svg+xml",
        include_str!("../../pages/icon.svg"),
    ),
];
const PATHS: [&str; 13] = [
    "/fleet",
    "/fleet/rules",
    "/fleet/models",
    "/fleet/ages",
    "/fleet/busy",
    "/fleet/gains",
    "/fleet/claims",
    "/fleet/changes",
    "/fleet/waivers",
    "/fleet/search",
    "/fleet/compare",
    "/fleet/export",
    "/fleet/host/{host}",
];

/// The routes of the pages.
pub(super) fn routes() -> Router {
    let first = Router::new().route("/", get(|| async { Redirect::temporary("/fleet") }));
    let pages = PATHS.into_iter().map(|path| (path, HTML, PAGE));
    pages
        .chain(FILES)
        .fold(first, |routes, (path, kind, text)| {
            routes.route(
                path,
                get(move || async move { ([(header::CONTENT_TYPE, kind)], text) }),
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The policy of the server forbids the first, and names that hosts chose would run by the others.
    #[test]
    fn nothing_is_written_into_a_page() {
        let page = PAGE.replace("<script type=\"module\" src=", "");
        for forbidden in [
            "<script",
            "<style",
            " style=",
            " onclick=",
            "javascript:",
            "http://",
            "https://",
        ] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        for (path, _, script) in FILES.iter().filter(|(path, ..)| path.ends_with(".js")) {
            for forbidden in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "new Function",
            ] {
                assert!(!script.contains(forbidden), "{path}: {forbidden}");
            }
        }
    }
}
