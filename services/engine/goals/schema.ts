// Schemas of goals (decision E7).
import Type, { type Static } from 'typebox';
import { Created, closedObject, Name, nullable, OptionalText, searchQuery, TextOrNull } from '../shared/fields.ts';
import { RecordVersion } from '../shared/record-versions.ts';
import { Guid, OptionalGuid, OwnGuid, ReferencedName, ReferencedNameOrNull } from '../shared/reference-fields.ts';

const closed = { additionalProperties: false };

export const GoalTarget = Type.Object(
  {
    comparator: Type.Optional(Type.Enum(['<', '<=', '=', '>=', '>'])),
    value: Type.Optional(Type.Number()),
    low: Type.Optional(Type.Number()),
    high: Type.Optional(Type.Number()),
    unit: OptionalGuid,
  },
  {
    title: 'GoalTarget',
    ...closed,
    description: 'Either a value (with a comparator, `=` when left out) or low and high, or one of them',
  },
);
export type GoalTarget = Static<typeof GoalTarget>;

/** The time in which the goal is to be reached: a FHIR Duration. */
export const GoalDue = closedObject(
  {
    value: Type.Number({ exclusiveMinimum: 0 }),
    unit: Type.Enum(['min', 'h', 'd', 'wk', 'mo', 'a']),
  },
  { title: 'GoalDue' },
);
export type GoalDue = Static<typeof GoalDue>;

export const GoalInput = closedObject(
  {
    name: Name,
    description: OptionalText,
    concept: Guid,
    target: Type.Optional(nullable<GoalTarget>(GoalTarget)),
    due: Type.Optional(nullable<GoalDue>(GoalDue)),
    activities: Type.Optional(Type.Array(Guid, { uniqueItems: true, maxItems: 200 })),
  },
  { title: 'LibraryGoalInput' },
);
export type GoalInput = Static<typeof GoalInput>;

export const Goal = Type.Object(
  {
    goal_guid: OwnGuid,
    name: Type.String(),
    description: TextOrNull,
    concept: Guid,
    concept_name: ReferencedName,
    target: nullable<GoalTarget & { unit_name?: string | null }>(
      Type.Object({ unit_name: Type.Optional(ReferencedNameOrNull) }, { additionalProperties: true }),
    ),
    due: nullable<GoalDue>(Type.Object({}, { additionalProperties: true })),
    activities: Type.Array(Guid),
    version: RecordVersion,
    ...Created,
  },
  { title: 'LibraryGoal' },
);
export type Goal = Static<typeof Goal>;

export const GoalQuery = searchQuery({ activity: Type.Optional(Guid) });
export type GoalQuery = Static<typeof GoalQuery>;
