// An upgrade as operators do it (docs/operations/processes.md): two nodes of each service behind the gateway, each
// replaced in turn while clients read and write. No request is lost. KEDJA_ROLLING_REQUESTS sends more.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Hooks, lastFirst } from '#test/support/hooks.ts';
import { call } from '#test/support/http.ts';
import { freePorts } from '#test/support/system/free-ports.ts';
import { type KedjaProcess, startKedja, untilReady } from '#test/support/system/processes.ts';
import { createSystemDatabase } from '#test/support/system/system-database.ts';

const ADMIN = { email: 'admin@example.org', password: 'skogens-grona-stigar-3' };
const SERVICES = ['identity', 'engine', 'dispatch'] as const;
/** At least so many; clients go on until every node is replaced. */
const REQUESTS = Number(process.env['KEDJA_ROLLING_REQUESTS'] ?? 500);
const CLIENTS = 24;
/** Of a client between two requests: what is asked meanwhile only keeps the nodes from starting. */
const PAUSE_MS = 50;

interface Node {
  readonly service: (typeof SERVICES)[number];
  readonly port: number;
  process: KedjaProcess;
}

async function startSystem(hooks: Hooks) {
  const { url } = await createSystemDatabase(hooks);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kedja-rolling-'));
  const ports = await freePorts(SERVICES.length * 2 + 1);
  const [gatewayPort = 0, ...nodePorts] = ports;
  const gateway = origin(gatewayPort);
  const addressesOf = (index: number) => nodePorts.slice(index * 2, index * 2 + 2);
  const environment = {
    KEDJA_PUBLIC_URL: gateway,
    KEDJA_CONSOLE_PORT: String(gatewayPort),
    KEDJA_DATABASE_URL: url,
    KEDJA_DATA_DIR: dataDir,
    KEDJA_ADMIN_EMAIL: ADMIN.email,
    KEDJA_ADMIN_PASSWORD: ADMIN.password,
    KEDJA_SERVICE_CLIENTS: SERVICES.map((name) => `${name}:between-us-${name}-only`).join(','),
    ...Object.fromEntries(
      SERVICES.map((name, index) => [`KEDJA_${name.toUpperCase()}_URL`, addressesOf(index).map(origin).join(',')]),
    ),
  };
  const all: KedjaProcess[] = [];
  const start = (changes: Record<string, string>): KedjaProcess => {
    const started = startKedja(['start'], { ...environment, ...changes });
    all.push(started);
    return started;
  };
  const startNode = (service: Node['service'], port: number) =>
    start({ KEDJA_SERVICES: service, [`KEDJA_${service.toUpperCase()}_PORT`]: String(port) });
  hooks.after(async () => {
    await Promise.all(all.map((each) => each.end('SIGKILL')));
    await rm(dataDir, { recursive: true, force: true });
  });
  // One service after the other: seven processes that start at once may take minutes on a busy machine.
  const nodes: Node[] = [];
  for (const [index, service] of SERVICES.entries()) {
    const pair = addressesOf(index).map((port): Node => ({ service, port, process: startNode(service, port) }));
    await Promise.all(pair.map((node) => untilReady(node.process, [origin(node.port)])));
    nodes.push(...pair);
  }
  const front = start({ KEDJA_SERVICES: 'console' });
  await untilReady(front, [gateway]);
  return {
    gateway,
    nodes,
    replace: async (node: Node) => {
      assert.equal(await node.process.end('SIGTERM'), 0, node.process.output());
      node.process = startNode(node.service, node.port);
      await untilReady(node.process, [origin(node.port)]);
    },
  };
}

function origin(port: number): string {
  return `http://127.0.0.1:${port}`;
}

test(`while every node is replaced in turn, none of ${REQUESTS} requests or more is lost`, async (t) => {
  const hooks = lastFirst(t);
  const { gateway, nodes, replace } = await startSystem(hooks);
  const { token } = (await call(`${gateway}/identity/api/auth/login`, { json: ADMIN })).body;
  const patient = (name: string) => ({ resourceType: 'Patient', name: [{ family: name }] });
  const engine = `${gateway}/engine/api/v1/Patient`;
  const dispatch = `${gateway}/dispatch/api/v1/Patient`;
  const known = (await call(engine, { token, json: patient('Known') })).body.id;
  const kinds: readonly ((turn: number) => Promise<unknown>)[] = [
    () => call(`${engine}/${known}`, { token }),
    (turn) => call(engine, { token, json: patient(`Engine ${turn}`), expect: 201 }),
    () => call(`${gateway}/identity/api/auth/me`, { token }),
    (turn) => call(dispatch, { token, json: patient(`Dispatch ${turn}`), expect: 201 }),
    () => call(`${dispatch}?name=Nobody`, { token }),
  ];
  let sent = 0;
  let areReplaced = false;
  const lost: unknown[] = [];
  const client = async () => {
    while (sent < REQUESTS || !areReplaced) {
      sent += 1;
      const turn = sent;
      await kinds[turn % kinds.length]?.(turn).catch((error: unknown) => lost.push(error));
      await delay(PAUSE_MS);
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  for (const half of [0, 1]) await Promise.all(nodes.filter((_node, index) => index % 2 === half).map(replace));
  areReplaced = true;
  await Promise.all(clients);
  assert.deepEqual(lost, []);
  assert.ok(sent >= REQUESTS);
  const made = await call(`${engine}?name=Engine&_summary=count`, { token });
  assert.ok(made.body.total >= REQUESTS / kinds.length - 1, 'what was answered is there');
});
