// Measures the cost of each act that the capacity plan counts, on systems of its own.
import { forms, providerOf } from '../dispatch/content.ts';
import { copyRequests, organisations, patientsWithConsents, storeResources } from '../dispatch/fill.ts';
import { makeDraft, measureFinalizing, publish } from '../dispatch/finalizing.ts';
import { type DispatchSite, startDispatchSite } from '../dispatch/site.ts';
import { readCases } from '../engine/cases/reads.ts';
import { writeCases } from '../engine/cases/writes.ts';
import { patientsOf } from '../engine/data.ts';
import { type EngineSite, startEngineSite } from '../engine/site.ts';
import { addUsers, emailOf, makeCatalogues, PASSWORD } from '../identity/people.ts';
import { startBenchSite } from '../identity/site.ts';
import { type LoadGenerator, requestText, type SentRequest } from '../load/load.ts';
import { progress } from '../report.ts';
import { type Cost, costOf } from './cost.ts';

export type Act = 'read' | 'search' | 'page' | 'create' | 'update' | 'bundle' | 'finalize' | 'push' | 'signIn';
export type Costs = Readonly<Record<Act, Cost>>;

const CONNECTIONS = 16;
/** Resources stored when a cost is taken. With a million the costs are at most a fifth higher. */
const STORED = 10_000;
const ENDPOINTS = 50;
const USERS = 1_000;
/** More than `measureFinalizing` uses up. */
const FINALIZED = 200;

export async function measureCosts(isQuick: boolean): Promise<Costs> {
  const milliseconds = isQuick ? 3_000 : 20_000;
  return {
    ...(await measureEngine(milliseconds)),
    ...(await measureDispatch(isQuick ? 200 : 1_000)),
    signIn: await measureSignIn(milliseconds),
  };
}

async function measureEngine(milliseconds: number): Promise<Omit<Costs, 'finalize' | 'push' | 'signIn'>> {
  const patients = patientsOf(STORED);
  const site = await startEngineSite(patients);
  try {
    const context = { patients, headers: site.headers };
    const cases = [...readCases(context), ...writeCases(context)];
    const measure = (name: string): Promise<Cost> => {
      progress(`cost of: ${name}`);
      const found = cases.find((each) => each.name === name);
      if (found === undefined) throw new Error(`There is no case "${name}"`);
      return costOfCase(site, found.ours, milliseconds);
    };
    return {
      read: await measure('read'),
      search: await measure('Observation by subject and code'),
      page: await measure('search by family, page of 20'),
      update: await measure('update a Patient with If-Match'),
      create: await measure('create a Patient'),
      bundle: await measure('transaction of 20 creates, resources'),
    };
  } finally {
    await site.stop();
  }
}

async function costOfCase(
  { database, load, port, servicePid }: EngineSite,
  requestsFrom: (from: number) => readonly SentRequest[],
  milliseconds: number,
): Promise<Cost> {
  let sent = 0;
  const send = async (time: number) => {
    const answers = await run(load, { port, milliseconds: time, requests: requestsFrom(sent) });
    sent += answers;
    return answers;
  };
  // The first requests are for the compiler.
  await send(milliseconds / 3);
  return await costOf({ database, servicePids: [servicePid] }, () => send(milliseconds));
}

interface Run {
  readonly port: number;
  readonly milliseconds: number;
  readonly requests: readonly SentRequest[];
}

/** How many requests were answered. @throws Error when one was refused */
async function run(load: LoadGenerator, { requests, ...job }: Run): Promise<number> {
  const texts = requests.map((request) => requestText(request));
  const { answers, statuses } = await load.run({ ...job, connections: CONNECTIONS, requests: texts });
  const wrong = Object.keys(statuses).filter((status) => status !== '200' && status !== '201');
  if (wrong.length > 0) throw new Error(`Some were answered ${JSON.stringify(statuses)}`);
  return answers;
}

/** A request from its draft to finalized, with three forms of fifty items; and a push until it has arrived. */
async function measureDispatch(count: number): Promise<Pick<Costs, 'finalize' | 'push'>> {
  progress('patients and consents');
  const site = await startDispatchSite();
  const measured = { database: site.database, servicePids: [site.servicePid, site.othersPid] };
  try {
    await storeResources(site.database, [...organisations(ENDPOINTS), ...patientsWithConsents(FINALIZED + 2 * count)]);
    await publish(site);
    const { original } = await measureFinalizing(site, true);
    progress('cost of: finalize');
    // The first acts are for the compiler.
    const warmUp = count / 2;
    await finalizeAll(site, FINALIZED, warmUp);
    const finalize = await costOf(measured, () => finalizeAll(site, FINALIZED + warmUp, count));
    progress('cost of: push');
    const requests = await copyRequests(site.database, original, { count: 1.5 * count, providers: ENDPOINTS });
    for (let index = 0; index < ENDPOINTS; index += 1) {
      const endpoint = { url: site.receivers.url, enabled: true };
      await site.dispatch('PUT', `providers/${providerOf(index)}/endpoint`, endpoint);
    }
    await pushAll(site, requests.splice(0, count / 2));
    return { finalize, push: await costOf(measured, () => pushAll(site, requests)) };
  } finally {
    await site.stop();
  }
}

/** Each for another plan: one that has a request in force cannot be written again. */
async function finalizeAll(site: DispatchSite, from: number, count: number): Promise<number> {
  for (let index = from; index < from + count; index += 1) {
    const id = await makeDraft(site, index, forms());
    await site.dispatch('POST', `ServiceRequest/${id}/finalize`, {});
  }
  return count;
}

async function pushAll({ dispatch }: DispatchSite, requests: readonly { readonly id: string }[]): Promise<number> {
  for (const { id } of requests) await dispatch('POST', `ServiceRequest/${id}/push`, {});
  return requests.length;
}

async function measureSignIn(milliseconds: number): Promise<Cost> {
  progress('cost of: sign-in');
  const { database, load, port, servicePid, stop } = await startBenchSite();
  try {
    await makeCatalogues(database);
    await addUsers(database, { from: 1, to: USERS, onProgress: () => undefined });
    const requests = Array.from({ length: USERS }, (_, index) => ({
      target: '/api/auth/login',
      text: JSON.stringify({ email: emailOf(index + 1), password: PASSWORD }),
    }));
    const send = (time: number) => run(load, { port, milliseconds: time, requests });
    await send(milliseconds / 3);
    return await costOf({ database, servicePids: [servicePid] }, () => send(milliseconds));
  } finally {
    await stop();
  }
}
