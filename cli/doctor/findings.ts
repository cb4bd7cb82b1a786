// What `kedja doctor` finds: a level, a stable code, one sentence, and what to do. Secrets of the configuration are
// removed from every text.
import { Secret } from '#lib/config/secret.ts';
import { printable } from '../printable.ts';

export type Level = 'ok' | 'warning' | 'error';

export interface Finding {
  readonly level: Level;
  /** The area and what was found in it, for programs: `database.unreachable`. */
  readonly code: string;
  /** One sentence without its full stop. */
  readonly message: string;
  /** What to do, in the same form; none where all is well. */
  readonly advice?: string;
}

export function fine(code: string, message: string): Finding {
  return { level: 'ok', code, message };
}

export function warn(code: string, message: string, advice: string): Finding {
  return { level: 'warning', code, message, advice };
}

export function fail(code: string, message: string, advice: string): Finding {
  return { level: 'error', code, message, advice };
}

export function areaOf({ code }: Finding): string {
  return code.slice(0, code.indexOf('.'));
}

/** One line for a terminal. */
export function lineOf(finding: Finding): string {
  const { level, message, advice } = finding;
  // Some messages are whole sentences already.
  const text = advice === undefined ? message : `${message.replace(/\.$/, '')}. ${advice}.`;
  return printable(`${level.padEnd(8)}${areaOf(finding).padEnd(14)}${text.replaceAll(/\s+/g, ' ')}`);
}

/** A shorter text is too likely to be part of a word. */
const LEAST_SECRET = 8;

/** Replaces the secrets of a configuration, and passwords within addresses, in any text. */
export function createRedactor(values: unknown): (text: string) => string {
  const secrets = [...new Set(secretsIn(values))]
    .filter(({ length }) => length >= LEAST_SECRET)
    // A secret may be a part of another one.
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((safe, secret) => safe.replaceAll(secret, String(new Secret(secret))), text);
}

function secretsIn(value: unknown): string[] {
  if (value instanceof Secret) return [value.reveal(), ...passwordsIn(value.reveal())];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(secretsIn);
}

function passwordsIn(text: string): string[] {
  const encoded = URL.parse(text)?.password ?? '';
  if (encoded === '') return [];
  try {
    return [encoded, decodeURIComponent(encoded)];
  } catch {
    return [encoded];
  }
}
