// What the console's browser tests look at. It is the whole system with a patient whose plan runs, whose request a
// caregiver has accepted and reported on. The patient also has a form to answer.

import { call } from '#test/end-to-end/call.ts';
import type { Accounts, Addresses, Library } from '#test/end-to-end/context.ts';
import { giveForm } from '#test/end-to-end/patients/own-reports.ts';
import { giveConsent, match, push, requestWithStatus, taskOf, writeRequest } from '#test/end-to-end/request.ts';
import { startSystem } from '#test/end-to-end/system.ts';
import { prepareScenario } from '#test/end-to-end/workflow.ts';
import { type Hooks, lastFirst } from '#test/support/hooks.ts';
import { createSystemDatabase } from '#test/support/system/system-database.ts';

export interface ConsoleScene {
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly library: Library;
  /** The request that is completed, with its CarePlan. */
  readonly request: { readonly id: string; readonly carePlan: string };
  /** Ends the system at once; what it returns starts it again at the same addresses. */
  stop(): Promise<() => Promise<void>>;
}

/** Many ask for access from one address, and users are imported. */
const ENVIRONMENT = {
  KEDJA_RATE_LIMIT_ACCESS_REQUEST: '1000',
  KEDJA_IMPORT_PASSWORD: 'fyra-blanka-stenar-2',
};

/** @param environment what else of the system's environment a test needs */
export async function startScene(
  hooks: Hooks,
  environment: Readonly<Record<string, string>> = {},
): Promise<ConsoleScene> {
  const ordered = lastFirst(hooks);
  const { url } = await createSystemDatabase(ordered);
  const system = await startSystem(ordered, {
    databaseUrl: url,
    isApart: false,
    environment: { ...ENVIRONMENT, ...environment },
  });
  const { addresses } = system;
  const { accounts, library } = await prepareScenario(addresses);
  await giveConsent(addresses, accounts);
  const request = await writeRequest(addresses, accounts, library);
  const matches = await match(addresses, accounts, request.id);
  const { pushed } = await push(addresses, accounts, request.id, 202);
  const own = pushed.find((each: { match_guid: string }) => each.match_guid === matches.get(library.hosted));
  const task = await taskOf(addresses, accounts, own.request_guid, 'received');
  await call(`${addresses.engine}/provider-tasks/${task.receipt_token}/accept`, { method: 'POST' });
  const weighed = (day: string, value: number) => ({
    resourceType: 'Observation',
    status: 'final',
    code: { coding: [library.concept], text: 'Kroppsvikt' },
    subject: { reference: `Patient/${accounts.patientGuid}` },
    effectiveDateTime: `${day}T07:30:00+01:00`,
    valueQuantity: { value, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
    referenceRange: [{ low: { value: 60 }, high: { value: 75 }, text: 'Normal' }],
  });
  const observations = [weighed('2026-11-18', 74), weighed('2026-11-20', 78.5)];
  const report = { status: 'final', observations, note: 'Planen följd' };
  await call(`${addresses.engine}/provider-tasks/${task.receipt_token}/report`, { json: report });
  await requestWithStatus(addresses, accounts, request.id, 'completed');
  await giveForm({ addresses, accounts, library });
  return {
    addresses,
    accounts,
    library,
    request,
    // One process has all of it.
    async stop() {
      await system.processOf('identity').end('SIGKILL');
      return () => system.restart('identity');
    },
  };
}
