-- The mood of a session: sentiment, and what is advised to do with an unhappy customer.
ALTER TABLE sessions ADD COLUMN mood TEXT;
ALTER TABLE sessions ADD COLUMN mood_at BIGINT;
ALTER TABLE sessions ADD COLUMN mood_n BIGINT;
