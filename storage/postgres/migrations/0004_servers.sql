-- The servers that share the database. What a server holds is given back when it has not renewed its lease.
CREATE TABLE servers (
  id text COLLATE "C" PRIMARY KEY,
  expires_at timestamptz NOT NULL, -- by the clock of the engine
  renewed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  directory text COLLATE "C", -- the id of its data directory, which no other server has at the same time
  results_version text NOT NULL -- of the scan results that count for it
);

-- Ends leases that have run out. While the engine is away, none can be renewed: then servers have some time.
CREATE FUNCTION end_leases() RETURNS void LANGUAGE sql AS $$
  DELETE FROM servers WHERE expires_at < clock_timestamp() AND (
    renewed_at > pg_postmaster_start_time()
    OR pg_postmaster_start_time() < clock_timestamp() - interval '20 seconds'
  )
$$;

-- Who runs a scan, or adds files to it. Connections state their server.
ALTER TABLE scans ADD COLUMN server text COLLATE "C" DEFAULT current_setting('strongroom.server', true);
ALTER TABLE scans ADD COLUMN canceled boolean NOT NULL DEFAULT false; -- whether its server is to end it
-- Who is scanning a content.
ALTER TABLE scan_attempts
  ADD COLUMN server text COLLATE "C" DEFAULT current_setting('strongroom.server', true);

-- The order in which users had scans taken last, of those who wait.
CREATE SEQUENCE scan_turn;
CREATE TABLE scan_turns (
  user_id bigint PRIMARY KEY,
  turn bigint NOT NULL DEFAULT nextval('scan_turn')
);
