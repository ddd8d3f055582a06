-- Records may be sent to the engine before the rows of their contents: both are there at the commit.
ALTER TABLE records ALTER CONSTRAINT records_hash_fkey DEFERRABLE INITIALLY DEFERRED;
