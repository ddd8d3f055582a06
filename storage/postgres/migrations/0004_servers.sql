-- The servers that share the database. What a server holds is given back when it has not renewed its lease.
CREATE TABLE servers (
  id text COLLATE "C" PRIMARY KEY,
  expires_at timestamptz NOT NULL, -- by the clock of the engine
  renewed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Since when no renewal has come later than a third of the lease after the one before.
  steady_since timestamptz NOT NULL DEFAULT clock_timestamp(),
  directory text COLLATE "C", -- the id of its data directory, which no other server has at the same time
  results_version text COLLATE "C" NOT NULL -- of the scan results that count for it
);

-- Ends leases that have run out, unless the engine was away: then no server could renew its own. Neither a crash
-- nor a failover has to show in the engine. So a server must have renewed its lease in time for long enough that
-- any other could have, too.
CREATE FUNCTION end_leases() RETURNS void LANGUAGE sql AS $$
  DELETE FROM servers WHERE expires_at < clock_timestamp() AND EXISTS (
    SELECT FROM servers AS witness
    WHERE witness.renewed_at > clock_timestamp() - (witness.expires_at - witness.renewed_at) / 3
      AND witness.steady_since < clock_timestamp() - (servers.expires_at - servers.renewed_at) * 2 / 3
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
