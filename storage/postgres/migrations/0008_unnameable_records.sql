-- Records that no request can name, as C 4 trims their path: an earlier version of the program made some.
CREATE INDEX records_unnameable ON records (id) WHERE (
  name <> rtrim(name,
    E'\u0020\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF')
  OR parent IS NULL AND name <> ltrim(name,
    E'\u0020\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF')
);
