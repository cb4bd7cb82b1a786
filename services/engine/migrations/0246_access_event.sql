-- Accesses as they are kept (docs/adr/0126): the audit events of all services, each once, in one row. The AuditEvent of a row is made when it is read, by
-- fhir_resource_all below; what several events have in common is stored once, as a part.
CREATE TABLE access_part (
  -- A digest of its texts.
  part bigint PRIMARY KEY,
  -- The pieces of the AuditEvent's text. Between the pieces of a kind (what was done) are the time and the detail; between those of an actor the address.
  pieces text[] NOT NULL,
  -- Of an actor: the recording service, and who took part, as in access_log_party.
  service text,
  parties text[] COLLATE "C"
);

-- What the search index holds of a part: a token (system, code), a reference (type, target) or a text.
CREATE TABLE access_part_value (
  part bigint NOT NULL,
  param integer NOT NULL,
  number bigint,
  target uuid,
  text text COLLATE "C"
);
CREATE INDEX access_part_value_part ON access_part_value (part, param);
CREATE INDEX access_part_value_text ON access_part_value (param, text);
CREATE INDEX access_part_value_target ON access_part_value (param, target) WHERE target IS NOT NULL;

-- Partitions are months of the ids, which are UUIDs in the order of time: old months are dropped whole.
CREATE TABLE access_event (
  event_guid uuid PRIMARY KEY,
  -- Milliseconds since 1970.
  recorded bigint NOT NULL,
  stored_at timestamptz NOT NULL,
  kind bigint NOT NULL,
  actor bigint NOT NULL,
  patient uuid,
  agent uuid,
  entity uuid,
  agent_type integer,
  entity_type integer,
  -- Where it is not `patient` itself.
  patient_id text,
  -- As it is within a JSON string.
  address text,
  request text,
  -- `"detail":…` of the outcome.
  detail text,
  -- References, separated by spaces; or, beginning with a brace, the text of entities that are no plain references.
  entities text
) PARTITION BY RANGE (event_guid);
CREATE INDEX ON access_event (patient, event_guid) WHERE patient IS NOT NULL;
CREATE INDEX ON access_event (patient, recorded, event_guid) WHERE patient IS NOT NULL;
CREATE INDEX ON access_event (patient, actor, recorded, event_guid) WHERE patient IS NOT NULL;
CREATE INDEX ON access_event (agent, event_guid) WHERE agent IS NOT NULL;
CREATE INDEX ON access_event (entity, event_guid) WHERE entity IS NOT NULL;
CREATE INDEX ON access_event (kind, recorded, event_guid);
CREATE INDEX ON access_event (actor, event_guid);
CREATE INDEX ON access_event (recorded, event_guid);
CREATE INDEX ON access_event (stored_at, event_guid);
CREATE INDEX ON access_event USING hash (request);
-- Empty: searches for long spans of time ask for it (fhir_date_long).
CREATE INDEX ON access_event (event_guid) WHERE recorded - recorded > 86400000;

-- Further values of the search index of single events: second and later entities, accounts, and so on.
CREATE TABLE access_event_value (
  event_guid uuid NOT NULL,
  param integer NOT NULL,
  number bigint,
  target uuid,
  text text COLLATE "C"
) PARTITION BY RANGE (event_guid);
CREATE INDEX ON access_event_value (event_guid, param);
CREATE INDEX ON access_event_value (param, target, event_guid) WHERE target IS NOT NULL;
CREATE INDEX ON access_event_value (param, text, event_guid) WHERE text IS NOT NULL;

-- Makes the partitions of the month of a time in milliseconds, if they are not there. Attaching holds up neither reads nor writes.
CREATE FUNCTION add_access_event_month(millis bigint) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  month timestamp := date_trunc('month', to_timestamp(millis / 1000.0) AT TIME ZONE 'UTC');
  parent text;
  child text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('access_event_month'));
  FOREACH parent IN ARRAY ARRAY['access_event', 'access_event_value'] LOOP
    child := parent || to_char(month, '"_"YYYY"_"MM');
    CONTINUE WHEN to_regclass(quote_ident(current_schema()) || '.' || child) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', child, parent);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      parent, child, first_guid_of(month), first_guid_of(month + interval '1 month'));
  END LOOP;
END $$;

-- The least UUIDv7 of a time (RFC 9562).
CREATE FUNCTION first_guid_of(at timestamp) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Events are only added, and go with their month.
CREATE FUNCTION refuse_access_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit events are append-only';
END
$$;
CREATE TRIGGER access_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON access_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_access_event_change();
CREATE TRIGGER access_event_value_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON access_event_value
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_access_event_change();

-- The FHIR store's tables with these events as rows of AuditEvent. What concerns AuditEvents is read from them (fhir/store/computed-rows.ts). The numbers are
-- keys of names (fhir/search/extract/keys.ts): 704291728 of AuditEvent, 126823934 of Patient; of AuditEvent's parameters: 955572451 patient, 1019056483 the
-- compartment, -1726186577 agent, -1226624887 entity, -1366229454 entity:identifier, 132354142 date, -1075334057 code and -1401188843 code with date.
CREATE VIEW fhir_resource_all AS
  SELECT type, rid, version, updated_at, organisation, deleted, id, content, extraction, patched FROM fhir_resource
  UNION ALL
  SELECT 704291728, e.event_guid, 1, e.stored_at, NULL::uuid, false, NULL::text COLLATE "C",
    '{"resourceType":"AuditEvent","id":"' || e.event_guid || '","meta":{"versionId":"1","lastUpdated":"'
      || to_char(e.stored_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"},' || k.pieces[1]
      || to_char(to_timestamp(e.recorded / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || k.pieces[2]
      || coalesce(',' || e.detail, '') || '}'
      || coalesce(',"patient":{"reference":"Patient/' || coalesce(e.patient_id, e.patient::text) || '"}', '')
      || a.pieces[1] || coalesce(',"networkString":"' || e.address || '"', '') || a.pieces[2] || k.pieces[3]
      || coalesce(',"entity":[' || nullif(concat_ws(',',
        CASE WHEN e.entities LIKE '{%' THEN e.entities
          ELSE '{"what":{"reference":"' || replace(e.entities, ' ', '"}},{"what":{"reference":"') || '"}}' END,
        '{"what":{"identifier":{"system":"https://kedja.dev/ids/http-request","value":"' || e.request || '"}}}'), '') || ']', '')
      || '}' COLLATE "default",
    0, NULL::boolean
  FROM access_event e LEFT JOIN access_part k ON k.part = e.kind LEFT JOIN access_part a ON a.part = e.actor;

CREATE VIEW fhir_token_all AS
  SELECT type, param, system, rid, code, mask FROM fhir_token
  UNION ALL
  SELECT 704291728, v.param, v.number, e.event_guid, v.text, 0::smallint
  FROM access_part_value v JOIN access_event e ON e.kind = v.part WHERE v.target IS NULL AND v.number IS NOT NULL
  UNION ALL
  SELECT 704291728, v.param, v.number, e.event_guid, v.text, 0::smallint
  FROM access_part_value v JOIN access_event e ON e.actor = v.part WHERE v.target IS NULL AND v.number IS NOT NULL
  UNION ALL
  SELECT 704291728, -1366229454, 8230221356502002778, event_guid, request COLLATE "C", 0::smallint FROM access_event
  WHERE request IS NOT NULL
  UNION ALL
  SELECT 704291728, param, number, event_guid, text, 0::smallint FROM access_event_value
  WHERE target IS NULL AND number IS NOT NULL;

CREATE VIEW fhir_reference_all AS
  SELECT type, param, target_type, target, rid FROM fhir_reference
  UNION ALL
  SELECT 704291728, 955572451, 126823934, patient, event_guid FROM access_event WHERE patient IS NOT NULL
  UNION ALL
  SELECT 704291728, 1019056483, 126823934, patient, event_guid FROM access_event WHERE patient IS NOT NULL
  UNION ALL
  SELECT 704291728, -1726186577, agent_type, agent, event_guid FROM access_event WHERE agent IS NOT NULL
  UNION ALL
  SELECT 704291728, -1226624887, entity_type, entity, event_guid FROM access_event WHERE entity IS NOT NULL
  UNION ALL
  SELECT 704291728, v.param, v.number::integer, v.target, e.event_guid
  FROM access_part_value v JOIN access_event e ON e.actor = v.part WHERE v.target IS NOT NULL
  UNION ALL
  SELECT 704291728, param, number::integer, target, event_guid FROM access_event_value WHERE target IS NOT NULL;

CREATE VIEW fhir_string_all AS
  SELECT type, param, rid, value, exact, mask, whole, sort FROM fhir_string
  UNION ALL
  SELECT 704291728, v.param, e.event_guid, v.text, NULL::text COLLATE "C", 0::smallint, NULL::text COLLATE "C", NULL::text COLLATE "C"
  FROM access_part_value v JOIN access_event e ON e.kind = v.part WHERE v.number IS NULL
  UNION ALL
  SELECT 704291728, v.param, e.event_guid, v.text, NULL::text COLLATE "C", 0::smallint, NULL::text COLLATE "C", NULL::text COLLATE "C"
  FROM access_part_value v JOIN access_event e ON e.actor = v.part WHERE v.number IS NULL
  UNION ALL
  SELECT 704291728, param, event_guid, text, NULL::text COLLATE "C", 0::smallint, NULL::text COLLATE "C", NULL::text COLLATE "C"
  FROM access_event_value WHERE number IS NULL;

CREATE VIEW fhir_date_all AS
  SELECT type, param, low, high, rid FROM fhir_date
  UNION ALL
  SELECT 704291728, 132354142, recorded, recorded, event_guid FROM access_event;

CREATE VIEW fhir_composite_all AS
  SELECT type, param, rid, text1, system1, low1, high1, text2, system2, low2, high2, text3, system3, low3, high3 FROM fhir_composite
  UNION ALL
  SELECT 704291728, -1401188843, e.event_guid, v.text, v.number, NULL::float8, NULL::float8, NULL::text COLLATE "C", 0::bigint,
    e.recorded::float8, e.recorded::float8, NULL::text COLLATE "C", NULL::bigint, NULL::float8, NULL::float8
  FROM access_part_value v JOIN access_event e ON e.kind = v.part WHERE v.param = -1075334057 AND v.number IS NOT NULL;
