// Makes identity's features and hands each what it depends on.
import { createAudit } from '#lib/audit/audit.ts';
import { createAuthenticator } from '#lib/auth/authenticator.ts';
import { createIdentityLink } from '#lib/auth/identity-link.ts';
import { createPasswordHasher } from '#lib/auth/password-hasher.ts';
import { createFieldCipher } from '#lib/crypto/field-cipher.ts';
import { createAccessRequests } from './access-requests/service.ts';
import { createAccountThrottle } from './auth/account-throttle.ts';
import { createAuthService } from './auth/service.ts';
import type { IdentityDeps } from './deps.ts';
import { createGroupProposals } from './group-proposals/service.ts';
import { createGroups } from './groups/service.ts';
import { createInvites } from './invites/service.ts';
import { createLeaderRequests } from './leader-requests/service.ts';
import { createOrganisations } from './organisations/service.ts';
import { createRegistries } from './patients/registries.ts';
import { createPatients } from './patients/service.ts';
import { createRevocations, createTakeEffect } from './revocations/service.ts';
import { createServiceRegistry } from './service-registry/service.ts';
import { createSigningKeys } from './signing-keys/service.ts';
import { createUserAdministration } from './user-administration/service.ts';
import { createUserList } from './user-list/service.ts';
import { createUsers } from './users/service.ts';

export type Features = ReturnType<typeof createFeatures>;

export function createFeatures(deps: IdentityDeps) {
  const { database, clock } = deps;
  const passwords = createPasswordHasher();
  const audit = createAudit({ database, clock, service: 'identity' });
  const users = createUsers({ database, clock, passwords });
  const keys = createSigningKeys({ database, clock });
  const revocations = createRevocations({ database, clock });
  const { link, authenticator } = createAdmission(deps, { users, keys, revocations });
  const takeEffect = createTakeEffect({ list: link.revocations, onRevoked: deps.onRevoked, log: deps.log });
  const throttle = createAccountThrottle({ database, clock });
  const { tokenTtlSeconds } = deps.config;
  const common = { database, clock, audit, users, passwords };
  const auth = createAuthService({ ...common, keys, revocations, throttle, takeEffect, tokenTtlSeconds });
  const organisations = createOrganisations({ database, clock, audit });
  const groups = createGroups({ database, clock, audit, revocations, takeEffect });
  const accessRequests = createAccessRequests({ ...common, groups, organisations });
  const cipher = createFieldCipher(deps.personnummerKey, 'personnummer');
  const patients = createPatients({ ...common, organisations, cipher });
  const leaderRequests = createLeaderRequests({ ...common, groups, revocations, takeEffect });
  const groupProposals = createGroupProposals({ ...common, groups, revocations, takeEffect });
  const invites = createInvites({ ...common, groups });
  const userAdministration = createUserAdministration({ ...common, auth, revocations, takeEffect });
  const registries = createRegistries({ ...common, revocations, takeEffect });
  const serviceRegistry = createServiceRegistry({ database, clock, audit });
  const userList = createUserList({ database, audit });
  const directory = {
    users,
    organisations,
    groups,
    leaderRequests,
    groupProposals,
    invites,
    accessRequests,
    patients,
    userList,
  };
  return {
    ...directory,
    userAdministration,
    registries,
    serviceRegistry,
    keys,
    revocations,
    link,
    authenticator,
    auth,
  };
}

/** Identity judges tokens as every other service does, with its own database in the place of calls to itself. */
function createAdmission(
  deps: IdentityDeps,
  parts: {
    users: ReturnType<typeof createUsers>;
    keys: ReturnType<typeof createSigningKeys>;
    revocations: ReturnType<typeof createRevocations>;
  },
) {
  const { database, clock, log, serviceClients } = deps;
  const { users, keys, revocations } = parts;
  const link = createIdentityLink({ keys, revocationSource: revocations.source, clock, log });
  const blobs = {
    read: (_token: string, { userGuid, tokenId }: { userGuid: string; tokenId: string }) =>
      users.readAccessBlob(database, userGuid, tokenId),
  };
  const { tokens, revocations: list } = link;
  return { link, authenticator: createAuthenticator({ tokens, revocations: list, blobs, serviceClients, clock }) };
}
