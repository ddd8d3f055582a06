-- People sign in without a credential, and see where they are signed in. Servers of the former release go on
-- adding sessions with a credential.
ALTER TABLE console_sessions
  ALTER COLUMN sealed DROP NOT NULL, -- the credential, by AES-256-GCM
  ADD COLUMN means text NOT NULL DEFAULT 'credential'
    CHECK (means IN ('credential', 'passkey', 'provider')), -- how the person has signed in
  ADD COLUMN key_id text, -- the key of the server that it stands or falls with
  ADD COLUMN provider_session text, -- what the provider calls its own
  ADD COLUMN browser text, -- what it called itself
  ADD COLUMN address text, -- of the browser when the session began
  ADD COLUMN used_at bigint NOT NULL DEFAULT 0, -- milliseconds since the Unix epoch, as all times here
  ADD CHECK ((means = 'credential') = (sealed IS NOT NULL));
