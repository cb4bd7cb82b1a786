// `kedja keys`: lists, rotates and revokes the keys that sign tokens (decision I1), straight in identity's database, whether identity
// runs or not. Operators' page: docs/operations/keys.md.
import { createAudit } from '#lib/audit/audit.ts';
import { systemClock } from '#lib/clock.ts';
import { migrations } from '#services/identity/migrations.ts';
import { createRevocations } from '#services/identity/revocations/service.ts';
import { createKeyMaterial } from '#services/identity/signing-keys/key-material.ts';
import { createKeyRotation, type KeyReport, type KeyRotation } from '#services/identity/signing-keys/rotation.ts';
import { operator } from './operator.ts';
import type { CommandSite } from './site.ts';
import { runOnSite } from './site-command.ts';

const USAGE = `usage: kedja keys list
       kedja keys rotate
       kedja keys rotate --revoke KEY_ID

rotate: a new key is published at once, signs two minutes later and replaces the old one, whose tokens stay valid.
--revoke: for a key that has leaked. It and every token that it signed stop counting; those users sign in again.`;

type Command = { readonly kind: 'list' } | { readonly kind: 'rotate' } | { readonly kind: 'revoke'; keyId: string };

/** Returns the exit code. */
export function runKeys(args: readonly string[]): Promise<number> {
  return runOnSite(args, { usage: USAGE, parse: parseCommand, run });
}

/** Read by hand: key ids are base64url and may begin with `-`. */
function parseCommand([name, option, keyId, ...rest]: readonly string[]): Command | undefined {
  if (option === undefined) return name === 'list' || name === 'rotate' ? { kind: name } : undefined;
  const isRevocation = name === 'rotate' && option === '--revoke' && keyId !== undefined && rest.length === 0;
  return isRevocation ? { kind: 'revoke', keyId } : undefined;
}

async function rotationOf(site: CommandSite): Promise<KeyRotation> {
  const database = await site.database('identity', migrations);
  const clock = systemClock;
  return createKeyRotation({
    database,
    clock,
    audit: createAudit({ database, clock, service: 'identity' }),
    revocations: createRevocations({ database, clock }),
    material: createKeyMaterial(await site.keys.existingKey('personnummer')),
    operator: operator(),
  });
}

async function run(site: CommandSite, command: Command): Promise<number> {
  const keys = await rotationOf(site);
  switch (command.kind) {
    case 'list':
      console.log(table(await keys.list()));
      return 0;
    case 'rotate': {
      const { keyId, signsFrom, isNew } = await keys.rotate();
      const from = signsFrom.toISOString();
      console.log(isNew ? `Key ${keyId} is published and signs from ${from} on.` : underWay(keyId, from));
      return 0;
    }
    case 'revoke': {
      const revoked = await keys.revoke(command.keyId);
      if (revoked === undefined) {
        console.error(`There is no key ${command.keyId}; see kedja keys list`);
        return 1;
      }
      const { tokens, users, signingKeyId } = revoked;
      console.log(
        `Key ${command.keyId} is revoked; ${tokens} tokens of ${users} users stop counting within 2 seconds.`,
      );
      console.log(`Key ${signingKeyId} signs now.`);
      return 0;
    }
    default:
      return command satisfies never;
  }
}

function underWay(keyId: string, from: string): string {
  return `A rotation is under way: key ${keyId} signs from ${from} on. Nothing was changed.`;
}

function table(keys: readonly KeyReport[]): string {
  const rows = keys.map((key) => [
    key.keyId,
    key.state,
    key.signsFrom.toISOString(),
    key.publishedUntil?.toISOString() ?? '-',
    String(key.tokens),
  ]);
  const lines = [['KEY', 'STATE', 'SIGNS FROM', 'PUBLISHED UNTIL', 'TOKENS'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}
