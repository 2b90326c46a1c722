//! The pages: files that are compiled in. They are written by hand, and need no build.

use axum::Router;
use axum::http::header;
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

const FILES: [PageFile; 15] = [
    page!("/", HTML, "stack.html"),
    page!("/device/{name}", HTML, "device.html"),
    page!("/reports", HTML, "reports.html"),
    page!("/check", HTML, "check.html"),
    page!("/pages/style.css", STYLE, "style.css"),
    page!("/pages/icon.svg", "image/svg+xml", "icon.svg"),
    page!("/pages/common.js", SCRIPT, "common.js"),
    page!("/pages/numbers.js", SCRIPT, "numbers.js"),
    page!("/pages/picture.js", SCRIPT, "picture.js"),
    page!("/pages/charts.js", SCRIPT, "charts.js"),
    page!("/pages/stack.js", SCRIPT, "stack.js"),
    page!("/pages/device.js", SCRIPT, "device.js"),
    page!("/pages/reports.js", SCRIPT, "reports.js"),
    page!("/pages/check.js", SCRIPT, "check.js"),
    page!("/pages/uplot.js", SCRIPT, "uplot/uPlot.iife.min.js"),
];

/// The routes of the pages.
pub(crate) fn routes() -> Router {
    let style = page!("/pages/uplot.css", STYLE, "uplot/uPlot.min.css");
    let files = FILES.into_iter().chain([style]);
    files.fold(Router::new(), |routes, file| {
        let answer = ([(header::CONTENT_TYPE, file.kind)], file.text);
        routes.route(file.path, get(move || async move { answer }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a browser loads, in all, is 300 KB at most.
    #[test]
    fn the_pages_are_small() {
        let all: usize = FILES.iter().map(|file| file.text.len()).sum();
        assert!(all < 290_000, "{all}");
    }

    /// The policy of the server forbids them, so that a page with one would not work.
    #[test]
    fn nothing_is_written_into_a_page() {
        for file in FILES.iter().filter(|file| file.kind == HTML) {
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
        let own = FILES
            .iter()
            .filter(|file| file.kind == SCRIPT && file.path != "/pages/uplot.js");
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
