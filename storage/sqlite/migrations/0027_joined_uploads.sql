-- Uploads whose size is not known yet, and those that are joined from others.
ALTER TABLE uploads ADD COLUMN deferred INTEGER NOT NULL DEFAULT 0; -- whether the size is that of what has come
ALTER TABLE uploads ADD COLUMN concat TEXT NOT NULL DEFAULT ''; -- Upload-Concat, as the client sent it
