// Schemas of provider tasks and of the inbox (contract: engine, "Providers and provider tasks"; decision E10).
import Type, { type Static } from 'typebox';
import { PageQuery } from '#lib/http/response/page.ts';
import { Instant, InstantOrNull, nullable, TextOrNull, VISIBLE } from '../shared/fields.ts';
import { Guid } from '../shared/reference-fields.ts';
import { TASK_STATES, type TaskState } from './lifecycle.ts';

const closed = { additionalProperties: false };
const Status = Type.Enum([...TASK_STATES]);
/** The longest text that dispatch accepts. */
const Note = Type.String({
  minLength: 1,
  maxLength: 2000,
  pattern: VISIBLE,
  patternHint: 'must be a text with a visible character and without control characters',
});

/** Only the name until the task is accepted. */
const TaskPatient = Type.Object(
  {
    name: TextOrNull,
    patient_guid: Type.Optional(Type.String()),
    birth_date: Type.Optional(TextOrNull),
    gender: Type.Optional(TextOrNull),
  },
  { title: 'TaskPatient' },
);

/** A person of the provider: the account, and its name then. */
const Person = Type.Object({ user_guid: Guid, name: TextOrNull }, { title: 'TaskPerson' });

const Requester = Type.Object(
  {
    person: TextOrNull,
    unit: TextOrNull,
    contacts: Type.Array(Type.Object({ system: Type.Optional(Type.String()), value: Type.String() })),
  },
  { title: 'TaskRequester', description: 'Who asks, and how to reach them' },
);
export type TaskRequester = Static<typeof Requester>;

export const Task = Type.Object(
  {
    receipt_token: nullable<string>(
      Type.String({ description: "The receipt token; for a provider's staff the guid of the request" }),
    ),
    problem: Type.Optional(
      Type.Object(
        { error: Type.Literal('unavailable'), message: Type.String() },
        { description: 'Why `receipt_token` is null where there is one that cannot be read at present' },
      ),
    ),
    request_guid: Guid,
    provider_guid: Guid,
    status: Status,
    pending_decision: TextOrNull,
    requester: nullable<TaskRequester>(Requester),
    patient: nullable<Static<typeof TaskPatient>>(TaskPatient),
    title: TextOrNull,
    received_at: Instant,
    due: InstantOrNull,
    reason: TextOrNull,
    updated_at: Instant,
    accepted_by: Type.Optional(Person),
    responsible: Type.Optional(Person),
    reported_by: Type.Optional(Person),
  },
  { title: 'ProviderTask' },
);
export type Task = Static<typeof Task>;

/** How many tasks are in each state. */
export const OwnCounts = Type.Object(
  Object.fromEntries(TASK_STATES.map((state) => [state, Type.Integer()])) as Record<
    TaskState,
    ReturnType<typeof Type.Integer>
  >,
  { title: 'OwnTaskCounts' },
);
export type OwnCounts = Static<typeof OwnCounts>;

const Mine = Type.Optional(Type.Boolean({ description: 'true: only those that the caller is responsible for' }));
export const OwnCountsQuery = Type.Object({ mine: Mine }, closed);

export const TaskQuery = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(Status),
    open: Type.Optional(Type.Boolean({ description: 'true: only those that are received, accepted or in progress' })),
    mine: Mine,
    order: Type.Optional(
      Type.Enum(['received', 'due'], {
        description: '`received` (default): the newest first; `due`: what is due first, what has no time last',
      }),
    ),
  },
  closed,
);
export type TaskQuery = Static<typeof TaskQuery>;

const Rejection = Type.Object({ reason: Type.Optional(Note) }, closed);
/** The body may be left out. */
export const RejectInput = nullable<Static<typeof Rejection>>(Rejection);

const Resource = Type.Object({}, { additionalProperties: true });
export const ReportInput = Type.Object(
  {
    status: Type.Enum(['partial', 'final']),
    observations: Type.Optional(Type.Array(Resource, { maxItems: 500 })),
    questionnaire_responses: Type.Optional(Type.Array(Resource, { maxItems: 100 })),
    note: Type.Optional(Note),
  },
  { ...closed, title: 'TaskReportInput' },
);

const Stored = Type.Object({ reference: Type.String() });
export const ReportResponse = Type.Object(
  {
    task: Task,
    observations: Type.Array(Stored),
    questionnaire_responses: Type.Array(Stored),
  },
  { title: 'TaskReport' },
);
export type ReportResponse = Static<typeof ReportResponse>;

/** Few, as one report may have megabytes. */
export const ReportsQuery = Type.Object(
  {
    cursor: Type.Optional(Type.String({ maxLength: 128, description: '`next_cursor` of the page before' })),
    per_page: Type.Integer({ minimum: 1, maximum: 10, default: 5, description: 'Items per page' }),
  },
  closed,
);

const FhirObject = (resourceType: string) =>
  Type.Object({ resourceType: Type.Literal(resourceType) }, { additionalProperties: true });

const TaskReportView = Type.Object(
  {
    report_guid: Guid,
    status: Type.Enum(['partial', 'final']),
    note: TextOrNull,
    reported_at: Instant,
    reported_by: Type.Optional(Person),
    observations: Type.Array(FhirObject('Observation')),
    questionnaire_responses: Type.Array(FhirObject('QuestionnaireResponse')),
  },
  { title: 'ReportOfTask' },
);
/** Sent as text, so that decimals keep their digits. */
export const ReportsOfTask = Type.Unsafe<string>(
  Type.Object(
    {
      data: Type.Array(TaskReportView, {
        description: 'At most `per_page`, and fewer when they are larger than 10 MiB together',
      }),
      per_page: Type.Integer(),
      next_cursor: nullable<string>(Type.String({ description: 'null: there are no more' })),
    },
    { title: 'ReportOfTaskPage' },
  ),
);

/** Sent as the received text. */
export const CarePlanDetails = Type.Unsafe<string>(
  Type.Object({
    request_guid: Guid,
    status: Status,
    requester: Requester,
    patient: nullable(FhirObject('Patient')),
    service_request: FhirObject('ServiceRequest'),
    care_plan: nullable(FhirObject('CarePlan')),
    plan_definition: nullable(FhirObject('PlanDefinition')),
    plan: nullable(
      Type.Object(
        {
          activities: Type.Array(Resource),
          transactions: Type.Array(Resource),
          goals: Type.Array(Resource),
        },
        { additionalProperties: true, description: 'The plan definition resolved, as `GET /careplans/{guid}/context`' },
      ),
    ),
    measures: nullable(
      Type.Object(
        {
          form: Type.Object({}, { additionalProperties: true, description: 'A render-ready form' }),
          codes: Type.Record(Type.String(), Resource, {
            description: 'The code of the Observation, by the `link_id` of the value',
          }),
        },
        { description: 'What the plan asks to be measured, with units and ranges; null for nothing' },
      ),
    ),
    questionnaires: Type.Array(FhirObject('Questionnaire')),
    forms: Type.Array(Resource, {
      description: 'The forms ready to be shown: docs/reference/render-ready-form.schema.json',
    }),
  }),
);

export const TaskCounts = Type.Object(
  {
    tasks: Type.Record(Type.String(), Type.Integer()),
    outbox: Type.Object({
      waiting: Type.Integer(),
      refused: Type.Integer(),
      oldest_at: InstantOrNull,
      most_attempts: Type.Integer(),
    }),
    inboxes: Type.Integer(),
  },
  { title: 'TaskCounts' },
);
export type TaskCounts = Static<typeof TaskCounts>;

export const InboxInput = Type.Object({ enabled: Type.Boolean(), renew_secret: Type.Optional(Type.Boolean()) }, closed);
export const Inbox = Type.Object(
  { provider_guid: Guid, enabled: Type.Boolean(), updated_at: Instant },
  { title: 'ProviderInbox' },
);
export type Inbox = Static<typeof Inbox>;

/** The messages of dispatch (decision D8). Other fields are ignored. */
export const Webhook = Type.Object({
  type: Type.String(),
  timestamp: Type.String(),
  data: Type.Object({}, { additionalProperties: true }),
});

export const DispatchedData = Type.Object({
  request_guid: Guid,
  receipt_token: Type.String({ minLength: 20, maxLength: 512 }),
  bundle: Type.Object({ resourceType: Type.Literal('Bundle') }, { additionalProperties: true }),
});
export const ClosedData = Type.Object({ request_guid: Guid, reason: Type.Optional(Type.String()) });
