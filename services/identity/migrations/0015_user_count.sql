-- How many users there are, kept with every change of them, so that a page of their list neither counts them nor walks past more than
-- half of them. Spread over rows, as those who make users at once would otherwise wait for each other; a connection always adds to the
-- same row, so that no transaction holds two.
CREATE TABLE user_count (
  share integer PRIMARY KEY,
  users bigint NOT NULL
);

-- Nobody is made or removed between the count and the triggers.
LOCK TABLE app_user IN SHARE ROW EXCLUSIVE MODE;

INSERT INTO user_count (share, users) SELECT 0, count(*) FROM app_user;

CREATE FUNCTION count_users() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  change bigint := (SELECT count(*) FROM changed) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  IF change <> 0 THEN
    INSERT INTO user_count AS known (share, users) VALUES (pg_backend_pid() % 16, change)
    ON CONFLICT (share) DO UPDATE SET users = known.users + excluded.users;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER app_user_added AFTER INSERT ON app_user
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_users();
CREATE TRIGGER app_user_removed AFTER DELETE ON app_user
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_users();
