-- Who may act for a patient: a proxy whom the patient has named and who has accepted, or a guardian of a child, whom an administrator has set
-- (decision L5, docs/adr/0074).
CREATE TABLE patient_proxy (
  proxy_guid uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('proxy', 'guardian')),
  patient_guid uuid NOT NULL REFERENCES patient (patient_guid) ON DELETE CASCADE,
  -- Null where nobody could be named by what the patient wrote: the patient does not learn that.
  delegate_guid uuid REFERENCES patient (patient_guid) ON DELETE CASCADE,
  -- What the patient wrote, a personnummer without its last digits.
  named text NOT NULL,
  may text NOT NULL CHECK (may IN ('read', 'act')),
  status text NOT NULL CHECK (status IN ('invited', 'active', 'ended')),
  ends_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  accepted_at timestamptz,
  ended_at timestamptz,
  ended_by text CHECK (ended_by IN ('patient', 'delegate', 'administrator')),
  CHECK (delegate_guid <> patient_guid),
  CHECK (status <> 'active' OR delegate_guid IS NOT NULL)
);
CREATE INDEX patient_proxy_patient ON patient_proxy (patient_guid, created_at);
CREATE INDEX patient_proxy_delegate ON patient_proxy (delegate_guid, created_at) WHERE delegate_guid IS NOT NULL;

-- The account of a patient may be deleted: the proxies' access has changed then, too.
CREATE FUNCTION publish_proxy_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH delegate AS (
    SELECT user_guid FROM patient WHERE patient_guid = OLD.delegate_guid
  ), counter AS (
    UPDATE revocation_counter SET last = last + (SELECT count(*) FROM delegate) RETURNING last
  )
  INSERT INTO user_change (sequence, user_guid, changed_at) SELECT last, user_guid, now() FROM counter, delegate;
  RETURN NULL;
END $$;

CREATE TRIGGER patient_proxy_deleted AFTER DELETE ON patient_proxy
  FOR EACH ROW WHEN (OLD.status = 'active') EXECUTE FUNCTION publish_proxy_end();
