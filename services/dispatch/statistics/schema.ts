// The wire shapes of the statistics (docs/reference/statistics.md).
import Type from 'typebox';

/** A request passes them one after the other; each counts those that came at least so far. */
export const STEPS = ['made', 'finalized', 'matched', 'pushed', 'answered', 'accepted', 'completed'] as const;
export type Step = (typeof STEPS)[number];

/** How a request ends without being performed. */
export const EXITS = ['revoked', 'rejected', 'expired'] as const;
export type Exit = (typeof EXITS)[number];

/** Upper limits of the classes of what waits, in hours; the last class has none. */
export const WAITING_HOURS = [4, 24, 72, 168] as const;

const Count = Type.Integer({ minimum: 0 });
const Day = Type.String({ format: 'date' });
const counts = <Name extends string>(names: readonly Name[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Count])) as Record<Name, typeof Count>);

export const Statistics = Type.Object(
  {
    from: Day,
    to: Day,
    as_of: Type.String({ format: 'date-time' }),
    steps: counts(STEPS),
    exits: counts(EXITS),
    waiting: Type.Array(
      Type.Object({
        up_to_hours: Type.Union([Type.Integer(), Type.Null()], { description: 'Null: longer than the class before' }),
        count: Count,
      }),
      { description: 'Pushes that may still be answered, by how long they have waited' },
    ),
    attempts: Type.Array(
      Type.Object({
        outcome: Type.String({ description: '`delivered` or a class of failure' }),
        count: Count,
        p50_ms: Type.Union([Type.Integer(), Type.Null()]),
        p95_ms: Type.Union([Type.Integer(), Type.Null()]),
      }),
      { description: 'Attempts to deliver the requests' },
    ),
    answers: Type.Array(
      Type.Object({
        provider_guid: Type.String(),
        provider_name: Type.String(),
        weekday: Type.Integer({ minimum: 1, maximum: 7, description: 'Of the push, from Monday' }),
        count: Count,
        median_hours: Type.Number({ description: 'From the push to the answer' }),
      }),
      { description: 'Of the providers that have answered most' },
    ),
  },
  { title: 'Statistics' },
);

export const StatisticsQuery = Type.Object(
  {
    from: Type.Optional(Type.String({ format: 'date', description: '29 days before `to` when left out' })),
    to: Type.Optional(Type.String({ format: 'date', description: 'Today when left out; the day is included' })),
  },
  { additionalProperties: false },
);
