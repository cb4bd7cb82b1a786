// Groups and memberships (contract: identity, Groups), composed of their parts.
import { createGroupAdministration, type GroupAdministration } from './administration.ts';
import { createGroupCatalogue, type GroupCatalogue } from './catalogue.ts';
import { createGroupDecisions, type GroupDecisions } from './decisions.ts';
import { createMemberships, type MembershipDeps, type Memberships } from './memberships.ts';

export type { NewGroup, NewMember } from './administration.ts';
export type { Membership } from './store.ts';

export interface Groups extends GroupCatalogue, Memberships, GroupDecisions, GroupAdministration {}

export function createGroups(deps: MembershipDeps): Groups {
  const catalogue = createGroupCatalogue(deps.database);
  return {
    ...catalogue,
    ...createMemberships(deps, catalogue),
    ...createGroupDecisions(deps),
    ...createGroupAdministration(deps),
  };
}
