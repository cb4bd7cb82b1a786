-- The earliest time of the events of a month (docs/adr/0113). Ids are made when an event is written, which may be in the month after.
CREATE TABLE access_event_month (
  -- Its first moment, in milliseconds since 1970.
  month bigint PRIMARY KEY,
  earliest bigint NOT NULL
);
DO $$
DECLARE
  part record;
BEGIN
  FOR part IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'access_event'::regclass LOOP
    EXECUTE format('INSERT INTO access_event_month SELECT $1, min(recorded) FROM %I HAVING count(*) > 0', part.relname)
      USING (extract(epoch FROM to_date(right(part.relname, 7), 'YYYY_MM')) * 1000)::bigint;
  END LOOP;
END $$;
