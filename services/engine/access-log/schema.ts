// Wire shapes of the access log (decision L4).
import Type, { type Static } from 'typebox';
import { LOG_ACTIONS, LOG_REASONS } from './words.ts';

const OptionalText = Type.Union([Type.String(), Type.Null()]);
const Moment = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }));

const FILTER = {
  patient: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9.-]{1,64}$',
      description:
        'Whose log: the guid of a registered patient, or the id of a Patient. Patients read their own without it',
    }),
  ),
  since: Moment('From then on'),
  until: Moment('Before then'),
  unit: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'A part of the name of a unit, or its guid' }),
  ),
  person: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'A part of the name of who did it, or the guid' }),
  ),
  lang: Type.Optional(Type.Enum(['sv', 'en'], { description: 'Language of the words; else by Accept-Language' })),
};

const closed = { additionalProperties: false };

export const LogQuery = Type.Object(
  {
    ...FILTER,
    cursor: Type.Optional(Type.String({ maxLength: 128, description: '`next_cursor` of the page before' })),
    per_page: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Items per page' }),
  },
  closed,
);
export type LogQuery = Static<typeof LogQuery>;

export const ExportQuery = Type.Object({ ...FILTER, format: Type.Enum(['html', 'csv']) }, closed);

export const LogRow = Type.Object(
  {
    event_guid: Type.String(),
    at: Type.String(),
    who: Type.Object({
      name: Type.Union([Type.String(), Type.Null()], {
        description:
          'Null where the deployment shows patients no names (KEDJA_ACCESS_LOG_NAMES), and where there is none',
      }),
      role: Type.String(),
      unit: OptionalText,
      for: Type.Optional(
        Type.String({ description: 'The patient for whom a proxy did it; left out where nobody acted for another' }),
      ),
    }),
    action: Type.Enum([...LOG_ACTIONS]),
    what: Type.String({ description: 'In words' }),
    why: Type.Union([Type.Enum([...LOG_REASONS]), Type.Null()], {
      description: 'The work that it belongs to, where the event names it',
    }),
    outcome: Type.Enum(['success', 'refused']),
  },
  { title: 'AccessLogEntry' },
);
export type LogRow = Static<typeof LogRow>;

export const LogPage = Type.Object(
  {
    data: Type.Array(LogRow),
    per_page: Type.Integer(),
    next_cursor: OptionalText,
  },
  { title: 'AccessLogPage' },
);
