// Schemas of activities and their transactions (decision E7).
import Type, { type Static } from 'typebox';
import { readOnly } from '#lib/http/response/read-back.ts';
import { Created, closedObject, Name, nullable, OptionalText, searchQuery, TextOrNull } from '../shared/fields.ts';
import { RecordVersion } from '../shared/record-versions.ts';
import { Guid, OptionalGuid, OwnGuid, ReferencedName, ReferencedNameOrNull } from '../shared/reference-fields.ts';

const closed = { additionalProperties: false };

const ACTIVITY_STATUSES = ['draft', 'active', 'retired'] as const;
const Status = Type.Enum([...ACTIVITY_STATUSES]);

const Position = Type.Integer({ minimum: 1, maximum: 10_000 });
const UnitOfTime = Type.Enum(['s', 'min', 'h', 'd', 'wk', 'mo', 'a']);
const Count = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const Amount = Type.Number({ minimum: 0 });

/** FHIR R5 Timing.repeat without bounds: those belong to a patient's plan, not to the library. */
export const TimingRepeat = Type.Object(
  {
    count: Type.Optional(Count),
    countMax: Type.Optional(Count),
    duration: Type.Optional(Amount),
    durationMax: Type.Optional(Amount),
    durationUnit: Type.Optional(UnitOfTime),
    frequency: Type.Optional(Count),
    frequencyMax: Type.Optional(Count),
    period: Type.Optional(Amount),
    periodMax: Type.Optional(Amount),
    periodUnit: Type.Optional(UnitOfTime),
    dayOfWeek: Type.Optional(Type.Array(Type.Enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']), { minItems: 1 })),
    timeOfDay: Type.Optional(
      Type.Array(Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)$' }), { minItems: 1 }),
    ),
    when: Type.Optional(Type.Array(Type.String({ pattern: '^[A-Za-z.]+$', maxLength: 20 }), { minItems: 1 })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
  },
  {
    title: 'TimingRepeat',
    ...closed,
    description: 'FHIR Timing.repeat, for example {"frequency": 1, "period": 1, "periodUnit": "d"}',
  },
);
export type TimingRepeat = Static<typeof TimingRepeat>;

const TimingOrNull = nullable<TimingRepeat>(TimingRepeat);

export const TransactionInput = closedObject(
  {
    name: Name,
    concept: Guid,
    response_type: OptionalGuid,
    unit: OptionalGuid,
    timing: Type.Optional(TimingOrNull),
    required: Type.Optional(Type.Boolean({ default: false })),
    position: Type.Optional(Position),
  },
  { title: 'TransactionInput' },
);
export type TransactionInput = Static<typeof TransactionInput>;

export const ActivityTransaction = Type.Object(
  {
    transaction_guid: OwnGuid,
    activity_guid: OwnGuid,
    name: Type.String(),
    concept: Guid,
    concept_name: ReferencedName,
    response_type: TextOrNull,
    response_type_name: ReferencedNameOrNull,
    unit: TextOrNull,
    unit_name: ReferencedNameOrNull,
    timing: nullable<TimingRepeat>(Type.Object({}, { additionalProperties: true })),
    required: Type.Boolean(),
    position: Position,
    version: RecordVersion,
    ...Created,
  },
  { title: 'Transaction' },
);
export type ActivityTransaction = Static<typeof ActivityTransaction>;

export const ActivityInput = closedObject(
  {
    name: Name,
    description: OptionalText,
    concept: Guid,
    status: Type.Optional(Type.Enum([...ACTIVITY_STATUSES], { default: 'active' })),
  },
  { title: 'ActivityInput' },
);
export type ActivityInput = Static<typeof ActivityInput>;

export const Activity = Type.Object(
  {
    activity_guid: OwnGuid,
    name: Type.String(),
    description: TextOrNull,
    concept: Guid,
    concept_name: ReferencedName,
    status: Status,
    version: readOnly(Type.Integer({ description: 'Counts the changes of the activity and of its transactions' })),
    transactions: Type.Array(ActivityTransaction),
    ...Created,
  },
  { title: 'Activity' },
);
export type Activity = Static<typeof Activity>;

export const ActivityQuery = searchQuery({ status: Type.Optional(Status), concept: Type.Optional(Guid) });
export type ActivityQuery = Static<typeof ActivityQuery>;
