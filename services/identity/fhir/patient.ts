// Patient under /fhir (decision I15). Only the patient and SU admins see a Patient; others get 404, since identity
// shows no patients to professionals. SU admins create patients with the temporary password.
import Type from 'typebox';
import { Email } from '#lib/auth/email.ts';
import type { Clock } from '#lib/clock.ts';
import type { Actor } from '../actor.ts';
import { type Patients, parsePersonnummer } from '../patients/service.ts';
import { nameText } from '../text.ts';
import { createFormCheck } from './form-check.ts';
import type { DirectoryKind, DirectoryResource } from './kind.ts';
import { type AccountKindDeps, extensionsOf, readEmail, readName, readOrganisation } from './person.ts';
import { birthDateOf, identifierSystemOf, patientResource, REGISTRY_EXTENSION } from './resources.ts';
import { readSubmission, type Submission } from './submission.ts';

export interface PatientKindDeps extends AccountKindDeps {
  readonly clock: Clock;
  readonly patients: Patients;
}

export function createPatientKind(deps: PatientKindDeps): DirectoryKind {
  return {
    type: 'Patient',
    read: (actor, id) => read(deps, actor, id),
    create: (actor, resource) => create(deps, actor, resource),
  };
}

async function read(deps: PatientKindDeps, actor: Actor, id: string): Promise<DirectoryResource | null> {
  const { principal } = actor;
  if (principal.patientGuid !== id && !principal.roles.has('admin')) return null;
  const record = await deps.patients.find(id, principal);
  if (record === null) return null;
  const subjectGuid = record.userGuid;
  await deps.audit.recordRead({ action: 'R', event: 'patient.read', patientGuid: id, subjectGuid, ...actor });
  return { resource: patientResource(record) };
}

const checkForm = createFormCheck({
  email: Email,
  first_name: Type.Optional(nameText(100)),
  last_name: Type.Optional(nameText(100)),
  registries: Type.Array(nameText(200), { maxItems: 100, uniqueItems: true }),
});
const PLACES = { email: 'telecom', first_name: 'name.given', last_name: 'name.family', registries: 'extension' };

interface PatientForm {
  readonly email: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly personnummer: string;
  readonly organisationGuid: string;
  /** The name of the organisation. */
  readonly organisations: readonly string[];
  readonly registries: readonly string[];
}

async function readForm(submission: Submission, deps: PatientKindDeps): Promise<PatientForm> {
  const email = readEmail(submission);
  const { first, last } = readName(submission);
  const registries = extensionsOf(submission, REGISTRY_EXTENSION).map(
    ({ path }) => submission.takeText(`${path}.valueString`)?.trim() ?? '',
  );
  const names = {
    ...(first === undefined ? {} : { first_name: first }),
    ...(last === undefined ? {} : { last_name: last }),
  };
  checkForm(submission, { email, registries, ...names }, PLACES);
  const personnummer = readPersonnummer(submission, deps.clock.now());
  const organisation = await readOrganisation(submission, 'managingOrganization', deps);
  return {
    email: email ?? '',
    firstName: first ?? null,
    lastName: last ?? null,
    personnummer: personnummer ?? '',
    organisationGuid: organisation?.id ?? '',
    organisations: organisation === undefined ? [] : [organisation.name],
    registries,
  };
}

/**
 * Reads the personnummer and checks that identifier system and birth date agree with it. Undefined, with an issue
 * added, when it is invalid.
 */
function readPersonnummer(submission: Submission, now: number): string | undefined {
  submission.expect('identifier[0].use', 'official', 'The personnummer is the official identifier');
  const system = submission.takeText('identifier[0].system');
  const birthDate = submission.takeText('birthDate');
  const value = submission.takeText('identifier[0].value');
  const personnummer = value === undefined ? undefined : parsePersonnummer(value, now);
  if (personnummer === undefined) {
    const place = value === undefined ? 'identifier' : 'identifier[0].value';
    const issueCode = value === undefined ? 'required' : 'value';
    submission.issue(place, 'must be a valid personal or coordination number of 10 or 12 digits', issueCode);
    return undefined;
  }
  if (system !== identifierSystemOf(personnummer)) {
    submission.issue('identifier[0].system', `must be ${identifierSystemOf(personnummer)} for this number`);
  }
  if (birthDate !== undefined && birthDate !== birthDateOf(personnummer)) {
    submission.issue('birthDate', 'must be the date of the personnummer');
  }
  return personnummer;
}

async function create(
  deps: PatientKindDeps,
  actor: Actor,
  resource: Readonly<Record<string, unknown>>,
): Promise<DirectoryResource> {
  const submission = readSubmission(resource, 'Patient');
  const form = await readForm(submission, deps);
  submission.check();
  const password = await deps.temporaryPassword({ ...form, names: [form.firstName, form.lastName] });
  return { resource: patientResource(await deps.patients.admit(actor, { ...form, ...password })) };
}
