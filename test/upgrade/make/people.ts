// Whose data a state has, and what they read at the end.
import { ADMIN } from '#test/support/system/whole-system.ts';
import { patientNamed } from '../../../demo/content/patients.ts';
import { DEMO_PASSWORD, emailOf, PROFESSIONALS } from '../../../demo/content/people.ts';
import type { Account, Read } from '../state.ts';

export type Accounts = Readonly<Record<'admin' | 'planner' | 'nurse' | 'patient' | 'proxy' | 'north', Account>>;

export const ACCOUNTS: Accounts = {
  admin: ADMIN,
  planner: { email: emailOf(PROFESSIONALS.erik), password: DEMO_PASSWORD },
  nurse: { email: emailOf(PROFESSIONALS.sofia), password: DEMO_PASSWORD },
  patient: { email: emailOf(patientNamed('Margareta Nordin')), password: DEMO_PASSWORD },
  proxy: { email: emailOf(patientNamed('Bengt Lövgren')), password: DEMO_PASSWORD },
  north: { ...ADMIN, tenant: 'north' },
};

/** An address to read, and what of its answer is to stay. */
export interface Wanted extends Pick<Read, 'as' | 'at'> {
  // biome-ignore lint/suspicious/noExplicitAny: what comes over the wire is recorded
  readonly keep: (body: any) => unknown;
}
