// Practitioner under /fhir (decision I15). The professional and SU admins see the whole resource. Others see the name
// of group leaders, of SU admins, and of members of their own groups; any other Practitioner gets 404. SU admins create
// professionals with the temporary password.
import { Email } from '#lib/auth/email.ts';
import { notFound } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { Actor } from '../actor.ts';
import { ProfessionalRole } from '../professional-role.ts';
import { nameText } from '../text.ts';
import type { Users } from '../users/service.ts';
import { createFormCheck } from './form-check.ts';
import type { DirectoryKind, DirectoryResource } from './kind.ts';
import { type AccountKindDeps, extensionsOf, readEmail, readName, readOrganisation } from './person.ts';
import { ORGANISATION_EXTENSION, practitionerName, practitionerResource, ROLE_EXTENSION } from './resources.ts';
import * as store from './store.ts';
import { readSubmission, type Submission } from './submission.ts';

export interface PractitionerKindDeps extends AccountKindDeps {
  readonly users: Users;
}

export function createPractitionerKind(deps: PractitionerKindDeps): DirectoryKind {
  return {
    type: 'Practitioner',
    read: (actor, id) => read(deps, actor, id),
    create: (actor, resource) => create(deps, actor, resource),
  };
}

async function read(deps: PractitionerKindDeps, actor: Actor, id: string): Promise<DirectoryResource | null> {
  const { database, audit } = deps;
  const { principal } = actor;
  const row = isGuid(id) ? await store.readPractitioner(database, id, principal.id) : null;
  if (row === null) return null;
  const isUnpaged = row.user_guid === principal.id || principal.roles.has('admin');
  if (!isUnpaged && !row.is_public && !row.is_colleague) return null;
  const entities = [`Practitioner/${id}`];
  await audit.recordRead({ action: 'R', event: 'practitioner.read', entities, subjectGuid: row.user_guid, ...actor });
  return { resource: isUnpaged ? practitionerResource(row) : practitionerName(row) };
}

const MAX_WORKPLACES = 100;

const checkForm = createFormCheck({
  email: Email,
  first_name: nameText(100),
  last_name: nameText(100),
  professional_role: ProfessionalRole,
});
const PLACES = { email: 'telecom', first_name: 'name.given', last_name: 'name.family', professional_role: 'extension' };

interface PractitionerForm {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly role: ProfessionalRole;
  readonly organisationGuids: readonly string[];
  /** The names of the organisations. */
  readonly organisations: readonly string[];
}

/** A professional without a role is an `other`. */
async function readForm(submission: Submission, deps: PractitionerKindDeps): Promise<PractitionerForm> {
  const email = readEmail(submission);
  const { first, last } = readName(submission);
  const [roleAt] = extensionsOf(submission, ROLE_EXTENSION);
  const role = roleAt === undefined ? 'other' : submission.takeText(`${roleAt.path}.valueCode`);
  checkForm(submission, { email, first_name: first, last_name: last, professional_role: role }, PLACES);
  const workplaces = await readWorkplaces(submission, deps);
  return {
    email: email ?? '',
    firstName: first ?? '',
    lastName: last ?? '',
    role: ProfessionalRole.enum.find((known) => known === role) ?? 'other',
    organisationGuids: [...workplaces.keys()],
    organisations: [...workplaces.values()],
  };
}

/** The names of the workplaces, by guid. */
async function readWorkplaces(submission: Submission, deps: PractitionerKindDeps): Promise<Map<string, string>> {
  const sent = extensionsOf(submission, ORGANISATION_EXTENSION);
  if (sent.length > MAX_WORKPLACES) {
    submission.issue('extension', `must name at most ${MAX_WORKPLACES} organisations`, 'too-long');
    return new Map();
  }
  const workplaces = new Map<string, string>();
  for (const { path } of sent) {
    const known = await readOrganisation(submission, `${path}.valueReference`, deps);
    if (known !== undefined) workplaces.set(known.id, known.name);
  }
  return workplaces;
}

async function create(
  deps: PractitionerKindDeps,
  actor: Actor,
  resource: Readonly<Record<string, unknown>>,
): Promise<DirectoryResource> {
  const { database, audit, users } = deps;
  const submission = readSubmission(resource, 'Practitioner');
  const form = await readForm(submission, deps);
  submission.check();
  const password = await deps.temporaryPassword({ ...form, names: [form.firstName, form.lastName] });
  const guid = await database.transaction(async (tx) => {
    const { userGuid, professionalGuid } = await users.createProfessional(tx, { ...form, ...password });
    const entities = [`Practitioner/${professionalGuid}`];
    await audit.record(tx, { action: 'C', event: 'practitioner.create', entities, subjectGuid: userGuid, ...actor });
    return professionalGuid;
  });
  const row = await store.readPractitioner(database, guid, actor.principal.id);
  if (row === null) throw notFound('Practitioner');
  return { resource: practitionerResource(row) };
}
