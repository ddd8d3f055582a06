-- Records that no request can name, as C 4 trims their path: an earlier version of the program made some.
CREATE INDEX records_unnameable ON records (id) WHERE (
  name <> rtrim(name, char(32, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200,
    8201, 8202, 8232, 8233, 8239, 8287, 12288, 65279))
  OR parent IS NULL AND name <> ltrim(name, char(32, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200,
    8201, 8202, 8232, 8233, 8239, 8287, 12288, 65279))
);
