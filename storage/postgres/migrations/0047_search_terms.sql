-- The index of searches takes less time and space. See docs/design/search.md.

-- No word that is looked for has a space, so no term has one. The parts of short texts are found at once: for each part
-- of a long one, all before it is counted. The index itself leaves out what is there twice. What is before the first
-- empty line of `facts` is found as a whole alone; documents of the former release have none. The index has terms of
-- those that nobody looks for, until their records change. No plan calls it for rows that an index knows, however few it
-- expects, and none starts further processes because it seems dear.
CREATE OR REPLACE FUNCTION search_terms(owner bigint, path text, facts text) RETURNS text[]
IMMUTABLE PARALLEL RESTRICTED LANGUAGE sql COST 100000000 AS $$
  SELECT array_agg(owner || ':' || term) FROM (
    SELECT substr(word, start, 3) AS term
    FROM string_to_table(
      translate(path || E'\n' || substr(facts, greatest(strpos(facts, E'\n\n'), 1)), ' ', E'\n'), E'\n'
    ) AS word, generate_series(1, length(word) - 2) AS start
    UNION ALL SELECT '=' || line FROM string_to_table(facts, E'\n') AS line WHERE line <> ''
  ) AS found
$$;

-- The words of cards, once for all documents of a user that have the same. They are not among the terms of documents.
-- Documents of the former release have them in their paths until they change.
CREATE TABLE search_cards (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id bigint NOT NULL,
  words text COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX search_cards_by_words ON search_cards (user_id, md5(words));
CREATE INDEX search_cards_by_term ON search_cards USING gin (search_terms(user_id, words, ''))
  WITH (gin_pending_list_limit = 128);

ALTER TABLE search_documents ADD COLUMN card bigint;
CREATE INDEX search_documents_by_card ON search_documents (card) WHERE card IS NOT NULL;

-- `facts` is without the card, unless a server of the former release has kept it.
ALTER TABLE directory_facts ADD COLUMN card bigint;
CREATE INDEX directory_facts_by_card ON directory_facts (card) WHERE card IS NOT NULL;
CREATE VIEW directory_facts_with_cards AS
SELECT whole.id, CASE WHEN cards.id IS NULL THEN facts ELSE
  left(facts, -1) || CASE facts WHEN '{}' THEN '' ELSE ',' END || '"card":' || to_json(words) || '}' END AS facts
FROM directory_facts AS whole LEFT JOIN search_cards AS cards ON cards.id = whole.card;
