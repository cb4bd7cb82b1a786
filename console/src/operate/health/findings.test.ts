// What needs an operator: nothing where all is well, and each thing by itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findingsOf, type Observed } from './findings.ts';
import type { ServiceState } from './state.ts';

const empty = { waiting: 0, dead: 0, oldest_s: 0 };
const service = (name: string, change: Partial<ServiceState> = {}): ServiceState => ({
  ...{ name, state: 'ready', ready_nodes: 1, nodes: 1, reasons: [] },
  ...change,
});
const checks = {
  database: { status: 'ok' as const, latency_ms: 1 },
  servers: { status: 'ok' as const, total: 0, down: 0, unknown: 0 },
  queue: { status: 'ok' as const, waiting: 0, oldest_s: 0 },
  disk: { status: 'ok' as const, free_bytes: 1, total_bytes: 2 },
};
const server = { url: 'http://x.org', kind: 'fhir' as const, circuit: 'closed' as const };
const past = { last_success_at: null, last_failure_at: null, last_failure: null, latency_ms: null };

const WELL: Observed = {
  services: [service('identity'), service('dispatch'), service('engine')],
  identity: { mails: { ...empty, waiting: 2, oldest_s: 5 } },
  dispatch: { deliveries: { ...empty, waiting: 90, oldest_s: 12 }, results: empty, mails: empty },
  health: { checks },
  engine: {
    jobs: [{ kind: 'export', state: 'done', count: 4 }],
    servers: [{ ...server, ...past, name: 'region', status: 'unknown' }],
  },
};

test('where all is well there is nothing to say, and nothing is said of what could not be read', () => {
  assert.deepEqual(findingsOf(WELL), []);
  assert.deepEqual(findingsOf({}), []);
});

test('each thing that is stuck is said, with how much and since when', () => {
  assert.deepEqual(
    findingsOf({
      services: [
        service('identity', { state: 'unreachable', ready_nodes: 0 }),
        service('dispatch', { state: 'not_ready', ready_nodes: 0 }),
        service('engine', { nodes: 3 }),
      ],
      identity: { mails: { waiting: 1, dead: 2, oldest_s: 600 } },
      dispatch: {
        deliveries: { waiting: 7, dead: 3, oldest_s: 301 },
        results: { waiting: 1, dead: 1, oldest_s: 4000 },
        mails: { waiting: 1, dead: 1, oldest_s: 900 },
      },
      health: {
        checks: {
          ...checks,
          queue: { status: 'degraded', waiting: 2, oldest_s: 400 },
          disk: { status: 'degraded', free_bytes: 1, total_bytes: 100 },
        },
      },
      engine: {
        jobs: [
          { kind: 'import', state: 'failed', count: 1 },
          { kind: 'synchronize', state: 'failed', count: 2 },
        ],
        servers: [{ ...server, ...past, name: 'region', status: 'down' }],
      },
    }),
    [
      { kind: 'unreachable', name: 'identity' },
      { kind: 'notReady', name: 'dispatch' },
      { kind: 'someNodes', name: 'engine', count: 2 },
      { kind: 'lateDeliveries', count: 7, seconds: 301 },
      { kind: 'deadDeliveries', count: 3, to: '/admin/letters' },
      { kind: 'lateResults', count: 1, seconds: 4000 },
      { kind: 'refusedResults', count: 1 },
      { kind: 'lateMails', count: 1, seconds: 600 },
      { kind: 'deadMails', count: 3 },
      { kind: 'lateCalls', count: 2, seconds: 400 },
      { kind: 'disk' },
      { kind: 'server', name: 'region', to: '/operate/servers' },
      { kind: 'failedJobs', name: 'import', count: 1, to: '/operate/bulk' },
      { kind: 'failedJobs', name: 'synchronize', count: 2, to: '/operate/servers' },
    ],
  );
});
