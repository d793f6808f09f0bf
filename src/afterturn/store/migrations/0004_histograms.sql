-- Counts of verdicts by confidence: 101 bins a series and day (UTC), only those that are not empty. A verdict without
-- a confidence has bin -1, no label or reason is ''. Counts stay when the turns that they are of are gone.
-- {clustered} keeps a bin at a dozen bytes where the dialect can store rows in the key itself.
CREATE TABLE histogram_series (
  n {identity},
  tenant TEXT NOT NULL,
  agent TEXT NOT NULL,
  classifier TEXT NOT NULL,
  version TEXT NOT NULL,
  status TEXT NOT NULL,
  label TEXT NOT NULL,
  reason TEXT NOT NULL,
  UNIQUE (tenant, agent, classifier, version, status, label, reason)
);

CREATE TABLE histogram_bins (
  series_n BIGINT NOT NULL REFERENCES histogram_series (n),
  day INTEGER NOT NULL,
  bin INTEGER NOT NULL CHECK (bin BETWEEN -1 AND 100),
  verdicts BIGINT NOT NULL,
  PRIMARY KEY (series_n, day, bin)
) {clustered};

INSERT INTO histogram_series (tenant, agent, classifier, version, status, label, reason)
SELECT DISTINCT t.tenant, t.agent, j.classifier, j.version, j.status, COALESCE(j.label, ''), COALESCE(j.reason, '')
FROM judgements j JOIN turns t ON t.n = j.turn_n WHERE j.status IS NOT NULL;

INSERT INTO histogram_bins (series_n, day, bin, verdicts)
SELECT s.n, j.judged_at / 86400000000, COALESCE(j.confidence, -1), COUNT(*)
FROM judgements j JOIN turns t ON t.n = j.turn_n
JOIN histogram_series s ON s.tenant = t.tenant AND s.agent = t.agent AND s.classifier = j.classifier
  AND s.version = j.version AND s.status = j.status AND s.label = COALESCE(j.label, '')
  AND s.reason = COALESCE(j.reason, '')
GROUP BY s.n, j.judged_at / 86400000000, COALESCE(j.confidence, -1);
