// The shape of an attack: one request that may not delay the others. A row of a table names it, says who sends it, and
// creates it.

import { setTimeout as delay } from 'node:timers/promises';
import type { Accounts } from '#test/end-to-end/context.ts';
import { observationProfile } from '#test/support/fhir/observation-profile.ts';

/** Between two questions whether it is done. */
const PAUSE_MS = 200;
export const MEBIBYTE = 1024 * 1024;
/** Of the engine, behind the gateway. */
export const ENGINE = '/engine/api/v1';

/** `nobody` has no credentials; `holder` has a receipt token, which is in the address. */
export type Attacker = 'nobody' | 'holder' | 'patient' | 'planner' | 'stranger' | 'admin';

export interface AttackRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Behind the gateway's origin: `/engine/api/v1/…`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** What is there to be attacked. */
export interface Target {
  readonly accounts: Accounts;
  /** Of a task that its provider has accepted. */
  readonly receiptToken: string;
  /** A provider that works in the engine's inbox. */
  readonly hosted: string;
}

export interface Attack {
  readonly name: string;
  readonly who: Attacker;
  /** Statuses that answer it; any below 500 when left out. */
  readonly answers?: readonly number[];
  /** What takes long is the service's work; other attacks send bodies as large through the gateway. */
  readonly isOfService?: boolean;
  /** Sent so many times at once; once when left out. */
  readonly times?: number;
  request(target: Target): AttackRequest;
  /** Ends when what the request has set going is done, which counts too. */
  settle?(sent: Sent): Promise<void>;
}

interface AttackResponse {
  readonly status: number;
  readonly text: string;
}

/** What has been answered, and how to go on asking as the same caller. */
export interface Sent {
  readonly headers: Headers;
  ask(request: AttackRequest): Promise<AttackResponse>;
}

/** Asks until it is answered as wanted. */
export async function until(
  { ask }: Sent,
  request: AttackRequest,
  isDone: (answer: AttackResponse) => boolean,
): Promise<void> {
  for (;;) {
    if (isDone(await ask(request))) return;
    await delay(PAUSE_MS);
  }
}

/** A JSON request. */
export function json(path: string, body: string, method: 'POST' | 'PUT' = 'POST'): AttackRequest {
  return { method, path, headers: { 'content-type': 'application/json' }, body };
}

/** A FHIR request. */
export function fhir(path: string, body: string, method: 'POST' | 'PUT' | 'PATCH' = 'POST'): AttackRequest {
  return { method, path, headers: { 'content-type': 'application/fhir+json' }, body };
}

/** `count` times the item, with commas between them, in brackets. */
export function listOf(item: string, count: number): string {
  return `[${Array(count).fill(item).join(',')}]`;
}

/** As many of the item as `bytes` hold, with commas between them, in brackets. */
export function filled(item: string, bytes: number): string {
  return listOf(item, Math.floor(bytes / (item.length + 1)));
}

/**
 * A profile by which the text of an Observation's code is checked: its `element` joins what the differential says of
 * that text.
 */
export function codeTextProfile({ id, url, element }: { id: string; url: string; element: object }): string {
  const path = 'Observation.code.text';
  return JSON.stringify(
    observationProfile({ id, url, name: 'Freeze' }, [
      { id: 'Observation', path: 'Observation' },
      { id: path, path, ...element },
    ]),
  );
}
