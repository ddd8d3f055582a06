-- Backups tell strongrooms apart by it.
ALTER TABLE storage_state ADD COLUMN strongroom_id TEXT NOT NULL DEFAULT '';
UPDATE storage_state SET strongroom_id = lower(hex(randomblob(16)));
