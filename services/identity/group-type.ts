// What kinds of group there are (decision I5): one list for schema and type; the database checks the same.
import Type, { type Static } from 'typebox';

export const GroupType = Type.Enum(['phase', 'team', 'organisation', 'quality_registry']);
export type GroupType = Static<typeof GroupType>;
