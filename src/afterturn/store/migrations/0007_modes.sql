-- What verdicts lead to, by tenant, agent and classifier. Rows are added and never changed: the last one of a scope
-- holds, and all of them are the trail of who decided what, when, and on what evidence.
CREATE TABLE modes (
  n {identity},
  classifier TEXT NOT NULL,
  tenant TEXT,
  agent TEXT,
  mode TEXT NOT NULL CHECK (mode IN ('shadow', 'advise', 'enforce', 'inherit')),
  threshold INTEGER CHECK (threshold BETWEEN 1 AND 100),
  version TEXT,
  before_mode TEXT,
  before_threshold INTEGER,
  set_by TEXT NOT NULL,
  set_at BIGINT NOT NULL,
  evidence_digest TEXT,
  evidence TEXT,
  without_evidence BOOLEAN NOT NULL
);

-- What the verdicts of a session's newest judged turn ask of the host.
ALTER TABLE sessions ADD COLUMN signals TEXT;
ALTER TABLE sessions ADD COLUMN signals_at BIGINT;
ALTER TABLE sessions ADD COLUMN signals_n BIGINT;
