-- The requester's half of dispatch (decisions D1–D6, D12): the workflow beside the FHIR records. Identifiers that come from
-- outside (patients, plans, providers, contracts, forms) are text, as FHIR's id rule is wider than a guid; ours are uuid.
-- Whoever changes a match takes the lock of its service_request row first: that order is what settles every race.

-- One row for each ServiceRequest; id is the FHIR id. The FHIR resource itself is in the FHIR store.
CREATE TABLE service_request (
  id uuid PRIMARY KEY,
  organisation_guid text NOT NULL,
  patient_guid text NOT NULL,
  careplan_guid text NOT NULL,
  status text NOT NULL CHECK (status IN ('draft', 'active', 'on-hold', 'revoked', 'completed')),
  archived_at timestamptz,
  -- D5, as the last push said: may several accept, or is the first acceptance the only one?
  selection text NOT NULL DEFAULT 'all' CHECK (selection IN ('all', 'first')),
  -- The editable snapshot as JSON text (numbers keep their digits) and its version, which If-Match names.
  snapshot text NOT NULL,
  snapshot_version integer NOT NULL DEFAULT 1,
  finalized_at timestamptz,
  revoke_reason text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX service_request_patient ON service_request (patient_guid, id);
CREATE INDEX service_request_careplan ON service_request (careplan_guid);

-- What CarePlans were made from: the PlanDefinition as it was then, and what it resolved to (D1). Never changed.
CREATE TABLE careplan_snapshot (
  careplan_guid text PRIMARY KEY,
  -- The canonical as the CarePlan names it.
  canonical text NOT NULL,
  plan_definition text NOT NULL,
  resolved text NOT NULL,
  created_at timestamptz NOT NULL
);

-- Forms of a ServiceRequest, in order. finalize fills in the frozen Questionnaire and its render-ready JSON; the Questionnaire
-- is then readable in the FHIR store under the attachment's guid.
CREATE TABLE form_attachment (
  service_request_id uuid NOT NULL REFERENCES service_request,
  form_attachment_guid uuid NOT NULL,
  form_guid text NOT NULL,
  title text NOT NULL,
  position integer NOT NULL CHECK (position >= 1),
  questionnaire text,
  render_ready text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (service_request_id, form_attachment_guid),
  CONSTRAINT form_attachment_once UNIQUE (service_request_id, form_guid),
  CONSTRAINT form_attachment_order UNIQUE (service_request_id, position) DEFERRABLE INITIALLY DEFERRED
);

-- The last known catalogue of the plan service, served marked stale while that cannot be reached (D12).
CREATE TABLE form_catalogue (
  form_guid text PRIMARY KEY,
  title text NOT NULL,
  version text,
  status text NOT NULL,
  url text,
  -- Present once somebody has read this form.
  questionnaire text,
  fetched_at timestamptz NOT NULL
);

CREATE INDEX form_catalogue_title ON form_catalogue (title, form_guid);

-- When the whole catalogue was last read; no row before the first time.
CREATE TABLE form_catalogue_sync (
  is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
  synced_at timestamptz NOT NULL
);

-- A ServiceRequest paired with one provider's contract (D3, D4). Once pushed it is what providers call a request.
CREATE TABLE match (
  service_request_id uuid NOT NULL REFERENCES service_request,
  match_guid uuid NOT NULL,
  provider_guid text NOT NULL,
  provider_name text NOT NULL,
  contract_guid text NOT NULL,
  -- The provider's organisation, whose consent the gate asks for; the provider itself when the contract service names none.
  provider_organisation_guid text,
  status text NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'pushed', 'accepted', 'rejected', 'withdrawn', 'expired')),
  -- Why it was withdrawn: the request was revoked, another provider was chosen, or the work was done by another.
  withdrawn_reason text CHECK (withdrawn_reason IN ('revoked', 'taken', 'completed')),
  -- Why the consent gate last kept it back; null when it was not.
  blocked_reason text,
  -- What the provider gave as the reason of a rejection.
  rejected_reason text,
  request_guid uuid,
  -- Set with an acceptance under selection "first".
  is_exclusive boolean NOT NULL DEFAULT false,
  respond_by timestamptz,
  -- What the provider reports of its work; null before the first report.
  progress text CHECK (progress IN ('acknowledged', 'in_progress', 'completed', 'rejected')),
  progress_note text,
  -- References to what was reported with the completion, as FHIR references.
  results text[] NOT NULL DEFAULT '{}',
  pushed_at timestamptz,
  responded_at timestamptz,
  progress_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (service_request_id, match_guid),
  CONSTRAINT match_contract_once UNIQUE (service_request_id, contract_guid),
  CHECK ((request_guid IS NULL) = (pushed_at IS NULL)),
  CHECK (status IN ('pending', 'withdrawn') OR request_guid IS NOT NULL),
  CHECK ((status = 'withdrawn') = (withdrawn_reason IS NOT NULL))
);

CREATE INDEX match_guid_lookup ON match (match_guid);
CREATE INDEX match_request_guid ON match (request_guid) WHERE request_guid IS NOT NULL;
CREATE INDEX match_provider ON match (provider_guid, request_guid) WHERE request_guid IS NOT NULL;
CREATE INDEX match_deadline ON match (respond_by) WHERE status = 'pushed' AND respond_by IS NOT NULL;
-- D5: of all that race, one acceptance under "first" stands.
CREATE UNIQUE INDEX match_first_accepted ON match (service_request_id) WHERE status = 'accepted' AND is_exclusive;
