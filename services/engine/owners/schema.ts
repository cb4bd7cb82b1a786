// Schemas of owners (docs/adr/0050, 0060).
import Type, { type Static } from 'typebox';
import { nullable } from '../shared/fields.ts';
import { Guid } from '../shared/reference-fields.ts';

const Organisation = Type.Unsafe<string | null>({
  ...nullable<string>(Guid),
  description:
    'The organisation that owns it; null: it belongs to the whole system, and administrators alone change it',
});

export const OwnerParams = Type.Object({
  type: Type.String({
    description: 'A type of definitions or directories (`PlanDefinition`), or a list of the library (`concepts`)',
  }),
  id: Type.String(),
});
export type OwnerParams = Static<typeof OwnerParams>;

export const OwnerInput = Type.Object({ organisation_guid: Organisation }, { additionalProperties: false });

export const Owner = Type.Object(
  { type: Type.String(), id: Type.String(), organisation_guid: Organisation },
  { title: 'RecordOwner' },
);
export type Owner = Static<typeof Owner>;
