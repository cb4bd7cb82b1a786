// Schemas of synchronisations (contract: engine, "External server integration"; decision E11).
import Type, { type Static } from 'typebox';
import { PageQuery } from '#lib/http/response/page.ts';
import { Instant, InstantInput, InstantOrNull, nullable, TextOrNull } from '../shared/fields.ts';
import { Guid } from '../shared/reference-fields.ts';
import { DirectionCounts } from './counts.ts';

const closed = { additionalProperties: false };
const Direction = Type.Enum(['pull', 'push', 'both'], {
  description: 'pull: from the server to here; push: from here to the server; both: first pull, then push',
});
const State = Type.Enum(['running', 'stopped', 'done', 'failed']);

export const SyncInput = Type.Object(
  {
    server: Type.String({ minLength: 1, maxLength: 64, description: 'The name of an external server' }),
    resource_types: Type.Array(
      Type.String({ pattern: '^[A-Z][A-Za-z]{0,63}$', patternHint: 'must be a resource type' }),
      {
        minItems: 1,
        maxItems: 200,
        uniqueItems: true,
        description: 'Carried over in this order',
      },
    ),
    direction: Direction,
    since: Type.Optional(nullable<string>(InstantInput)),
    dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Only reports what would be done' })),
  },
  { ...closed, title: 'SyncJobInput' },
);
export type SyncInput = Static<typeof SyncInput>;

export const SyncStarted = Type.Object({ job_guid: Guid });

export const SyncConflict = Type.Object(
  {
    resource_type: Type.String(),
    id: Type.String(),
    kind: Type.Enum([
      'both_changed',
      'different',
      'deleted_here',
      'deleted_there',
      'refused_here',
      'refused_there',
      'failed_there',
      'unreadable',
    ]),
    message: Type.String(),
  },
  { title: 'SyncConflict' },
);
export type SyncConflict = Static<typeof SyncConflict>;

const Progress = Type.Object(
  {
    types_done: Type.Integer(),
    types_total: Type.Integer(),
    resource_type: TextOrNull,
    phase: Type.Unsafe<'pull' | 'push' | null>({ type: ['string', 'null'], enum: ['pull', 'push', null] }),
    seen: Type.Integer({ description: 'Resources of the type read from the server in this phase' }),
    total: nullable<number>(Type.Integer({ description: 'How many the server says there are' })),
  },
  { title: 'SyncProgress' },
);
const DirectionsCounted = Type.Object({ pull: DirectionCounts, push: DirectionCounts }, { title: 'SyncCounts' });

const syncFields = {
  job_guid: Guid,
  server: Type.String(),
  resource_types: Type.Array(Type.String()),
  direction: Direction,
  since: InstantOrNull,
  dry_run: Type.Boolean(),
  state: State,
  progress: Progress,
  counts: DirectionsCounted,
  conflict_count: Type.Integer(),
  failures: Type.Integer({ description: 'Attempts in a row that failed' }),
  fault: TextOrNull,
  created_at: Instant,
  updated_at: Instant,
  finished_at: InstantOrNull,
};

export const SyncView = Type.Object(syncFields, { title: 'SyncJob' });
export type SyncView = Static<typeof SyncView>;

export const SyncDetail = Type.Object(
  {
    ...syncFields,
    conflicts: Type.Array(SyncConflict, { description: 'The first hundred' }),
  },
  { title: 'SyncJobDetails' },
);
export type SyncDetail = Static<typeof SyncDetail>;

export const JobParams = Type.Object({ job_guid: Type.String() });
export const SyncQuery = Type.Object({ ...PageQuery, state: Type.Optional(State) }, closed);
export type SyncQuery = Static<typeof SyncQuery>;
export const ConflictQuery = Type.Object(PageQuery, closed);
