-- Bad findings of a host that are waived, so that a list can say so.
ALTER TABLE host ADD COLUMN waived BIGINT NOT NULL DEFAULT 0;
UPDATE host SET waived = (SELECT count(*) FROM finding
    WHERE finding.host_id = host.id AND waived_until IS NOT NULL AND finding.severity >= 3);

-- Whether a judgement is still that of a report.
CREATE INDEX report_judgement ON report (judgement_id);
