-- Judging stored turns anew: rows beside those of live traffic, which never looks at them. `replayed` is 1 for such a
-- row. They are inserted with their verdict, so no worker ever finds one due.
ALTER TABLE judgements ADD COLUMN replayed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX judgements_replayed ON judgements (classifier, version, judge, turn_n) WHERE replayed = 1;

-- Who is at which question of a replay, and until when; gone once it has its verdict.
CREATE TABLE replay_leases (
  turn_n BIGINT NOT NULL REFERENCES turns (n) ON DELETE CASCADE,
  classifier TEXT NOT NULL,
  version TEXT NOT NULL,
  judge TEXT NOT NULL,
  owner TEXT NOT NULL,
  due_at BIGINT NOT NULL,
  attempts INTEGER NOT NULL,
  PRIMARY KEY (turn_n, classifier, version, judge)
) {clustered};

-- Replayed verdicts are counted in series of their own, by their judge; '' is live traffic. A key cannot be changed in
-- place, so both tables are written anew.
CREATE TABLE new_series (
  n {identity},
  tenant TEXT NOT NULL,
  agent TEXT NOT NULL,
  classifier TEXT NOT NULL,
  version TEXT NOT NULL,
  status TEXT NOT NULL,
  label TEXT NOT NULL,
  reason TEXT NOT NULL,
  replayed_by TEXT NOT NULL,
  UNIQUE (tenant, agent, classifier, version, status, label, reason, replayed_by)
);

INSERT INTO new_series (n, tenant, agent, classifier, version, status, label, reason, replayed_by)
SELECT n, tenant, agent, classifier, version, status, label, reason, '' FROM histogram_series;

CREATE TABLE new_bins (
  series_n BIGINT NOT NULL REFERENCES new_series (n),
  day INTEGER NOT NULL,
  bin INTEGER NOT NULL CHECK (bin BETWEEN -1 AND 100),
  verdicts BIGINT NOT NULL,
  PRIMARY KEY (series_n, day, bin)
) {clustered};

INSERT INTO new_bins (series_n, day, bin, verdicts) SELECT series_n, day, bin, verdicts FROM histogram_bins;

DROP TABLE histogram_bins;
DROP TABLE histogram_series;
ALTER TABLE new_series RENAME TO histogram_series;
ALTER TABLE new_bins RENAME TO histogram_bins;
