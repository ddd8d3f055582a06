-- Where a part begins in what has its content, in bytes.
ALTER TABLE s3_parts ADD COLUMN position INTEGER NOT NULL DEFAULT 0 CHECK (position >= 0);
