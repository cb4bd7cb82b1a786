// Reads the external servers of KEDJA_SERVERS_FILE, a JSON list. Every error is reported at start. The file may contain
// credentials, so no error repeats its content.
import { readFile } from 'node:fs/promises';
import { createValidatorCompiler, issuesOfValidation } from '#lib/http/validation.ts';
import type { ServerDefinition } from '../shared/upstream/server-definition.ts';
import { issuesOfInput, partsOf, toAuth, withoutSlash } from './definition.ts';
import { ServerInput } from './schema.ts';

export type ServerFile = { readonly servers: readonly ServerDefinition[] } | { readonly issues: readonly string[] };

/**
 * Returns the servers of the file; none without a file.
 * @throws Error naming every error, as the check of the configuration does at start
 */
export async function readServerFile(path: string | undefined): Promise<readonly ServerDefinition[]> {
  if (path === undefined) return [];
  const file = parseServerFile(await readFile(path, 'utf8'));
  if ('issues' in file) throw new Error(`KEDJA_SERVERS_FILE (${path}): ${file.issues.join('; ')}`);
  return file.servers;
}

/** Parses the list. Each error names its entry. */
export function parseServerFile(content: string): ServerFile {
  let list: unknown;
  try {
    list = JSON.parse(content);
  } catch {
    return { issues: ['must hold JSON'] };
  }
  if (!Array.isArray(list)) return { issues: ['must hold a JSON list'] };
  const issues: string[] = [];
  const servers = new Map<string, ServerDefinition>();
  for (const [index, entry] of list.entries()) {
    const read = readEntry(entry);
    if ('issues' in read) issues.push(...read.issues.map((issue) => `[${index}]: ${issue}`));
    else if (servers.has(read.server.name)) issues.push(`[${index}]: 'name' is that of an entry before`);
    else servers.set(read.server.name, read.server);
  }
  return issues.length > 0 ? { issues } : { servers: [...servers.values()] };
}

function readEntry(entry: unknown): { readonly server: ServerDefinition } | { readonly issues: readonly string[] } {
  if (!isInput(entry)) return { issues: schemaIssues(entry) };
  const issues = issuesOfInput(entry, false);
  if (issues.length > 0) return { issues: issues.map(({ message }) => message) };
  const { name, url, kind = 'fhir', timeout_ms: timeoutMs = 10_000 } = entry;
  const { open, secret } = partsOf(entry);
  return { server: { name, url: withoutSlash(url), kind, auth: toAuth(open, secret), timeoutMs, revision: 'file' } };
}

const validate = createValidatorCompiler()({ schema: ServerInput, httpPart: 'body', method: 'POST', url: '/servers' });

function isInput(entry: unknown): entry is ServerInput {
  return validate(entry) === true;
}

function schemaIssues(entry: unknown): string[] {
  validate(entry);
  const { errors } = validate as { errors?: Parameters<typeof issuesOfValidation>[0] | null };
  return issuesOfValidation(errors ?? [], 'body').map(({ message }) => message);
}
