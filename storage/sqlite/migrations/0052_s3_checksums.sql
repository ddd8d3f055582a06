-- The checksums that clients of the S3 door ask for. Those of objects are among their metadata.
ALTER TABLE s3_uploads ADD COLUMN checksum TEXT; -- JSON: algorithm, type; NULL if the client asked for none
ALTER TABLE s3_parts ADD COLUMN checksum TEXT; -- by the algorithm of the upload, in base64
