-- Samples of judged turns for people to look at, and what people said of turns; ids, scores and answers, never text.
-- A sample keeps what it was drawn from (its frame) and the chance of each turn in it, so that estimates stay right.
CREATE TABLE review_samples (
  n {identity},
  classifier TEXT NOT NULL,
  version TEXT NOT NULL,
  tenant TEXT,
  agent TEXT,
  since BIGINT,
  until BIGINT,
  size INTEGER NOT NULL,
  seed BIGINT NOT NULL,
  reviewer TEXT NOT NULL,
  drawn_at BIGINT NOT NULL,
  expired BIGINT NOT NULL
);

CREATE TABLE review_frames (
  sample_n BIGINT NOT NULL REFERENCES review_samples (n),
  status TEXT NOT NULL,
  score INTEGER NOT NULL CHECK (score BETWEEN 0 AND 100),
  turns BIGINT NOT NULL,
  PRIMARY KEY (sample_n, status, score)
);

CREATE TABLE review_turns (
  sample_n BIGINT NOT NULL REFERENCES review_samples (n),
  place INTEGER NOT NULL,
  turn_n BIGINT NOT NULL REFERENCES turns (n) ON DELETE CASCADE,
  status TEXT NOT NULL,
  score INTEGER NOT NULL,
  probability DOUBLE PRECISION NOT NULL CHECK (probability > 0 AND probability <= 1),
  PRIMARY KEY (sample_n, place)
);

CREATE TABLE labels (
  turn_n BIGINT NOT NULL REFERENCES turns (n) ON DELETE CASCADE,
  classifier TEXT NOT NULL,
  reviewer TEXT NOT NULL,
  answer TEXT NOT NULL CHECK (answer IN ('yes', 'no', 'unsure')),
  source TEXT NOT NULL CHECK (source IN ('review', 'file')),
  labelled_at BIGINT NOT NULL,
  PRIMARY KEY (turn_n, classifier, reviewer)
);

CREATE INDEX labels_of_classifier ON labels (classifier, turn_n);
