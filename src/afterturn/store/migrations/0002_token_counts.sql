-- Spent tokens by turn, session and tenant's day, where several processes share one budget.
CREATE TABLE token_counts (
    key TEXT PRIMARY KEY,
    tokens BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX token_counts_expiring ON token_counts (expires_at);
