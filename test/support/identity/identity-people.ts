// Creates people through the API: professionals by an approved access request, patients by registration.
import assert from 'node:assert/strict';
import type { Identity } from './identity.ts';

export const PASSWORD = 'a long enough phrase';
let made = 0;

/** A valid personnummer that no other call returns. */
export function nextPersonnummer(): string {
  made += 1;
  return personnummerOf(made);
}

/** A valid personnummer, another for each index below 20 million: a thousand on each day from 1960 on. */
export function personnummerOf(index: number): string {
  const day = new Date(Date.UTC(1960, 0, 1 + Math.floor(index / 1000))).toISOString().slice(0, 10).replaceAll('-', '');
  return withCheckDigit(`${day}${String(index % 1000).padStart(3, '0')}`);
}

/** Eleven digits and their check digit (Luhn, over the last ten). */
export function withCheckDigit(digits: string): string {
  const sum = [...digits.slice(2)].reduce((total, digit, place) => {
    const product = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return total + (product > 9 ? product - 9 : product);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

export function nextEmail(): string {
  made += 1;
  return `person-${made}@example.org`;
}

export async function makeOrganisation(identity: Identity): Promise<string> {
  made += 1;
  const name = `Care unit ${made}`;
  const answer = await identity.app.inject({
    method: 'POST',
    url: '/api/admin/organisations',
    headers: await identity.asAdmin(),
    payload: { name },
  });
  return answer.json().organisation_guid;
}

/** The body of an access request that will be accepted. */
export async function accessRequestBody(identity: Identity, phases: readonly string[] = []) {
  const leaders = (await identity.app.inject('/api/public/group-leaders')).json();
  return {
    email: nextEmail(),
    password: PASSWORD,
    first_name: 'Anna',
    last_name: 'Berg',
    professional_role: 'nurse',
    organisation_guid: await makeOrganisation(identity),
    requested_phases: [...phases],
    chosen_leader_guid: leaders[0].user_guid,
  };
}

export async function makeProfessional(identity: Identity, phases: readonly string[] = []) {
  const { app } = identity;
  const body = await accessRequestBody(identity, phases);
  const submitted = await app.inject({ method: 'POST', url: '/api/public/access-request', payload: body });
  const approved = await app.inject({
    method: 'POST',
    url: '/api/admin/access-requests',
    headers: await identity.asAdmin(),
    payload: { access_request_guid: submitted.json().access_request_guid, decision: 'approved' },
  });
  const headers = await identity.signIn(body.email, body.password);
  return {
    email: body.email,
    userGuid: String(approved.json().user_guid),
    organisationGuid: body.organisation_guid,
    headers,
  };
}

/** The body of a registration of a patient whom no other call names. */
export function registration(organisation_guid: string) {
  return { email: nextEmail(), password: PASSWORD, personnummer: nextPersonnummer(), organisation_guid };
}

/** A registered patient, of an organisation of their own unless `changes` names one. */
export async function makePatient(identity: Identity, changes: Partial<ReturnType<typeof registration>> = {}) {
  const body = { ...registration(changes.organisation_guid ?? (await makeOrganisation(identity))), ...changes };
  const answer = await identity.app.inject({ method: 'POST', url: '/api/patient/register', payload: body });
  assert.equal(answer.statusCode, 201, answer.body);
  return { ...body, answer: answer.json(), headers: await identity.signIn(body.email, body.password) };
}

/** The codes of the audit events so far. */
export async function auditedEvents(identity: Identity): Promise<string[]> {
  const { rows } = await identity.database.query<{ resource: string }>('SELECT resource FROM audit_event');
  return rows.map((row) => JSON.parse(row.resource).code.coding[0].code);
}
