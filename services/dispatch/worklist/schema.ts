// The wire shapes of the worklist (docs/reference/worklist.md).
import Type from 'typebox';
import { PageQuery, pageOf } from '#lib/http/response/page.ts';
import { Moment, nullable } from '../shared/wire.ts';
import { STAGES, type Stage } from './stage.ts';

const count = (description: string) => Type.Integer({ description });

export const WorklistItem = Type.Object(
  {
    service_request_id: Type.String(),
    title: nullable(Type.String({ description: 'Of its plan' })),
    patient: Type.Object({ reference: Type.String({ description: 'Patient/<id>; the name is read there' }) }),
    care_plan: Type.Object({ reference: Type.String() }),
    stage: Type.Enum([...STAGES]),
    is_mine: Type.Boolean({ description: 'Whether the reader made or finalized it' }),
    is_archived: Type.Boolean(),
    matches: Type.Object({
      pending: count('Found, and not pushed'),
      unanswered: count('Pushed, and neither answered nor expired'),
      accepted: count('Accepted'),
      refused: count('Rejected or expired'),
      undelivered: count('Unanswered, and their delivery, or the mail with the link, was given up'),
    }),
    asked_at: nullable(Type.String({ format: 'date-time', description: 'When the oldest unanswered push was made' })),
    created_at: Moment,
    updated_at: Moment,
  },
  { title: 'WorklistItem' },
);

export const WorklistPage = Type.Object(
  {
    ...pageOf(WorklistItem).properties,
    counts: Type.Object(
      { ...Object.fromEntries(STAGES.map((stage) => [stage, Type.Integer()])), undelivered: Type.Integer() } as Record<
        Stage | 'undelivered',
        ReturnType<typeof Type.Integer>
      >,
      { description: 'How many requests are in each stage, whatever `stage` and `undelivered` ask for' },
    ),
  },
  { title: 'WorklistPage' },
);

export const WorklistQuery = Type.Object(
  {
    ...PageQuery,
    stage: Type.Optional(Type.Enum([...STAGES])),
    undelivered: Type.Optional(
      Type.Boolean({ description: 'true: only those with an unanswered push whose delivery was given up' }),
    ),
    mine: Type.Optional(Type.Boolean({ description: 'true: only those that the reader made or finalized' })),
    archived: Type.Optional(Type.Boolean({ description: 'true: the archived ones instead of the others' })),
    patient_guid: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    provider_guid: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Only those that were sent to that provider' }),
    ),
    order: Type.Optional(
      Type.Enum(['newest', 'oldest'], {
        description: '`newest` (default): changed last first; `oldest`: waiting for an answer longest first',
      }),
    ),
  },
  { additionalProperties: false },
);
