// Every official example that is valid is stored as it was written, and found by every parameter that it has a value
// for. Of the hundreds of definitions and generated forms among them one in eight is taken, all with
// KEDJA_EXAMPLES=all.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { acceptedExamples, conditionsOf, type Example } from './official.ts';

const { call } = await startTestEngine({ after });

const examples = acceptedExamples();

function* chunks<T>(items: readonly T[], length: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += length) yield items.slice(at, at + length);
}

/** Sends the requests as one batch and returns what each was answered. */
async function batch(entries: readonly { method: string; url: string; text?: string }[]) {
  const listed = entries.map(({ method, url, text }) => {
    const request = JSON.stringify({ method, url });
    return text === undefined ? `{"request":${request}}` : `{"request":${request},"resource":${text}}`;
  });
  const { status, body, text } = await call(
    'admin',
    'POST',
    '/',
    `{"resourceType":"Bundle","type":"batch","entry":[${listed}]}`,
  );
  assert.equal(status, 200, text.slice(0, 500));
  return body.entry as { response: { status: string; outcome?: unknown }; resource?: { total?: number } }[];
}

before(async () => {
  const refused: string[] = [];
  for (const group of chunks(examples, 100)) {
    const answers = await batch(group.map(({ type, id, text }) => ({ method: 'PUT', url: `${type}/${id}`, text })));
    for (const [index, { response }] of answers.entries())
      if (response.status !== '201 Created')
        refused.push(`${group[index]?.type}/${group[index]?.id} ${JSON.stringify(response)}`);
  }
  assert.deepEqual(refused, []);
});

/** The members as written, but for those that the server writes itself and what is around them. */
function membersOf(text: string): string {
  const { members } = readResourceText(text);
  const kept = members.filter(({ key }) => !['resourceType', 'id', 'meta'].includes(key));
  return kept.map(({ start, end }) => text.slice(start, end)).join('\n');
}

/** What a client may say in `meta`. */
function metaOf(text: string): object {
  const { versionId: _version, lastUpdated: _time, ...said } = JSON.parse(text).meta ?? {};
  return said;
}

test('each is read as it was written, now and by its version', async () => {
  for (const { type, id, text } of examples) {
    const [read, vread] = await Promise.all(
      ['', '/_history/1'].map((end) => call('admin', 'GET', `/${type}/${id}${end}?_format=json`)),
    );
    assert.equal(read?.status, 200);
    assert.equal(membersOf(read.text), membersOf(text), `${type}/${id}`);
    assert.deepEqual([read.body.id, metaOf(read.text)], [id, metaOf(text)]);
    assert.equal(vread?.text, read.text);
  }
});

function urlOf({ type, id }: Example, conditions: readonly (readonly [string, string])[]): string {
  const query = [['_id', id] as const, ...conditions].map((pair) => pair.map(encodeURIComponent).join('='));
  return `${type}?${query.join('&')}`;
}

/** Which of the searches do not find just one. */
async function missedOf(urls: readonly string[]): Promise<string[]> {
  const missed: string[] = [];
  for (const group of chunks(urls, 200)) {
    const answers = await batch(group.map((url) => ({ method: 'GET', url })));
    missed.push(...group.filter((_, index) => answers[index]?.resource?.total !== 1));
  }
  return missed;
}

test('each is found by every parameter that it has a value for', async () => {
  const asked = examples.map((example, turn) => ({ example, conditions: conditionsOf(example, turn) }));
  const missed = new Set(await missedOf(asked.map(({ example, conditions }) => urlOf(example, conditions))));
  // Which of the conditions it is that fails.
  const single = asked
    .filter(({ example, conditions }) => missed.has(urlOf(example, conditions)))
    .flatMap(({ example, conditions }) => conditions.map((condition) => urlOf(example, [condition])));
  assert.deepEqual((await missedOf(single)).map(decodeURIComponent), []);
  assert.equal(missed.size, 0);
  const pairs = asked.reduce((sum, { conditions }) => sum + conditions.length, 0);
  assert.ok(pairs > 7000, `only ${pairs} pairs`);
});
