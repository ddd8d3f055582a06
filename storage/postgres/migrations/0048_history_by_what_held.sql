-- A directory at a version is found by what held then: the index tells it, and no other rows are read.

DROP INDEX history_by_node;
CREATE INDEX history_by_node ON history (user_id, node, left(parent, 550), since, until);
