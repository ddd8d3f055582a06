-- Whether a credential may never do more than the person with its user id may then (C 27).
ALTER TABLE credentials ADD COLUMN bound integer NOT NULL DEFAULT 0 CHECK (bound IN (0, 1));
