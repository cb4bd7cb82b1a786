// The people of the rows beside those of the main workflow: patients with a number, a record and a consent of their
// own.

import { DAY_MS } from '#lib/clock.ts';
import { promptly } from '#test/support/http.ts';
import { personnummerOf } from '#test/support/identity/identity-people.ts';
import { PASSWORD, signIn } from './accounts.ts';
import { call } from './call.ts';
import type { Addresses, Story } from './context.ts';
import { admitPatient, giveConsent } from './request.ts';

const PERSONNUMMER = 'http://electronichealth.se/identifier/personnummer';
/** The promise of decision G8, and the time of a request. */
const EVERYWHERE_MS = 2_500;
/** Many rows wait at the same time, so they ask less often. */
export const PAUSE_MS = 100;
let numbers = 0;

export interface RegisteredPatient {
  readonly token: string;
  readonly email: string;
  readonly userGuid: string;
  readonly patientGuid: string;
  readonly personnummer: string;
}

/** A valid number that no other call returns. */
export function nextNumber(): string {
  numbers += 1;
  return personnummerOf(numbers);
}

/** The number of a child who turns ten about now; another for each index. */
export function numberOfChild(index = 0): string {
  const days = Math.floor((Date.now() - 10 * 365.25 * DAY_MS - Date.UTC(1960, 0, 1)) / DAY_MS);
  return personnummerOf(days * 1000 + index);
}

/** A day in so many days, as `2026-11-26`. */
export function dayIn(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}

/** Registers a patient with the region, who has no record then. */
export async function register(
  { addresses, accounts, secrets }: Pick<Story, 'addresses' | 'accounts' | 'secrets'>,
  name: string,
  personnummer = nextNumber(),
): Promise<RegisteredPatient> {
  const email = `${name.toLowerCase()}@example.org`;
  const registration = { email, password: PASSWORD, personnummer, organisation_guid: accounts.organisationGuid };
  const { body } = await call(`${addresses.identity}/api/patient/register`, { json: registration, expect: 201 });
  const token = await signIn(addresses, email, PASSWORD);
  secrets.add(token);
  return { token, email, userGuid: body.user_guid, patientGuid: body.patient_guid, personnummer };
}

/**
 * The same story about another patient, whose record staff have made, with a consent where it is not said otherwise.
 */
export async function withPatient(story: Story, name: string, consent: 'permit' | 'none' = 'permit'): Promise<Story> {
  const { token, patientGuid } = await register(story, name);
  const accounts = { ...story.accounts, patient: token, patientGuid };
  await admitPatient(story.addresses, accounts);
  if (consent === 'permit') await giveConsent(story.addresses, accounts);
  return { ...story, accounts };
}

/** Staff make a record at dispatch with the number; returns its id. */
export async function recordWithNumber(
  { addresses, accounts }: Pick<Story, 'addresses' | 'accounts'>,
  personnummer: string,
): Promise<string> {
  const json = recordOf(accounts.organisationGuid, personnummer);
  return (await call(`${addresses.dispatch}/Patient`, { token: accounts.planner, json, expect: 201 })).body.id;
}

export function recordOf(organisation: string, personnummer: string): object {
  return {
    resourceType: 'Patient',
    identifier: [{ system: PERSONNUMMER, value: personnummer }],
    managingOrganization: { reference: `Organization/${organisation}` },
  };
}

interface Asking {
  readonly token: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Waits until the address is answered with the status, as what changes at identity does everywhere within two seconds.
 */
export async function untilStatus(status: number, url: string, { token, headers }: Asking): Promise<void> {
  await promptly(
    `${url} was answered with ${status}`,
    async () => {
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}`, ...headers } });
      await response.arrayBuffer();
      return response.status === status ? true : undefined;
    },
    EVERYWHERE_MS,
    PAUSE_MS,
  );
}

/** The guid of the user whose token it is. */
export async function userOf({ identity }: Addresses, token: string): Promise<string> {
  return (await call(`${identity}/api/auth/me`, { token })).body.user_guid;
}
