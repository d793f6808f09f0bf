-- When the text of a turn was removed; its body is empty then. The index finds the turns whose text has expired.
ALTER TABLE turns ADD COLUMN erased_at BIGINT;
CREATE INDEX turns_with_text ON turns (tenant, received_at) WHERE erased_at IS NULL;
