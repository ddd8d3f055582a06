-- Who asked for a scan, if not the user whose files it scans.
ALTER TABLE scans ADD COLUMN requested_by INTEGER;

-- What credentials may do in the trees of other users: a JSON object of privileges by user id.
ALTER TABLE credentials ADD COLUMN trees TEXT NOT NULL DEFAULT '{}';
