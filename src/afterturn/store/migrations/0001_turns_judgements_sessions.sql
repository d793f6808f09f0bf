-- {identity} is the dialect's self-numbering key. Instants are microseconds since 1970 in UTC, so that they compare
-- exactly and read the same everywhere. JSON stands in TEXT: the database never looks into it.

CREATE TABLE turns (
  n {identity},
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  received_at BIGINT NOT NULL,
  complete BOOLEAN NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (tenant, id)
);

CREATE INDEX turns_of_session ON turns (tenant, session, created_at);

CREATE TABLE judgements (
  n {identity},
  turn_n BIGINT NOT NULL REFERENCES turns (n) ON DELETE CASCADE,
  classifier TEXT NOT NULL,
  version TEXT NOT NULL,
  judge TEXT NOT NULL,
  plan TEXT NOT NULL,
  metric TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'running', 'done', 'dead')),
  due_at BIGINT,
  owner TEXT,
  attempts INTEGER NOT NULL,
  status TEXT,
  label TEXT,
  confidence INTEGER,
  confidence_source TEXT,
  reason TEXT,
  answered_by TEXT,
  latency_ms DOUBLE PRECISION,
  attempt INTEGER,
  dropped INTEGER,
  temperature DOUBLE PRECISION,
  max_tokens INTEGER,
  response_format TEXT,
  input_tokens INTEGER,
  output_tokens INTEGER,
  judged_at BIGINT,
  UNIQUE (turn_n, classifier, version, judge),
  CHECK ((state IN ('done', 'dead')) = (status IS NOT NULL)),
  CHECK ((state IN ('pending', 'running')) = (due_at IS NOT NULL))
);

CREATE INDEX judgements_due ON judgements (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE outcomes (
  judgement_n BIGINT PRIMARY KEY REFERENCES judgements (n) ON DELETE CASCADE,
  body TEXT NOT NULL
);

CREATE TABLE sessions (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  agent TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  title TEXT,
  title_pinned BOOLEAN NOT NULL,
  title_at BIGINT,
  title_n BIGINT,
  categories TEXT NOT NULL,
  categories_at BIGINT,
  categories_n BIGINT,
  sources TEXT NOT NULL,
  sources_at BIGINT,
  sources_n BIGINT,
  concluded TEXT CHECK (concluded IN ('tool', 'classifier')),
  concluded_turn TEXT,
  handoff_summary TEXT,
  PRIMARY KEY (tenant, id)
);

CREATE TABLE conclusions (
  tenant TEXT NOT NULL,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  parent TEXT,
  turn TEXT NOT NULL,
  handoff_summary TEXT,
  state TEXT NOT NULL CHECK (state IN ('due', 'delivered', 'failed')),
  due_at BIGINT,
  attempts INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, session),
  CHECK ((state = 'due') = (due_at IS NOT NULL))
);

CREATE INDEX conclusions_due ON conclusions (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE events (
  n {identity},
  tenant TEXT NOT NULL,
  session TEXT NOT NULL,
  turn TEXT,
  name TEXT NOT NULL,
  at BIGINT NOT NULL,
  data TEXT NOT NULL
);

CREATE INDEX events_of_session ON events (tenant, session, n);
