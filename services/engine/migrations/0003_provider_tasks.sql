-- The provider inbox (decision E10): who has one, which webhooks were received, the tasks, and the calls to dispatch that are
-- still to be made (an outbox). Whoever changes a task takes the lock of its row first.

-- Providers hosted here; the webhook secret is sealed (lib/secrets/sealer.ts).
CREATE TABLE provider_inbox (
  provider_guid uuid PRIMARY KEY REFERENCES provider,
  enabled boolean NOT NULL,
  secret_sealed bytea,
  updated_at timestamptz NOT NULL
);

-- Every webhook that had its effect, so that it has it once.
CREATE TABLE inbox_message (
  provider_guid uuid NOT NULL,
  webhook_id text COLLATE "C" NOT NULL,
  received_at timestamptz NOT NULL,
  PRIMARY KEY (provider_guid, webhook_id)
);
CREATE INDEX inbox_message_age ON inbox_message (received_at);

-- One row for each request that dispatch sent or withdrew. A withdrawal that overtakes its dispatch leaves a row without bundle.
CREATE TABLE provider_task (
  request_guid uuid PRIMARY KEY,
  provider_guid uuid NOT NULL REFERENCES provider,
  status text NOT NULL
    CHECK (status IN ('received', 'accepted', 'in_progress', 'completed', 'rejected', 'withdrawn')),
  -- SHA-256 of the receipt token for the look-up; the token itself is sealed, as it is needed to answer dispatch.
  receipt_hash bytea CONSTRAINT provider_task_receipt UNIQUE,
  receipt_sealed bytea,
  title text,
  patient_guid text,
  patient_name text,
  organisation_guid uuid,
  due timestamptz,
  bundle text,
  -- What the provider has decided and dispatch has not confirmed yet.
  pending_decision text CHECK (pending_decision IN ('accepted', 'rejected')),
  -- Why it was rejected or withdrawn.
  reason text,
  received_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CHECK (status = 'withdrawn' OR (bundle IS NOT NULL AND receipt_sealed IS NOT NULL)),
  CHECK (pending_decision IS NULL OR status = 'received')
);
CREATE INDEX provider_task_by_provider ON provider_task (provider_guid, received_at DESC, request_guid);
CREATE INDEX provider_task_by_age ON provider_task (received_at DESC, request_guid);

-- Calls to dispatch, made in the order of call_id for each request (it is given out under the lock of the task), removed when they
-- are settled.
CREATE TABLE dispatch_call (
  call_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  request_guid uuid NOT NULL REFERENCES provider_task,
  kind text NOT NULL CHECK (kind IN ('respond', 'status')),
  body jsonb NOT NULL,
  -- Counts claims, and so tells the holder of a lease from one whose lease has run out.
  attempt integer NOT NULL DEFAULT 0,
  next_at timestamptz NOT NULL,
  leased_until timestamptz,
  -- Set when dispatch refused it for good; kept for the operator.
  refused_at timestamptz,
  refusal text,
  created_at timestamptz NOT NULL
);
CREATE INDEX dispatch_call_due ON dispatch_call (next_at) WHERE refused_at IS NULL;
CREATE INDEX dispatch_call_order ON dispatch_call (request_guid, call_id) WHERE refused_at IS NULL;
