// The wire shapes of feed, status callback and respond (decisions D10, D11).
import Type from 'typebox';
import { PROGRESS_STATUSES } from '../shared/match-lifecycle.ts';
import { FreeText, Moment, nullable, PROVIDER_GUID_PATTERN } from '../shared/wire.ts';
import { REQUEST_STATUSES } from './status.ts';

const Reason = Type.Optional(FreeText);

export const FeedQuery = Type.Object(
  {
    provider_guid: Type.Optional(
      Type.String({ pattern: PROVIDER_GUID_PATTERN, description: 'A key of a provider may leave out its own' }),
    ),
    since: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only what changed at that moment or later' }),
    ),
    cursor: Type.Optional(Type.String({ maxLength: 200, description: 'The `next_cursor` of the page before' })),
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  },
  { additionalProperties: false },
);

const FeedItemView = Type.Object(
  {
    request_guid: Type.String(),
    service_request_id: Type.String(),
    status: Type.Enum([...REQUEST_STATUSES]),
    receipt_token: nullable(Type.String()),
    bundle: nullable(
      Type.Any({ description: 'The collection Bundle; null when the request is closed or consent forbids it' }),
    ),
    dispatched_at: Moment,
    updated_at: Moment,
  },
  { title: 'FeedItem' },
);

export const FeedView = Type.Object(
  {
    requests: Type.Array(FeedItemView),
    next_cursor: Type.String({ description: 'Where the next page begins, also when there is none yet' }),
    has_more: Type.Boolean(),
  },
  { title: 'FeedPage' },
);

/** The person of a provider that the engine hosts: the engine alone sends it. */
export const Person = Type.Object(
  {
    user_guid: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
    name: nullable(Type.String({ maxLength: 400 })),
  },
  {
    title: 'ProviderPerson',
    additionalProperties: false,
    description: 'Who of the provider did it; the engine alone names somebody',
  },
);

export const RespondParams = Type.Object({ token: Type.String() });

export const RespondInput = Type.Object(
  { decision: Type.Enum(['accepted', 'rejected']), reason: Reason, by: Type.Optional(Person) },
  { additionalProperties: false },
);

export const RespondResponse = Type.Object({
  request_guid: Type.String(),
  status: Type.Enum(['accepted', 'rejected']),
});

export const ReportParams = Type.Object({ request_guid: Type.String() });

/** The results themselves: their resources are checked as FHIR. */
const ResultBundle = Type.Object(
  {
    resourceType: Type.Literal('Bundle'),
    type: Type.Optional(Type.Enum(['collection', 'batch', 'transaction'])),
    entry: Type.Array(
      Type.Object({ resource: Type.Object({}, { additionalProperties: true }) }, { additionalProperties: true }),
      {
        maxItems: 500,
      },
    ),
  },
  {
    additionalProperties: true,
    description: 'Observations and QuestionnaireResponses, stored in the patient’s record',
  },
);

/** Absolute references to FHIR resources. */
export const RESULT_PATTERN =
  '^https?://[^\\s?#]+/[A-Z][A-Za-z]+/[A-Za-z0-9\\-.]{1,64}(/_history/[A-Za-z0-9\\-.]{1,64})?$';

export const ReportInput = Type.Object(
  {
    status: Type.Enum([...PROGRESS_STATUSES]),
    reason: Reason,
    note: Reason,
    occurred_at: Type.Optional(Moment),
    by: Type.Optional(Person),
    results: Type.Optional(
      Type.Union([
        Type.Array(Type.String({ maxLength: 1024, pattern: RESULT_PATTERN }), {
          maxItems: 1000,
          description: 'Absolute references to the FHIR resources in which the provider reported',
        }),
        ResultBundle,
      ]),
    ),
  },
  { title: 'StatusReport', additionalProperties: false },
);

export const ReportResponse = Type.Object(
  {
    request_guid: Type.String(),
    status: Type.Enum([...PROGRESS_STATUSES]),
    results: Type.Optional(Type.Array(Type.String(), { description: 'References to the resources of a Bundle' })),
  },
  { title: 'StatusReportOutcome' },
);

export const TokenReportResponse = Type.Omit(ReportResponse, ['request_guid']);
