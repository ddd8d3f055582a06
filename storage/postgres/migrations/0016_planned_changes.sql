-- Changes of whole subtrees are planned: each of their statements leaves a tree whole, so it is checked once
-- for all of its records, not for each at the commit. Their transactions say so by a setting.
DROP TRIGGER records_parent ON records;
DROP TRIGGER records_children_of_deleted ON records;
DROP TRIGGER records_children_of_moved ON records;
CREATE CONSTRAINT TRIGGER records_parent AFTER INSERT OR UPDATE OF user_id, parent ON records
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (current_setting('strongroom.planned', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION check_parent();
CREATE CONSTRAINT TRIGGER records_children_of_deleted AFTER DELETE ON records
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.is_dir AND current_setting('strongroom.planned', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION check_children();
CREATE CONSTRAINT TRIGGER records_children_of_moved AFTER UPDATE OF user_id, path ON records
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.is_dir AND current_setting('strongroom.planned', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION check_children();

CREATE FUNCTION check_planned() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    IF EXISTS (
      SELECT FROM (SELECT DISTINCT user_id, parent FROM added WHERE parent IS NOT NULL) AS needed
      WHERE NOT EXISTS (
        SELECT FROM records WHERE records.user_id = needed.user_id
          AND left(records.path, 600) = left(needed.parent, 600) AND records.path = needed.parent
        OFFSET 0
      )
    ) THEN
      RAISE foreign_key_violation USING CONSTRAINT = 'records_parent',
        MESSAGE = 'a record has no parent directory';
    END IF;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    IF EXISTS (
      SELECT FROM removed AS gone
      WHERE gone.is_dir AND EXISTS (
        SELECT FROM records WHERE left(records.parent, 550) = left(gone.path, 550)
          AND records.user_id = gone.user_id AND records.parent = gone.path OFFSET 0
      ) AND NOT EXISTS (
        SELECT FROM records WHERE records.user_id = gone.user_id
          AND left(records.path, 600) = left(gone.path, 600) AND records.path = gone.path OFFSET 0
      )
    ) THEN
      RAISE foreign_key_violation USING CONSTRAINT = 'records_parent',
        MESSAGE = 'records have lost their parent directory';
    END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER planned_added AFTER INSERT ON records REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT WHEN (current_setting('strongroom.planned', true) = 'on') EXECUTE FUNCTION check_planned();
CREATE TRIGGER planned_deleted AFTER DELETE ON records REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT WHEN (current_setting('strongroom.planned', true) = 'on') EXECUTE FUNCTION check_planned();
CREATE TRIGGER planned_changed AFTER UPDATE ON records
  REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT WHEN (current_setting('strongroom.planned', true) = 'on') EXECUTE FUNCTION check_planned();
