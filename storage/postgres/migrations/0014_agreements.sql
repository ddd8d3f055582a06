-- The settings of a server that all servers of the database share, as JSON; NULL until it has compared them.
ALTER TABLE servers ADD COLUMN agreement text;
