//! Who may ask, by which name, and what every answer takes along.

use ioalign_serve::ServerLimits;

use super::{Served, TOKEN};

#[test]
fn a_foreign_name_or_origin_is_refused() {
    let served = Served::open();
    let port = served.address.port();
    let ask = |head: String| {
        served
            .send(format!("GET /healthz HTTP/1.1\r\n{head}Connection: close\r\n\r\n").as_bytes())
            .status
    };
    assert_eq!(ask(format!("Host: localhost:{port}\r\n")), 200);
    assert_eq!(ask(format!("Host: [::1]:{port}\r\n")), 200);
    for foreign in [
        "Host: evil.example\r\n",
        "Host: 192.0.2.7\r\n",
        "Host: localhost.evil.example\r\n",
        "Host: localhost\r\nHost: evil.example\r\n",
        "Host:\r\n",
    ] {
        assert_eq!(ask(foreign.to_owned()), 421, "{foreign}");
    }
    // A proxy's form of the request line names a host of its own.
    let absolute = format!(
        "GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(served.send(absolute.as_bytes()).status, 421);
    assert_eq!(served.send(b"GET /healthz HTTP/1.0\r\n\r\n").status, 421);

    let own = format!("Origin: http://{}\r\n", served.address);
    assert_eq!(served.get("/healthz", &own).status, 200);
    for foreign in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        let answer = served.get("/healthz", &format!("Origin: {foreign}\r\n"));
        assert_eq!(answer.status, 403, "{foreign}");
    }
}

#[test]
fn every_answer_has_a_strict_policy() {
    let served = Served::open();
    served.board.set_stack(Ok("{}".to_owned()));
    let refused = served.send(b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    let answers = [
        served.get("/healthz", ""),
        served.get("/api/v1/stack", ""),
        served.get("/nothing/there", ""),
        refused,
    ];
    for answer in answers {
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

#[test]
fn without_the_token_nothing_is_read() {
    let served = Served::new(Some(TOKEN), ServerLimits::default());
    served.board.set_stack(Ok("{}".to_owned()));
    assert_eq!(served.get("/healthz", "").status, 200);
    for path in ["/api/v1/stack", "/nothing/there"] {
        let answer = served.get(path, "");
        assert_eq!(answer.status, 401, "{path}");
        let asks = answer.header("www-authenticate");
        assert_eq!(asks, Some("basic realm=\"ioalign\""));
        assert!(!answer.body.contains(TOKEN));
        let wrong = served.get(path, "Authorization: Bearer 0123456789abcdef\r\n");
        assert_eq!(wrong.status, 401);
    }
    let shown = format!("Authorization: Bearer {TOKEN}\r\n");
    assert_eq!(served.get("/api/v1/stack", &shown).status, 200);
    assert_eq!(served.get("/nothing/there", &shown).status, 404);
}

#[test]
fn the_stack_is_what_was_published() {
    let served = Served::open();
    let before = served.get("/api/v1/stack", "");
    assert_eq!(before.status, 503);
    assert!(before.body.contains("first check"), "{}", before.body);
    let document = "{\"schema\":\"ioalign.check/1\"}";
    served.board.set_stack(Ok(document.to_owned()));
    let after = served.get("/api/v1/stack", "");
    assert_eq!((after.status, after.body.as_str()), (200, document));
    assert_eq!(after.header("content-type"), Some("application/json"));
    let post = format!(
        "POST /api/v1/stack HTTP/1.1\r\nHost: {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        served.address
    );
    assert_eq!(served.send(post.as_bytes()).status, 405);
}
