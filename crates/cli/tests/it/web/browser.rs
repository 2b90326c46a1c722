//! A real browser without a window, by the DevTools protocol over two pipes.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Its commands come on descriptor 3, and its answers go to 4.
const PIPES: &str = "exec 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null; exec \"$@\"";

/// Set it to a folder to look at the pages.
const PICTURES: &str = "IOALIGN_SCREENSHOTS";

/// A browser with one page; it ends with this.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    number: u64,
    session: Option<String>,
    /// What the console and the policy of content complained of.
    complaints: Vec<String>,
    loaded: bool,
    _profile: tempfile::TempDir,
}

impl Browser {
    pub fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", PIPES, "sh", "chromium-headless-shell"]);
        command.args(["--remote-debugging-pipe", "--no-sandbox", "--disable-gpu"]);
        command.args([
            "--no-first-run",
            "--hide-scrollbars",
            "--disable-dev-shm-usage",
        ]);
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut browser = Self {
            to: child.stdin.take().unwrap(),
            from: BufReader::new(child.stdout.take().unwrap()),
            child,
            number: 0,
            session: None,
            complaints: Vec::new(),
            loaded: false,
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", &attach);
        browser.session = Some(session["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser
    }

    fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(message.to_string().as_bytes()).unwrap();
        self.to.write_all(&[0]).unwrap();
        loop {
            let answer = self.next();
            if answer["id"] == self.number {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    fn next(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.from.read_until(0, &mut bytes).unwrap();
        assert_eq!(bytes.pop(), Some(0), "the browser has ended");
        let message: Value = serde_json::from_slice(&bytes).unwrap();
        let parameters = &message["params"];
        match message["method"].as_str() {
            Some("Page.loadEventFired") => self.loaded = true,
            Some("Runtime.exceptionThrown") => {
                self.complaints
                    .push(parameters["exceptionDetails"].to_string());
            }
            Some("Runtime.consoleAPICalled") if parameters["type"] == "error" => {
                self.complaints.push(parameters["args"].to_string());
            }
            Some("Log.entryAdded") if parameters["entry"]["level"] == "error" => {
                self.complaints.push(parameters["entry"].to_string());
            }
            _ => {}
        }
        message
    }

    /// Opens a page, at a width, and waits until it is loaded.
    pub fn open(&mut self, url: &str, width: u32) {
        self.resize(width);
        self.loaded = false;
        self.call("Page.navigate", &json!({"url": url}));
        while !self.loaded {
            self.next();
        }
    }

    pub fn resize(&mut self, width: u32) {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    /// `light` or `dark`.
    pub fn scheme(&mut self, name: &str) {
        let feature = json!([{"name": "prefers-color-scheme", "value": name}]);
        self.call("Emulation.setEmulatedMedia", &json!({"features": feature}));
    }

    /// The value of an expression, or of its promise.
    pub fn value(&mut self, expression: &str) -> Value {
        let wanted = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", &wanted);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].clone()
    }

    pub fn text(&mut self, selector: &str) -> String {
        let selector = json!(selector);
        let found = self.value(&format!(
            "document.querySelector({selector})?.textContent ?? ''"
        ));
        found.as_str().unwrap().to_owned()
    }

    /// Waits until an expression is true; how long it took.
    pub fn until(&mut self, expression: &str, most: Duration) -> Duration {
        let begun = Instant::now();
        while self.value(expression) != true {
            let body = "document.body.innerText";
            if begun.elapsed() > most {
                panic!("{expression} is not true: {}", self.value(body));
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        begun.elapsed()
    }

    /// Types into a field or chooses, and presses a button.
    pub fn enter(&mut self, selector: &str, text: &str, button: &str) {
        let (selector, text, button) = (json!(selector), json!(text), json!(button));
        self.value(&format!(
            "document.querySelector({selector}).value = {text}; document.querySelector({button}).click(); true"
        ));
    }

    /// The page as a picture.
    pub fn picture(&mut self, file: &Path) {
        let height = self.value("document.documentElement.scrollHeight");
        let width = self.value("innerWidth");
        let clip = json!({"x": 0, "y": 0, "width": width, "height": height, "scale": 1});
        let wanted = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
        let answer = self.call("Page.captureScreenshot", &wanted);
        let data = answer["data"].as_str().unwrap();
        let mut child = Command::new("base64");
        let child = child.arg("-d").stdin(Stdio::piped());
        let out = std::fs::File::create(file).unwrap();
        let mut child = child.stdout(out).spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(data.as_bytes())
            .unwrap();
        assert!(child.wait().unwrap().success());
    }

    /// A page at both widths, and at each as a picture where somebody wants to look.
    pub fn look(&mut self, name: &str) {
        for width in [400, 1280] {
            self.resize(width);
            self.value("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))");
            let wide = self.value("document.documentElement.scrollWidth");
            assert!(
                wide.as_u64() <= Some(u64::from(width)),
                "{name}: {wide} of {width}"
            );
            let Some(folder) = std::env::var_os(PICTURES).map(PathBuf::from) else {
                continue;
            };
            for scheme in ["light", "dark"] {
                self.scheme(scheme);
                self.value("new Promise((done) => setTimeout(done, 150))");
                self.picture(&folder.join(format!("{name}-{width}-{scheme}.png")));
            }
            self.scheme("light");
        }
        assert_eq!(self.complaints(), Vec::<String>::new(), "{name}");
    }

    /// What was complained of since the last time.
    pub fn complaints(&mut self) -> Vec<String> {
        // Events that are on their way come before the answer.
        self.value("1");
        std::mem::take(&mut self.complaints)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
