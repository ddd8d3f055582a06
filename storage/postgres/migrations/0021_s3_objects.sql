-- What the S3 door keeps of objects besides their content. A row counts while its record has this content.
CREATE TABLE s3_objects (
  record_id bigint PRIMARY KEY,
  hash text COLLATE "C" NOT NULL CHECK (length(hash) = 32), -- of the content
  etag text CHECK (etag <> ''), -- NULL if it is the hash
  metadata text NOT NULL -- JSON: headers, metadata of users, tags
);

-- Uploads in parts of the S3 door. A part is an upload of its own, which has no file.
CREATE TABLE s3_uploads (
  id text COLLATE "C" PRIMARY KEY CHECK (length(id) = 32), -- 128 random bits in hex
  user_id bigint NOT NULL CHECK (user_id > 0), -- whose tree the object is for
  path text COLLATE "C" NOT NULL CHECK (path <> ''),
  metadata text NOT NULL, -- of the object, as in s3_objects
  created_at bigint NOT NULL, -- milliseconds since the Unix epoch, as all times here
  expires_at bigint NOT NULL
);
CREATE INDEX s3_uploads_by_expiry ON s3_uploads (expires_at);
CREATE INDEX s3_uploads_by_user ON s3_uploads (user_id);

CREATE TABLE s3_parts (
  upload text COLLATE "C" NOT NULL REFERENCES s3_uploads (id) ON DELETE CASCADE,
  number integer NOT NULL CHECK (number BETWEEN 1 AND 10000),
  part text COLLATE "C" NOT NULL, -- the row of uploads that has its content
  size bigint NOT NULL CHECK (size >= 0), -- in bytes
  md5 text COLLATE "C" NOT NULL CHECK (length(md5) = 32),
  created_at bigint NOT NULL,
  PRIMARY KEY (upload, number)
);
