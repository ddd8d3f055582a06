-- Which database it was when a server started last: a restored one is another (restored.ts). NULL before the
-- first start.
ALTER TABLE storage_state ADD COLUMN incarnation text;
