// `npm run bench traces [-- --quick]`: what traces cost (docs/adr/0132). Two processes of all services serve the same
// requests in turn: one records nothing, the other sends one request in a hundred to a collector. Their processor time
// is compared, round by round, because other work on the machine changes rates and not what a request costs.
import type { ChildProcess } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { createDatabase } from '#lib/db/pool.ts';
import { freePorts } from '#test/support/system/free-ports.ts';
import { signIn } from './identity/site.ts';
import { spawnKedja, untilReady } from './load/processes.ts';
import { scheduledMs } from './load/processor.ts';
import { ADMIN, startSite } from './load/site.ts';
import type { BenchmarkOptions } from './options.ts';
import { type Figure, medianOf, printTable, progress } from './report.ts';

const RATIO = '0.01';
const MUST = 1.03;
const AT_ONCE = 16;
const REQUESTS = 1_000;
/** The pause after a request that was refused. */
const REFUSED_MS = 50;

interface Node {
  readonly service: ChildProcess;
  readonly engine: Pool;
  readonly headers: Readonly<Record<string, string>>;
  /** Ids of records to read. */
  readonly ids: readonly string[];
  stop(): Promise<void>;
}

/** Whether it was served; a machine with much else to do answers some 503. */
type Send = (node: Node, number: number) => Promise<boolean>;

/** Prints the table; whether the must is met. */
export async function benchTraces({ isQuick }: BenchmarkOptions): Promise<boolean> {
  const rounds = isQuick ? 10 : 40;
  const collector = await startCollector();
  const nodes: Node[] = [];
  try {
    const plain = await startNode('plain', {});
    nodes.push(plain);
    const { port } = collector.server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1/traces`;
    const traced = await startNode('traced', { KEDJA_TRACES_URL: url, KEDJA_TRACES_RATIO: RATIO });
    nodes.push(traced);
    const figures = [
      await compare('read', read, { plain, traced, rounds }),
      await compare('create', create, { plain, traced, rounds }),
    ];
    console.log(
      `\ntraces, 1 % of requests; processor time of a process with all services, ${collector.bytes()} bytes sent`,
    );
    return printTable(figures);
  } finally {
    await Promise.all(nodes.map(({ engine }) => engine.close()));
    for (const { stop } of nodes) await stop();
    collector.server.closeAllConnections();
    collector.server.close();
  }
}

async function startCollector(): Promise<{ server: Server; bytes(): number }> {
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => (bytes += chunk.length)).on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, bytes: () => bytes };
}

/** On a database of its own: of several nodes one does the work in the background for all. */
async function startNode(name: string, own: Readonly<Record<string, string>>): Promise<Node> {
  const site = await startSite();
  const { environment, folder } = site;
  const database = createDatabase({ url: site.url, schema: 'engine' });
  const [identity = 0, engine = 0, dispatch = 0, gateway = 0] = await freePorts(4);
  const variables = {
    ...environment,
    KEDJA_PUBLIC_URL: `http://127.0.0.1:${gateway}`,
    KEDJA_IDENTITY_PORT: String(identity),
    KEDJA_ENGINE_PORT: String(engine),
    KEDJA_DISPATCH_PORT: String(dispatch),
    KEDJA_CONSOLE_PORT: String(gateway),
    ...own,
  };
  const service = await spawnKedja(variables, path.join(folder, `${name}.log`));
  for (const port of [identity, engine, dispatch]) await untilReady(service, port);
  const token = await signIn({ origin: `http://127.0.0.1:${identity}` }, ADMIN);
  const pool = new Pool(`http://127.0.0.1:${engine}`, { connections: AT_ONCE });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/fhir+json' };
  const ids: string[] = [];
  const node = { service, engine: pool, headers, ids, stop: () => site.stop(database, [service]) };
  while (ids.length < 50) ids.push(...[await createOne(node, ids.length)].filter((id) => id !== undefined));
  return node;
}

async function read({ engine, headers, ids }: Node, number: number): Promise<boolean> {
  const answer = await engine.request({ path: `/api/v1/Patient/${ids[number % ids.length]}`, method: 'GET', headers });
  await answer.body.dump();
  if (answer.statusCode !== 200 && answer.statusCode !== 503) throw new Error(`a read answered ${answer.statusCode}`);
  return answer.statusCode === 200;
}

async function create(node: Node, number: number): Promise<boolean> {
  return (await createOne(node, number)) !== undefined;
}

async function createOne({ engine, headers }: Node, number: number): Promise<string | undefined> {
  const body = JSON.stringify({ resourceType: 'Patient', active: true, name: [{ family: `Berg${number}` }] });
  const answer = await engine.request({ path: '/api/v1/Patient', method: 'POST', headers, body });
  const text = await answer.body.text();
  if (answer.statusCode === 503) return undefined;
  if (answer.statusCode !== 201) throw new Error(`a create answered ${answer.statusCode}: ${text}`);
  return (JSON.parse(text) as { id: string }).id;
}

async function compare(
  name: string,
  send: Send,
  { plain, traced, rounds }: { plain: Node; traced: Node; rounds: number },
): Promise<Figure> {
  const costs: { plain: number; traced: number }[] = [];
  await costOf(plain, send);
  await costOf(traced, send);
  for (let round = 0; round < rounds; round += 1) {
    progress(`${name}: round ${round + 1} of ${rounds}`);
    // Who is first changes, as the second finds the machine warmer.
    const first = round % 2 === 0 ? await costOf(plain, send) : undefined;
    const own = await costOf(traced, send);
    costs.push({ plain: first ?? (await costOf(plain, send)), traced: own });
  }
  const ratio = medianOf(costs.map((each) => each.traced / each.plain));
  const text = (of: 'plain' | 'traced') => `${medianOf(costs.map((each) => each[of])).toFixed(3)} ms`;
  return {
    name: `a ${name}, with traces`,
    value: text('traced'),
    bare: text('plain'),
    ratio: ratio.toFixed(3),
    must: `≤ ${MUST}`,
    isMet: ratio <= MUST,
  };
}

/** Processor time of the process for each of many requests, in milliseconds. */
async function costOf(node: Node, send: Send): Promise<number> {
  const before = await scheduledMs(node.service.pid ?? 0);
  let number = 0;
  const caller = async () => {
    while (number < REQUESTS) {
      number += 1;
      while (!(await send(node, number))) await delay(REFUSED_MS);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return ((await scheduledMs(node.service.pid ?? 0)) - before) / REQUESTS;
}
