-- The terms of a document take a tenth of the time, and are fewer. See docs/design/search.md.

-- No word that is looked for has a space, so no term has one. The parts of short texts are found at once: for each part
-- of a long one, all before it is counted. The index itself leaves out what is there twice. What is before the first
-- empty line of `facts` is found as a whole alone; documents of the former release have none. The index has terms of
-- those that nobody looks for, until their records change.
CREATE OR REPLACE FUNCTION search_terms(owner bigint, path text, facts text) RETURNS text[]
IMMUTABLE PARALLEL SAFE LANGUAGE sql COST 100000 AS $$
  SELECT array_agg(owner || ':' || term) FROM (
    SELECT substr(word, start, 3) AS term
    FROM string_to_table(
      translate(path || E'\n' || substr(facts, greatest(strpos(facts, E'\n\n'), 1)), ' ', E'\n'), E'\n'
    ) AS word, generate_series(1, length(word) - 2) AS start
    UNION ALL SELECT '=' || line FROM string_to_table(facts, E'\n') AS line WHERE line <> ''
  ) AS found
$$;
