// Schemas that several of identity's routes have.
import Type from 'typebox';
import { GuidText, nameText } from '../../text.ts';

/** Options of an object without other members. */
export const closed = { additionalProperties: false } as const;

export const OptionalText = Type.Union([Type.String(), Type.Null()]);

/** The status of a membership, a group proposal or a leader request. */
export const DecisionStatus = Type.Enum(['pending', 'approved', 'rejected']);
export const Decision = Type.Enum(['approved', 'rejected']);
/** Beside a decision. */
export const DecisionReason = Type.Optional(
  Type.String({
    ...nameText(500),
    description: 'Why; it is in the audit log and in the mail to who asked',
  }),
);

export const UserParams = Type.Object({ user_guid: Type.String() }, closed);
export const GroupBody = Type.Object({ group_guid: GuidText }, closed);

/** An organisation where its guid and name are enough. */
export const NamedOrganisation = Type.Object(
  { organisation_guid: Type.String(), name: Type.String() },
  { title: 'NamedOrganisation' },
);

/** The response of what gives nothing else back. */
export const MessageResponse = Type.Object({ message: Type.String() }, { title: 'Message' });

/** The response to a change of a user. */
export const UserChanged = Type.Object({ message: Type.String(), user_guid: Type.String() }, { title: 'UserChanged' });

/** Guids of which a service asks. */
export const GuidsBody = Type.Object(
  { guids: Type.Array(Type.String({ format: 'uuid' }), { minItems: 1, maxItems: 1000 }) },
  closed,
);
