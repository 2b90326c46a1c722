-- {id}: a key that counts up; {blob}: bytes. Numbers that SQL has no exact type for are BIGINT; truth is 0 or 1; times are
-- seconds since 1970 by the server's clock.

-- A check document, once for each capture and version of ioalign: a host that does not change pushes the same capture each
-- day.
CREATE TABLE judgement (
    id {id},
    capture_hash TEXT NOT NULL UNIQUE,
    document {blob} NOT NULL
);

CREATE TABLE host (
    id {id},
    machine TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    first_seen BIGINT NOT NULL,
    last_seen BIGINT NOT NULL,
    reports BIGINT NOT NULL,
    judgement_id BIGINT,
    -- 1: the verdict is unknown, whatever the findings are
    unread BIGINT NOT NULL,
    -- 0 ok, 1 note, 2 unknown, 3 suboptimal, 4 misaligned, 5 data-risk, 6 broken; what is waived does not count
    severity BIGINT NOT NULL,
    findings BIGINT NOT NULL,
    ios_per_day DOUBLE PRECISION,
    extra_ios_per_day DOUBLE PRECISION
);
CREATE INDEX host_worst ON host (severity DESC, findings DESC, name);
CREATE INDEX host_busy ON host (extra_ios_per_day DESC, name) WHERE extra_ios_per_day > 0;
CREATE INDEX host_name ON host (name);
CREATE INDEX host_seen ON host (last_seen);

-- Every push.
CREATE TABLE report (
    id {id},
    content_hash TEXT NOT NULL UNIQUE,
    host_id BIGINT NOT NULL REFERENCES host (id),
    judgement_id BIGINT NOT NULL REFERENCES judgement (id),
    received_at BIGINT NOT NULL,
    taken_at BIGINT NOT NULL,
    pushed_by TEXT NOT NULL,
    severity BIGINT NOT NULL,
    ios_per_day DOUBLE PRECISION,
    extra_ios_per_day DOUBLE PRECISION
);
CREATE INDEX report_host ON report (host_id, id);

-- What is wrong now, and since when.
CREATE TABLE finding (
    id {id},
    host_id BIGINT NOT NULL REFERENCES host (id),
    rule TEXT NOT NULL,
    layer TEXT NOT NULL,
    severity BIGINT NOT NULL,
    model TEXT,
    firmware TEXT,
    unit_bytes BIGINT,
    offset_bytes BIGINT,
    straddle_ratio DOUBLE PRECISION,
    extra_ios_per_day DOUBLE PRECISION,
    fixable BIGINT,
    -- names of the disks below
    disks TEXT NOT NULL,
    why TEXT NOT NULL,
    since BIGINT NOT NULL,
    -- the last day of a waiver, YYYY-MM-DD
    waived_until TEXT
);
CREATE INDEX finding_host ON finding (host_id);
CREATE INDEX finding_rule ON finding (rule, host_id, severity, extra_ios_per_day, waived_until);
CREATE INDEX finding_model ON finding (model, firmware, host_id, severity, extra_ios_per_day)
    WHERE severity >= 3 AND waived_until IS NULL;
CREATE INDEX finding_age ON finding (since, severity, host_id) WHERE severity >= 3 AND waived_until IS NULL;
CREATE INDEX finding_gain ON finding (extra_ios_per_day DESC) WHERE fixable = 1 AND extra_ios_per_day > 0;
CREATE INDEX finding_waived ON finding (waived_until) WHERE waived_until IS NOT NULL;

-- What came and went.
CREATE TABLE change (
    id {id},
    at BIGINT NOT NULL,
    host_id BIGINT NOT NULL REFERENCES host (id),
    appeared BIGINT NOT NULL,
    rule TEXT NOT NULL,
    layer TEXT NOT NULL,
    severity BIGINT NOT NULL
);
CREATE INDEX change_at ON change (at, severity);
CREATE INDEX change_host ON change (host_id, id);

CREATE TABLE device (
    id {id},
    host_id BIGINT NOT NULL REFERENCES host (id),
    name TEXT NOT NULL,
    model TEXT,
    firmware TEXT,
    transport TEXT,
    size_bytes BIGINT
);
CREATE INDEX device_host ON device (host_id);
CREATE INDEX device_model ON device (model, firmware, host_id);

-- What disks report of themselves.
CREATE TABLE claim (
    id {id},
    host_id BIGINT NOT NULL REFERENCES host (id),
    device TEXT NOT NULL,
    model TEXT,
    firmware TEXT,
    transport TEXT,
    kind TEXT NOT NULL,
    size_bytes BIGINT NOT NULL,
    source TEXT NOT NULL,
    trusted BIGINT NOT NULL,
    why TEXT
);
CREATE INDEX claim_host ON claim (host_id);
CREATE INDEX claim_lies ON claim (model, firmware, transport, kind, size_bytes, host_id) WHERE trusted = 0;
CREATE INDEX claim_model ON claim (kind, model, host_id);

CREATE TABLE waiver (
    id {id},
    rule TEXT NOT NULL,
    -- a host's name; empty: all hosts
    host TEXT NOT NULL,
    -- empty: all layers
    layer TEXT NOT NULL,
    owner TEXT NOT NULL,
    reason TEXT NOT NULL,
    expires TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
