// A transaction: all entries or none, in the order of FHIR's rules whatever the order given (hl7.org/fhir/R5/http.html#trules): deletions,
// creates, updates and patches, then reads, which see what was written. New resources go in few statements.
import type { Transaction } from '#lib/db/database.ts';
import type { StoredVersion } from '#lib/fhir-store/stored-version.ts';
import { requireRight } from '../admission.ts';
import type { RouteContext } from '../context.ts';
import { type FhirAnswer, type FhirCall, oneTransaction } from '../interactions/call.ts';
import { recordChange, recordLook } from '../interactions/looks.ts';
import { writeAnswer } from '../interactions/writing.ts';
import { answeredEntry, responseBundle } from './answer.ts';
import { createAnswerRoom, noRoom } from './answer-room.ts';
import type { BundleRequest } from './entry.ts';
import { atEntry } from './failure.ts';
import { perform } from './perform.ts';
import { byAddress, reserveTargets } from './reservation.ts';
import { type Plan, planWrites, requireDistinctTargets, requireWrittenOnce } from './transaction-plan.ts';

/** The text of the answer. @throws ServiceError the first entry's that fails, with the entry's place: nothing is then written */
export async function runTransaction(
  call: FhirCall,
  requests: readonly BundleRequest[],
  context: RouteContext,
): Promise<string> {
  for (const request of requests) await at(request, async () => requireRight(call.principal, request, context));
  requireDistinctTargets(requests);
  const answers = await context.options.database.transaction((tx) => runInside(tx, call, requests, context));
  return responseBundle(
    'transaction-response',
    requests.map(({ index, method }) => answeredEntry(answers.get(index) ?? { status: 204 }, method)),
  );
}

type Answers = Map<number, FhirAnswer>;

async function runInside(
  tx: Transaction,
  call: FhirCall,
  requests: readonly BundleRequest[],
  context: RouteContext,
): Promise<Answers> {
  const inside: FhirCall = { ...call, workplace: oneTransaction(tx) };
  const answers: Answers = new Map();
  const room = createAnswerRoom();
  const performAll = async (which: readonly BundleRequest[]): Promise<void> => {
    for (const request of which) {
      const answer = await at(request, () => perform(inside, request, context));
      if (!room.take(answer)) throw atEntry(noRoom(), request);
      answers.set(request.index, answer);
    }
  };
  await reserveTargets(tx, inside, requests, context);
  await performAll(requests.filter(({ interaction }) => interaction === 'delete'));
  const writeAll = async (plan: Plan): Promise<void> => {
    await createAll(tx, inside, { plan, answers }, context);
    await answerFound(inside, { plan, answers }, context);
    await performAll(plan.updates.toSorted(byAddress));
  };
  const plan = await planWrites(tx, inside, requests, context);
  await writeAll(plan);
  await performAll(plan.patches);
  const late = await plan.planLate?.();
  if (late !== undefined) await writeAll(late);
  requireWrittenOnce(requests, writtenBy(answers, late === undefined ? [plan] : [plan, late]));
  await performAll(requests.filter(({ method }) => method === 'GET' || method === 'HEAD'));
  return answers;
}

/** The versions made, by the entries that made them. */
function writtenBy(answers: Answers, plans: readonly Plan[]): Map<number, StoredVersion> {
  const looks = new Set(
    plans.flatMap(({ found, repeated }) => [...found, ...repeated].map(({ request }) => request.index)),
  );
  return new Map(
    [...answers].flatMap(([index, { version }]) =>
      version === undefined || looks.has(index) ? [] : [[index, version]],
    ),
  );
}

interface Progress {
  readonly plan: Plan;
  readonly answers: Answers;
}

async function createAll(
  tx: Transaction,
  call: FhirCall,
  { plan, answers }: Progress,
  context: RouteContext,
): Promise<void> {
  const { store } = context.options;
  const created = await store.createMany(tx, plan.creates);
  const byAddress = new Map(created.map((version) => [`${version.resourceType}/${version.id}`, version]));
  for (const { request, source, id } of plan.creates) {
    const version = byAddress.get(`${source.resourceType}/${id}`);
    if (version === undefined) throw new Error(`${source.resourceType}/${id} was not created`);
    answers.set(request.index, writeAnswer(call, { version, isNew: true }, context));
  }
  const byType = Map.groupBy(created, ({ resourceType }) => resourceType);
  for (const [resourceType, versions] of byType) {
    await recordChange(tx, call, { action: 'C', interaction: 'create', resourceType, versions }, context);
  }
  for (const { request, as } of plan.repeated) {
    const version = answers.get(as)?.version;
    if (version !== undefined) answers.set(request.index, writeAnswer(call, { version, isNew: false }, context));
  }
}

/** Conditional creates of what was there already. */
async function answerFound(call: FhirCall, { plan, answers }: Progress, context: RouteContext): Promise<void> {
  for (const { request, version } of plan.found) {
    await recordLook(call, look(version), context);
    answers.set(request.index, writeAnswer(call, { version, isNew: false }, context));
  }
}

function look(version: StoredVersion) {
  return { action: 'R', interaction: 'read', resourceType: version.resourceType, versions: [version] } as const;
}

async function at<T>(request: BundleRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw atEntry(error, request);
  }
}
