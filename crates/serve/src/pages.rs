//! The pages: files that are compiled in. They are written by hand, and need no build.

use axum::Router;
use axum::http::header;
use axum::response::Redirect;
use axum::routing::get;

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// A file, the path it has, and its media type.
struct PageFile {
    path: &'static str,
    kind: &'static str,
    text: &'static str,
}

macro_rules! page {
    ($path:literal, $kind:expr, $file:literal) => {
        PageFile {
            path: $path,
            kind: $kind,
            text: include_str!(concat!("../pages/", $file)),
        }
    };
}

/// What the pages of a machine and those of a fleet have in common.
const SHARED: [PageFile; 4] = [
    page!("/pages/style.css", STYLE, "style.css"),
    page!("/pages/icon.svg", "image/svg+xml", "icon.svg"),
    page!("/pages/common.js", SCRIPT, "common.js"),
    page!("/pages/numbers.js", SCRIPT, "numbers.js"),
];

const MACHINE: [PageFile; 12] = [
    page!("/", HTML, "stack.html"),
    page!("/device/{name}", HTML, "device.html"),
    page!("/reports", HTML, "reports.html"),
    page!("/check", HTML, "check.html"),
    page!("/pages/picture.js", SCRIPT, "picture.js"),
    page!("/pages/charts.js", SCRIPT, "charts.js"),
    page!("/pages/stack.js", SCRIPT, "stack.js"),
    page!("/pages/device.js", SCRIPT, "device.js"),
    page!("/pages/reports.js", SCRIPT, "reports.js"),
    page!("/pages/check.js", SCRIPT, "check.js"),
    page!("/pages/uplot.js", SCRIPT, "uplot/uPlot.iife.min.js"),
    page!("/pages/uplot.css", STYLE, "uplot/uPlot.min.css"),
];

/// One page for all questions, which asks what its path says.
const FLEET: [PageFile; 15] = [
    page!("/fleet", HTML, "fleet.html"),
    page!("/fleet/rules", HTML, "fleet.html"),
    page!("/fleet/models", HTML, "fleet.html"),
    page!("/fleet/ages", HTML, "fleet.html"),
    page!("/fleet/busy", HTML, "fleet.html"),
    page!("/fleet/gains", HTML, "fleet.html"),
    page!("/fleet/claims", HTML, "fleet.html"),
    page!("/fleet/changes", HTML, "fleet.html"),
    page!("/fleet/waivers", HTML, "fleet.html"),
    page!("/fleet/search", HTML, "fleet.html"),
    page!("/fleet/compare", HTML, "fleet.html"),
    page!("/fleet/export", HTML, "fleet.html"),
    page!("/fleet/host/{host}", HTML, "fleet.html"),
    page!("/pages/fleet.js", SCRIPT, "fleet.js"),
    page!("/pages/fleet-tables.js", SCRIPT, "fleet-tables.js"),
];

/// The pages of a machine.
pub(crate) fn machine() -> Router {
    added(MACHINE, added(SHARED, Router::new()))
}

/// The pages of a fleet.
pub(crate) fn fleet() -> Router {
    let first = get(|| async { Redirect::temporary("/fleet") });
    added(FLEET, added(SHARED, Router::new().route("/", first)))
}

fn added<const N: usize>(files: [PageFile; N], routes: Router) -> Router {
    files.into_iter().fold(routes, |routes, file| {
        let answer = ([(header::CONTENT_TYPE, file.kind)], file.text);
        routes.route(file.path, get(move || async move { answer }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> impl Iterator<Item = PageFile> {
        SHARED.into_iter().chain(MACHINE).chain(FLEET)
    }

    /// What a browser loads, in all, is 300 KB at most.
    #[test]
    fn the_pages_are_small() {
        let all: usize = files().map(|file| file.text.len()).sum();
        assert!(all < 290_000, "{all}");
    }

    /// The policy of the server forbids them, so that a page with one would not work.
    #[test]
    fn nothing_is_written_into_a_page() {
        for file in files().filter(|file| file.kind == HTML) {
            let scripts = file.text.matches("<script").count();
            assert_eq!(
                file.text.matches("<script src=").count()
                    + file.text.matches("<script type=\"module\" src=").count(),
                scripts,
                "{}",
                file.path
            );
            for forbidden in [
                "<style",
                " style=",
                " onclick=",
                "javascript:",
                "http://",
                "https://",
            ] {
                assert!(!file.text.contains(forbidden), "{}: {forbidden}", file.path);
            }
        }
    }

    /// Names come from disks: a script that writes them as markup would run what they say.
    #[test]
    fn no_script_writes_markup() {
        let own = files().filter(|file| file.kind == SCRIPT && file.path != "/pages/uplot.js");
        for file in own {
            for forbidden in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "new Function",
                "DOMParser",
                "createContextualFragment",
            ] {
                assert!(!file.text.contains(forbidden), "{}: {forbidden}", file.path);
            }
        }
    }
}
