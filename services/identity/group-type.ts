// The types of groups (decision I5): one list for schema and type. The database checks the same list.
import Type, { type Static } from 'typebox';

export const GroupType = Type.Enum(['phase', 'team', 'organisation', 'quality_registry']);
export type GroupType = Static<typeof GroupType>;
