// Every official example that is valid comes through $import and $export, and through both again into an empty system,
// with the text that it had. Of each type two examples are taken and an eighth of the others; all with
// KEDJA_EXAMPLES=all.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { endOfJob } from '#test/support/engine/bulk.ts';
import { startTestEngine, type TestEngine } from '#test/support/engine/engine.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { ALL_EXAMPLES, acceptedExamples, type Example } from './official.ts';

const hooks = lastFirst({ after });
const examples = ALL_EXAMPLES ? acceptedExamples() : someOf(acceptedExamples());
const headers = { authorization: 'Bearer admin', prefer: 'respond-async' };

function someOf(examples: readonly Example[]): Example[] {
  return [...Map.groupBy(examples, ({ type }) => type).values()].flatMap((ofType) =>
    ofType.filter((_, place) => place < 2 || place % 8 === 0),
  );
}

/** What the job answers that was asked for. */
async function finished(engine: TestEngine, address: string) {
  const url = address.replace('http://engine.test', '');
  return (await endOfJob(engine, () => engine.app.inject({ url, headers }))).json();
}

async function imported(engine: TestEngine, lines: readonly string[]) {
  const started = await engine.app.inject({
    method: 'POST',
    url: '/api/v1/$import',
    headers: { ...headers, 'content-type': 'application/fhir+ndjson' },
    payload: `${lines.join('\n')}\n`,
  });
  assert.equal(started.statusCode, 202, started.payload);
  const manifest = await finished(engine, String(started.headers['content-location']));
  assert.deepEqual(await linesOf(engine, manifest.error), []);
}

async function exported(engine: TestEngine): Promise<string[]> {
  const started = await engine.app.inject({ url: '/api/v1/$export', headers });
  assert.equal(started.statusCode, 202, started.payload);
  const manifest = await finished(engine, String(started.headers['content-location']));
  return (await linesOf(engine, manifest.output)).filter((line) => !line.startsWith('{"resourceType":"AuditEvent"'));
}

async function linesOf({ app }: TestEngine, files: readonly { url: string }[]): Promise<string[]> {
  const lines: string[] = [];
  for (const { url } of files) {
    const { payload } = await app.inject({ url: url.replace('http://engine.test', ''), headers });
    lines.push(...payload.trimEnd().split('\n'));
  }
  return lines;
}

/** The members as written, by the resource's address, without those that the server writes. */
function texts(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    lines.map((line) => {
      const { members, text, resource, resourceType } = readResourceText(line);
      const { versionId: _, lastUpdated: __, ...meta } = JSON.parse(JSON.stringify(resource['meta'] ?? {}));
      const kept = members.filter(({ key }) => !['resourceType', 'id', 'meta'].includes(key));
      const said = kept.map(({ start, end }) => text.slice(start, end));
      return [`${resourceType}/${resource['id']}`, [JSON.stringify(meta), ...said].join('\n')];
    }),
  );
}

test('what was imported is exported as it was written, and comes into an empty system as it was', async () => {
  // A line holds no line break; JSON has them between its tokens alone.
  const lines = examples.map(({ text }) => text.replace(/\r?\n/g, ' '));
  const [first, second] = [await startTestEngine(hooks), await startTestEngine(hooks)];
  for (const { engine } of [first, second]) await engine.start();
  await imported(first, lines);
  const out = await exported(first);
  assert.equal(out.length, lines.length);
  assert.deepEqual([...texts(out)].sort(), [...texts(lines)].sort());
  await imported(second, out);
  assert.deepEqual([...texts(await exported(second))].sort(), [...texts(out)].sort());
});
