// `kedja keys`: lists, rotates and revokes the keys that sign tokens (decision I1), and lists and rotates sealing keys
// and seals values again (docs/adr/0048). It works on the databases, whether Kedja runs or not. Operators' page:
// docs/operations/keys.md.
import { parseArgs } from 'node:util';
import { createAudit } from '#lib/audit/audit.ts';
import { systemClock } from '#lib/clock.ts';
import { migrations } from '#services/identity/migrations.ts';
import { createRevocations } from '#services/identity/revocations/service.ts';
import { createKeyMaterial } from '#services/identity/signing-keys/key-material.ts';
import { createKeyRotation, type KeyReport, type KeyRotation } from '#services/identity/signing-keys/rotation.ts';
import { operator } from '../operator.ts';
import { printable } from '../printable.ts';
import type { CommandSite } from '../site.ts';
import { runOnSite } from '../site-command.ts';
import { tableOf } from '../table.ts';
import { INDEX_KEY_NAME, listIndexKey, reindex, rotateIndex } from './index-keys.ts';
import { listSealingKeys, resealKeys, rotateKeys, SEALING_KEY_NAMES } from './sealing-keys.ts';

const USAGE = `usage: kedja keys list
       kedja keys rotate
       kedja keys rotate --revoke KEY_ID
       kedja keys rotate NAME... [--after MINUTES]
       kedja keys reseal [NAME...]
       kedja keys rotate personnummer-index [--after MINUTES]
       kedja keys reindex

list: the keys that sign tokens, and every generation of the keys that seal what is in the databases.
rotate: a new key for tokens is published at once, signs two minutes later and replaces the old one, whose tokens stay valid.
--revoke: for a key that has leaked. It and every token that it signed stop counting; those users sign in again.
rotate NAME: a new generation of a sealing key: ${SEALING_KEY_NAMES.join(', ')}. It opens at once and seals two minutes later.
--after: seals so many minutes later, where nodes have copies of the key folder that are to be brought up to date first.
reseal: seals under the newest generation what older ones have sealed, and moves those that nothing needs any more to keys/retired.
rotate personnummer-index: a new generation of the key of the index that finds a personnummer.
reindex: rebuilds that index under the newest generation, while nodes run.
Ctrl-C ends it; the same command goes on from there. Exit code 0: done; 1: nothing could be done, or some values could not be opened;
130: stopped by Ctrl-C.`;

type Command =
  | { readonly kind: 'list' }
  | { readonly kind: 'rotate' }
  | { readonly kind: 'revoke'; keyId: string }
  | { readonly kind: 'rotate-sealing'; names: readonly string[]; waitMs: number }
  | { readonly kind: 'reseal'; names: readonly string[] }
  | { readonly kind: 'rotate-index'; waitMs: number }
  | { readonly kind: 'reindex' };

/** Returns the exit code. */
export function runKeys(args: readonly string[]): Promise<number> {
  return runOnSite(args, { usage: USAGE, parse: parseCommand, run });
}

/** Parsed by hand, as key ids are base64url and may begin with `-`. */
function parseCommand([name, ...rest]: readonly string[]): Command | undefined {
  if (name === 'list' && rest.length === 0) return { kind: name };
  if (name === 'reseal') return { kind: name, names: requireNames(rest) };
  if (name === 'reindex') return rest.length === 0 ? { kind: name } : undefined;
  if (name !== 'rotate') return undefined;
  if (rest.length === 0) return { kind: name };
  const [option, keyId] = rest;
  if (option === '--revoke') return keyId !== undefined && rest.length === 2 ? { kind: 'revoke', keyId } : undefined;
  return parseSealingRotation(rest);
}

/** @throws Error with a message for an operator */
function parseSealingRotation(args: readonly string[]): Command | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { after: { type: 'string' } },
    allowPositionals: true,
  });
  if (positionals.length === 0) return undefined;
  const { after = '2' } = values;
  if (!/^\d{1,5}$/.test(after)) throw new Error('--after takes a number of minutes');
  const waitMs = Number(after) * 60_000;
  if (positionals.length === 1 && positionals[0] === INDEX_KEY_NAME) return { kind: 'rotate-index', waitMs };
  return { kind: 'rotate-sealing', names: requireNames(positionals), waitMs };
}

/** @throws Error that names what is no sealing key */
function requireNames(names: readonly string[]): readonly string[] {
  const unknown = names.filter((name) => !SEALING_KEY_NAMES.includes(name));
  if (unknown.length === 0) return names;
  throw new Error(`"${printable(unknown.join(' '))}": the sealing keys are ${SEALING_KEY_NAMES.join(', ')}.`);
}

async function rotationOf(site: CommandSite): Promise<KeyRotation> {
  const database = await site.database('identity', migrations);
  const clock = systemClock;
  return createKeyRotation({
    database,
    clock,
    audit: createAudit({ database, clock, service: 'identity' }),
    revocations: createRevocations({ database, clock }),
    material: createKeyMaterial(await site.keys.existingKeySet('personnummer')),
    operator: operator(),
  });
}

async function run(site: CommandSite, command: Command, signal: AbortSignal): Promise<number> {
  switch (command.kind) {
    case 'list':
      return list(site);
    case 'rotate': {
      const { keyId, signsFrom, isNew } = await (await rotationOf(site)).rotate();
      const from = signsFrom.toISOString();
      console.log(isNew ? `Key ${keyId} is published and signs from ${from} on.` : rotationPending(keyId, from));
      return 0;
    }
    case 'revoke':
      return revoke(await rotationOf(site), command.keyId);
    case 'rotate-sealing':
      return rotateKeys(site, command.names, command.waitMs);
    case 'reseal':
      return resealKeys(site, command.names, signal);
    case 'rotate-index':
      return rotateIndex(site, command.waitMs);
    case 'reindex':
      return reindex(site, signal);
    default:
      return command satisfies never;
  }
}

async function list(site: CommandSite): Promise<number> {
  if (site.config.shared.services.includes('identity')) {
    const keys = await (await rotationOf(site)).list();
    console.log(tableOf([['KEY', 'STATE', 'SIGNS FROM', 'PUBLISHED UNTIL', 'TOKENS'], ...keys.map(cellsOf)]));
  }
  const { lines: sealing, isWhole } = await listSealingKeys(site);
  const lines = [...sealing, ...(await listIndexKey(site))];
  console.log(`\n${tableOf([['NAME', 'GENERATION', 'STATE', 'CREATED', 'SEALS FROM', 'VALUES'], ...lines])}`);
  return isWhole ? 0 : 1;
}

async function revoke(keys: KeyRotation, keyId: string): Promise<number> {
  const revoked = await keys.revoke(keyId);
  if (revoked === undefined) {
    console.error(`There is no key ${keyId}; see kedja keys list`);
    return 1;
  }
  const { tokens, users, signingKeyId } = revoked;
  console.log(`Key ${keyId} is revoked; ${tokens} tokens of ${users} users stop counting within 2 seconds.`);
  console.log(`Key ${signingKeyId} signs now.`);
  return 0;
}

function rotationPending(keyId: string, from: string): string {
  return `A rotation is under way: key ${keyId} signs from ${from} on. Nothing was changed.`;
}

function cellsOf(key: KeyReport): string[] {
  const { keyId, state, signsFrom, publishedUntil, tokens } = key;
  return [keyId, state, signsFrom.toISOString(), publishedUntil?.toISOString() ?? '-', String(tokens)];
}
