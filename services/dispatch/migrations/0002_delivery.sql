-- The sending half of dispatch (decisions D6, D8–D11): endpoints, receipts, the feed, and the outbox of signed webhooks.
-- Locks are taken in this order: service_request, match, provider_endpoint, delivery, receipt, provider_feed.

-- Where a provider's webhooks go (D9). A provider without a row is served by the feed alone. Secrets are sealed (docs/adr/0006).
CREATE TABLE provider_endpoint (
  provider_guid text PRIMARY KEY,
  url text NOT NULL,
  enabled boolean NOT NULL,
  -- Why it is disabled: an administrator's wish, or the receiver answered 410.
  disabled_reason text CHECK (disabled_reason IN ('administrator', 'gone')),
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_secret_until timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CHECK (enabled = (disabled_reason IS NULL)),
  CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL))
);

-- The bundle of one push, byte for byte as every attempt and every feed page carries it. All providers of a push share it.
CREATE TABLE push_bundle (
  bundle_guid uuid PRIMARY KEY,
  service_request_id uuid NOT NULL,
  content text NOT NULL,
  created_at timestamptz NOT NULL
);

-- One row for each pushed match: what the provider knows as a request, and the hash by which its receipt token is looked up.
CREATE TABLE receipt (
  request_guid uuid PRIMARY KEY,
  service_request_id uuid NOT NULL,
  provider_guid text NOT NULL,
  patient_guid text NOT NULL,
  -- The organisation whose consent is asked for.
  organisation_guid text NOT NULL,
  bundle_guid uuid NOT NULL REFERENCES push_bundle,
  token_hash bytea NOT NULL,
  -- Which key the token is derived from.
  token_key text NOT NULL,
  -- The place of its latest change in the provider's feed.
  feed_position bigint NOT NULL,
  dispatched_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT receipt_token UNIQUE (token_hash),
  CONSTRAINT receipt_feed UNIQUE (provider_guid, feed_position)
);
CREATE INDEX receipt_service_request ON receipt (service_request_id);
CREATE INDEX receipt_patient ON receipt (patient_guid);
CREATE INDEX receipt_updated ON receipt (provider_guid, updated_at);

-- The last position of each provider's feed. Positions are taken under this row's lock, held until commit: they are in commit
-- order and without gaps, so a reader that has seen position n misses nothing before it.
CREATE TABLE provider_feed (
  provider_guid text PRIMARY KEY,
  position bigint NOT NULL
);

-- The outbox (D8). delivery_guid is the webhook-id. The body is the envelope with two marks filled in: U+0001 stands for the
-- receipt token, U+0002 for the bundle; body_sha256 is that of the whole, checked before every attempt.
CREATE TABLE delivery (
  delivery_guid uuid PRIMARY KEY,
  provider_guid text NOT NULL,
  request_guid uuid REFERENCES receipt,
  type text NOT NULL CHECK (type IN ('request.dispatched', 'request.withdrawn', 'request.revoked', 'ping')),
  status text NOT NULL
    CHECK (status IN ('queued', 'sending', 'delivered', 'waiting', 'dead', 'held', 'cancelled')),
  envelope text NOT NULL,
  body_sha256 bytea NOT NULL,
  -- Counts claims, and so tells the holder of a lease from one whose lease has run out.
  attempt integer NOT NULL DEFAULT 0,
  -- Failures since it was queued or replayed: the place in the back-off schedule.
  failures integer NOT NULL DEFAULT 0,
  next_at timestamptz NOT NULL,
  lease_until timestamptz,
  last_error text,
  cancelled_reason text CHECK (cancelled_reason IN ('withdrawn', 'revoked', 'expired', 'consent', 'endpoint_removed')),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  delivered_at timestamptz,
  dead_at timestamptz,
  CHECK ((status = 'sending') = (lease_until IS NOT NULL)),
  CHECK ((status = 'cancelled') = (cancelled_reason IS NOT NULL)),
  CHECK ((type = 'ping') = (request_guid IS NULL))
);
-- What waits, by provider: the worker steps from provider to provider, so one with a long queue costs the others nothing.
CREATE INDEX delivery_due ON delivery (provider_guid, next_at, delivery_guid) WHERE status IN ('queued', 'waiting');
CREATE INDEX delivery_leased ON delivery (lease_until) WHERE status = 'sending';
CREATE INDEX delivery_held ON delivery (provider_guid) WHERE status = 'held';
CREATE INDEX delivery_dead ON delivery (provider_guid, dead_at) WHERE status = 'dead';
CREATE INDEX delivery_status ON delivery (status, delivery_guid);
CREATE INDEX delivery_provider ON delivery (provider_guid, delivery_guid);
CREATE INDEX delivery_request ON delivery (request_guid) WHERE request_guid IS NOT NULL;

-- Every attempt: never the body or the token.
CREATE TABLE delivery_attempt (
  delivery_guid uuid NOT NULL REFERENCES delivery,
  attempt integer NOT NULL,
  started_at timestamptz NOT NULL,
  -- Null while it runs, and for good when the process that made it died.
  duration_ms integer,
  http_status integer,
  -- delivered, a class of failure, or lease_expired while nobody has said more.
  outcome text,
  answer text,
  PRIMARY KEY (delivery_guid, attempt)
);
