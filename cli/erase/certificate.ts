// The certificate of an erasure (docs/adr/0131): what was erased, on which ground, when and by whom, without a person's
// data but the ids of records. A keyed digest shows whether it was changed.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RowCounts } from '#lib/erasure/rows.ts';
import type { Receiver } from '#services/dispatch/erasure/erasure.ts';
import type { Service } from '../services.ts';
import type { Target } from './target.ts';

/** What one service erased. */
export interface ServiceResult {
  /** `Type/id` of each erased resource. */
  readonly erased: readonly string[];
  readonly types: Readonly<Record<string, { readonly resources: number; readonly versions: number }>>;
  /** Versions of resources that had been the person's and no longer were. */
  readonly old_versions: number;
  readonly rows: RowCounts;
  /** Stored responses of requests with an Idempotency-Key. */
  readonly responses: number;
  /** Keyed digest of all that was erased, version by version. */
  readonly digest: string;
  /** What stays, and names the ids: references of others by type, and access records of other systems. */
  readonly references: Readonly<Record<string, number>>;
  readonly audit_events: number;
  readonly shared_kept: readonly string[];
}

export interface Certificate {
  readonly kedja_erasure: 1;
  readonly erasure_guid: string;
  readonly ground: string;
  readonly decided_by: string;
  readonly operator: string;
  readonly begun_at: string;
  readonly completed_at: string;
  readonly target: Target;
  /** Keyed digests of the person's personnummer. */
  readonly numbers: readonly string[];
  readonly services: Readonly<Partial<Record<Service, ServiceResult & { readonly erased_at: string }>>>;
  /** Who had got the data: the operator notifies them. */
  readonly receivers: readonly Receiver[];
  readonly servers: readonly string[];
  readonly signature: string;
}

export type Unsigned = Omit<Certificate, 'signature'>;

/** Where a site keeps its certificates: a restored database is older than they are. */
export function certificateFolder(dataDir: string): string {
  return path.join(dataDir, 'erasures');
}

export function digestOfNumber(key: Buffer, number: string): string {
  return keyed(key, `number:${number}`);
}

export function keyed(key: Buffer, content: string | Buffer): string {
  return createHmac('sha256', key).update(content).digest('hex');
}

export function sign(key: Buffer, certificate: Unsigned): Certificate {
  return { ...certificate, signature: keyed(key, canonical(certificate)) };
}

/** Whether this site made it, and nobody changed it. */
export function isGenuine(key: Buffer, { signature, ...unsigned }: Certificate): boolean {
  const [given, wanted] = [Buffer.from(String(signature)), Buffer.from(keyed(key, canonical(unsigned)))];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** The same text whatever the order of members, as JSON columns have an order of their own. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${members
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`)
    .join(',')}}`;
}

/** Writes it whole or not at all, and returns the file. */
export async function saveCertificate(folder: string, certificate: Certificate): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const moment = certificate.completed_at.replaceAll(/[-:]|\.\d+/g, '');
  const file = path.join(folder, `${certificate.erasure_guid}.${moment}.json`);
  const temporary = `${file}.part`;
  await writeFile(temporary, `${JSON.stringify(certificate, undefined, 2)}\n`, { mode: 0o600 });
  await rename(temporary, file);
  return file;
}

/** @throws Error that says what is wrong with the file */
export async function readCertificate(file: string): Promise<Certificate> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Error(`${file} cannot be read: ${error.message}`);
  });
  try {
    const value = JSON.parse(text) as Certificate;
    if (value.kedja_erasure === 1 && typeof value.erasure_guid === 'string') return value;
  } catch {
    // Answered below.
  }
  throw new Error(`${file} is no certificate of kedja erase`);
}

/** The files of the folder, in the order of their names; none when there is no folder. */
export async function certificateFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => path.join(folder, name));
}

/** For people. */
export function certificateText(certificate: Certificate): string {
  const { services, receivers, servers } = certificate;
  const lines = [
    `ERASURE ${certificate.erasure_guid}`,
    `ground       ${certificate.ground}`,
    `decided by   ${certificate.decided_by}`,
    `carried out  ${certificate.operator}, ${certificate.begun_at} to ${certificate.completed_at}`,
  ];
  for (const [name, result] of Object.entries(services)) {
    lines.push('', `${name}, ${result.erased_at}`, ...resultLines(result), `  digest ${result.digest}`);
  }
  lines.push(
    '',
    receivers.length + servers.length === 0 ? 'Nobody had got the data.' : 'Had got the data, and are to be told:',
  );
  for (const each of receivers) {
    const by = each.url ?? 'without a webhook: by feed, inbox or link';
    lines.push(`  ${each.name} (${each.provider_guid}), ${each.requests} requests, ${each.delivered} delivered, ${by}`);
  }
  for (const server of servers) lines.push(`  server ${server}, by synchronisation`);
  lines.push('', `signature ${certificate.signature}`);
  return lines.join('\n');
}

export function resultLines(result: ServiceResult): string[] {
  const types = Object.entries(result.types).map(
    ([type, { resources, versions }]) => `  ${type}: ${resources} resources, ${versions} versions`,
  );
  const rows = Object.entries(result.rows).map(([table, count]) => `  rows of ${table}: ${count}`);
  const kept = Object.entries(result.references).map(([type, count]) => `  kept: ${count} ${type} refer to it`);
  if (result.responses > 0) rows.push(`  stored responses: ${result.responses}`);
  if (result.audit_events > 0) kept.push(`  kept: ${result.audit_events} AuditEvents of other systems`);
  if (result.shared_kept.length > 0) kept.push(`  kept: ${result.shared_kept.length} records of others, too`);
  return [...types, ...rows, ...kept];
}
