// The roles of professionals (contract: identity, Access blob): one list for schema, type and database.
import Type, { type Static } from 'typebox';

export const ProfessionalRole = Type.Enum(['doctor', 'nurse', 'other']);
export type ProfessionalRole = Static<typeof ProfessionalRole>;

export function isProfessionalRole(text: string): text is ProfessionalRole {
  return ProfessionalRole.enum.some((role) => role === text);
}
