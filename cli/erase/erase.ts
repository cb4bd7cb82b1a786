// `kedja erase`: erases a patient's data, or single resources, where a decision says so (docs/adr/0131). Operators'
// page: docs/operations/erasure.md.
import { createInterface } from 'node:readline/promises';
import { systemClock } from '#lib/clock.ts';
import { type Erasure, listErasures } from '#lib/erasure/store.ts';
import { newGuid } from '#lib/guid.ts';
import { findPerson } from '#services/identity/erasure/person.ts';
import { createProgress } from '../progress.ts';
import type { CommandSite } from '../site.ts';
import { runOnSite } from '../site-command.ts';
import { tableOf } from '../table.ts';
import { begin, complete, type Stored, unfinished } from './apply.ts';
import { type Certificate, certificateFolder, certificateText } from './certificate.ts';
import { type Command, type EraseCommand, parseCommand, USAGE } from './command.ts';
import { missingErasures } from './missing.ts';
import { findTarget, makePlan, type Plan, type PlanOptions } from './plan.ts';
import { describePlan, planJson, resourceCount } from './report.ts';
import { type ErasureSite, openErasureSite, serviceOf } from './services.ts';
import { personIds } from './target.ts';
import { verify } from './verify.ts';

const STOPPED = 130;

/** Returns the exit code. */
export function runErase(args: readonly string[]): Promise<number> {
  return runOnSite(args, { usage: USAGE, parse: parseCommand, run });
}

async function run(site: CommandSite, command: Command, signal: AbortSignal): Promise<number> {
  const folder = certificateFolder(site.config.shared.dataDir);
  const opened = await openErasureSite(site, folder);
  const progress = createProgress(process.stderr);
  const options: PlanOptions = { signal, onRows: (rows) => progress.show(rows) };
  try {
    return await runCommand(opened, command, options);
  } catch (error) {
    if (!signal.aborted) throw error;
    console.error('Stopped. What was begun is completed by: kedja erase --resume');
    return STOPPED;
  } finally {
    progress.clear();
  }
}

function runCommand(site: ErasureSite, command: Command, options: PlanOptions): Promise<number> {
  switch (command.kind) {
    case 'erase':
      return erase(site, command, options);
    case 'resume':
      return resume(site, options);
    case 'again':
      return again(site, command, options);
    case 'verify':
      return verify(site, command.file, options);
    case 'list':
      return list(site);
    default:
      return command satisfies never;
  }
}

async function erase(site: ErasureSite, command: EraseCommand, options: PlanOptions): Promise<number> {
  const { named, shared, isJson, apply } = command;
  // It was confirmed, and its person may be found no longer by what is given now.
  if (apply !== undefined) await completeAll(site, await unfinished(site), options);
  const of = await findTarget(site, named, shared ?? 'keep');
  const plan = await makePlan(site, of, options);
  console.log(isJson ? JSON.stringify(planJson(plan), undefined, 2) : describePlan(plan));
  if (apply === undefined) {
    if (!isJson) console.log('\nNothing was changed: --apply, with --ground and --decided-by, erases it.');
    return 0;
  }
  requireDecided(plan, command);
  if (!apply.isConfirmed) await confirm(`erase ${resourceCount(plan)}`);
  const order = {
    erasureGuid: newGuid(),
    ground: apply.ground,
    decidedBy: apply.decidedBy,
    begunAt: new Date(systemClock.now()),
  };
  await begin(site, order, plan);
  const begun = (await unfinished(site)).filter(({ erasureGuid }) => erasureGuid === order.erasureGuid);
  await completeAll(site, begun, options);
  return 0;
}

/** @throws Error that says what the operator has to decide */
function requireDecided(plan: Plan, { shared, apply }: EraseCommand): void {
  const issues: string[] = [];
  const hasShared = plan.services.some(({ findings }) => (findings?.shared.length ?? 0) > 0);
  if (hasShared && shared === undefined)
    issues.push('Some records are of another person, too: say --shared keep or --shared erase.');
  if (plan.openRequests.length > 0 && apply?.mayOpenRequests !== true)
    issues.push(
      'A provider has an open request: revoke it first, or say --open-requests. Its provider is not told then.',
    );
  if (issues.length > 0) throw new Error(issues.join('\n'));
}

/** @throws Error when the operator does not type the words, or there is no terminal */
async function confirm(words: string): Promise<void> {
  if (process.stdin.isTTY !== true) throw new Error('There is no terminal to confirm on: say --yes');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const typed = await terminal.question(`\nIt cannot be undone. Type "${words}" to go on: `);
    if (typed.trim() !== words) throw new Error('Not confirmed: nothing was erased');
  } finally {
    terminal.close();
  }
}

async function completeAll(site: ErasureSite, erasures: readonly Erasure[], options: PlanOptions): Promise<void> {
  for (const each of erasures) {
    const numbers = await numbersOf(site, (each.target as Stored).target);
    const onStep = (text: string) => console.error(text);
    const { certificate, file } = await complete(site, each, { ...options, numbers, onStep });
    console.log(`\n${certificateText(certificate)}`);
    console.error(`\nCertificate: ${file}. Keep it with the backups: an older one does not have this erasure.`);
  }
}

/** The person's personnummer, as long as identity knows them: only digests of them are stored. */
async function numbersOf(site: ErasureSite, target: Stored['target']): Promise<readonly string[]> {
  const identity = serviceOf(site, 'identity');
  if (identity === undefined) return [];
  const found = new Set<string>();
  for (const id of personIds(target)) {
    const { numbers } = await findPerson(identity.database, identity.sealingKeys, { id });
    for (const number of numbers) found.add(number);
  }
  return [...found];
}

async function resume(site: ErasureSite, options: PlanOptions): Promise<number> {
  const open = await unfinished(site);
  if (open.length === 0) console.error('No erasure was interrupted.');
  await completeAll(site, open, options);
  return 0;
}

/** Applies erasures that the database, restored from an older backup, does not have. */
async function again(
  site: ErasureSite,
  { files, isApply }: Extract<Command, { kind: 'again' }>,
  options: PlanOptions,
): Promise<number> {
  const missing = await missingErasures(site, files);
  if (missing.length === 0) console.error('The database has all erasures of the certificates.');
  for (const certificate of missing) {
    console.log(`${certificate.erasure_guid}  ${certificate.completed_at}  ${certificate.ground}`);
    if (isApply) await applyAgain(site, certificate, options);
  }
  if (missing.length > 0 && !isApply) console.log(`${missing.length} to be applied again: --again --apply`);
  return 0;
}

async function applyAgain(site: ErasureSite, certificate: Certificate, options: PlanOptions): Promise<void> {
  const { target, numbers, receivers, servers } = certificate;
  // The certificate names all that was erased: also what no longer shows whose it is.
  const { dispatch, engine } = certificate.services;
  const erased = { dispatch: dispatch?.erased ?? [], engine: engine?.erased ?? [] };
  const stored: Stored = { target, numbers, receivers, servers, erased };
  await completeAll(
    site,
    [
      {
        erasureGuid: certificate.erasure_guid,
        target: stored,
        ground: certificate.ground,
        decidedBy: certificate.decided_by,
        operator: certificate.operator,
        begunAt: new Date(certificate.begun_at),
        erasedAt: null,
        result: null,
        certificate: null,
      },
    ],
    options,
  );
}

async function list(site: ErasureSite): Promise<number> {
  const found = new Map<string, string[]>();
  for (const { service, database } of site.services) {
    for (const each of await listErasures(database)) {
      const { erasureGuid, begunAt, ground, decidedBy, certificate } = each;
      const state =
        certificate === null ? `begun, ${each.erasedAt === null ? 'not ' : ''}erased at ${service}` : 'done';
      found.set(erasureGuid, [erasureGuid, begunAt.toISOString(), decidedBy, ground, state]);
    }
  }
  if (found.size === 0) console.log('There are none.');
  else console.log(tableOf([['ERASURE', 'BEGUN', 'DECIDED BY', 'GROUND', ''], ...found.values()]));
  return 0;
}
