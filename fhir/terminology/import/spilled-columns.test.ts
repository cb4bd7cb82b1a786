// A code system that is read through temporary files has the same bytes as one that is built in memory. Its errors are
// those that a slow check of all concepts finds.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import {
  asConcept,
  generateConcepts,
  largeHead,
  largeJson,
  largeNdjson,
} from '#test/support/engine/large-code-system.ts';
import type { Json } from '../json.ts';
import { readColumns } from '../model/read-code-system.ts';
import { readCodeSystemFile } from './code-system-file.ts';
import { SpillFiles } from './spill-file.ts';
import { memoryBytes, spilledBytes } from './testing/bytes.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'kedja-test-'));
const spills = await mkdtemp(path.join(tmpdir(), 'kedja-test-'));
after(() => Promise.all([folder, spills].map((each) => rm(each, { recursive: true, force: true }))));

/** Reads it as lines with one concept each. */
async function readLines(head: object, concepts: readonly object[], onRead = () => undefined) {
  const name = path.join(folder, 'system.ndjson');
  await writeFile(name, [head, ...concepts].map((each) => `${JSON.stringify(each)}\n`).join(''));
  const reported: string[] = [];
  const file = await readCodeSystemFile({
    path: name,
    checkHead: () => [],
    onIssue: ({ line, message }) => reported.push(`${line}: ${message}`),
    onProgress: onRead,
    signal: new AbortController().signal,
    folder: spills,
  });
  const bytes = spilledBytes(file?.columns);
  file?.close();
  return { reported, bytes };
}

test('the made-up code systems have the bytes of memory, and those that were stored by earlier releases', async () => {
  // Nodes read the stored bytes: another layout would need all imports again.
  const known: Readonly<Record<number, string>> = {
    1: 'c34ef5e3aaa52f2edfe7c6cf55e644dd44b4e10ec273830b4dbb0025b74c3a7f',
    300: 'f9b541dff483aa64068de1693348a0ab3aa486c33663d20cb72c718a7be2b399',
  };
  for (const size of [1, 300, 40_000]) {
    const text = [...largeJson(size)].join('');
    const expected = memoryBytes(readColumns(JSON.parse(text), true)) ?? Buffer.alloc(0);
    const digest = createHash('sha256').update(expected).digest('hex');
    assert.equal(known[size] ?? digest, digest);
    for (const isReversed of [false, true]) {
      const concepts = [...generateConcepts(size)].map((made) => asConcept(made, true));
      if (isReversed) concepts.reverse();
      const { reported, bytes } = await readLines({ ...largeHead(), caseSensitive: !isReversed }, concepts);
      const resource = { ...largeHead(), caseSensitive: !isReversed, concept: concepts };
      assert.deepEqual(reported, []);
      assert.ok(bytes?.equals(memoryBytes(readColumns(resource, true)) ?? Buffer.alloc(0)), `${size} ${isReversed}`);
    }
  }
});

test('texts longer than the buffer are unchanged', async () => {
  const concepts = Array.from({ length: 40 }, (_, at) => ({
    code: `c${at}`,
    display: `${'långt '.repeat(at * 3_000)}${at}`,
    definition: 'x'.repeat(200_000),
    designation: [{ value: `w${at}`.repeat(20_000) }],
  }));
  const head = { ...largeHead(), caseSensitive: false };
  const { reported, bytes } = await readLines(head, concepts);
  assert.deepEqual(reported, []);
  assert.ok(bytes?.equals(memoryBytes(readColumns({ ...head, concept: concepts }, true)) ?? Buffer.alloc(0)));
});

interface Drawn {
  readonly code: string;
  readonly display: string | undefined;
  readonly names: readonly string[];
  readonly links: readonly { readonly kind: 'parent' | 'child'; readonly code: string }[];
  readonly isGone: boolean;
}

const codes = fc.constantFrom('a', 'A', 'b', 'ö', 'Ö1', '中文', 'c-9', '😀', 'd', 'e', 'f', 'g');
const names = fc.array(fc.constantFrom('Åsa', 'asa', 'b', 'c-9', '中文', 'ﬁn', '9', ''), { maxLength: 4 });
const drawnConcept: fc.Arbitrary<Drawn> = fc.record({
  code: codes,
  display: fc.option(
    names.map((each) => `x ${each.join(' ')}`),
    { nil: undefined },
  ),
  names: fc.array(
    names.map((each) => `y ${each.join(' ')}`),
    { maxLength: 2 },
  ),
  links: fc.array(fc.record({ kind: fc.constantFrom('parent', 'parent', 'child'), code: codes }), { maxLength: 2 }),
  isGone: fc.boolean(),
});

function conceptOf({ code, display, names: values, links, isGone }: Drawn): Json {
  return {
    code,
    ...(display === undefined ? {} : { display }),
    designation: values.map((value, at) => ({ value, ...(at === 0 ? { language: 'sv' } : {}) })),
    property: [
      ...links.map((link) => ({ code: link.kind, valueCode: link.code })),
      ...(isGone ? [{ code: 'inactive', valueBoolean: true }] : []),
    ],
  };
}

/** The errors except circles of several concepts, in the order in which they are reported. */
function issuesOf(drawn: readonly Drawn[]): string[] {
  const lines = new Map<string, number>();
  const [twice, unknown]: [string[], string[]] = [[], []];
  for (const [at, { code }] of drawn.entries()) {
    const first = lines.get(code);
    if (first === undefined) lines.set(code, at + 2);
    else twice.push(`${at + 2}: the code ${code} stands on line ${first} already`);
  }
  for (const [at, { code, links }] of drawn.entries()) {
    if (lines.get(code) !== at + 2) continue;
    for (const link of links) {
      if (link.code === code) unknown.push(`${at + 2}: the code ${code} stands above itself: ${code} → ${code}`);
      else if (!lines.has(link.code))
        unknown.push(`${at + 2}: there is no code ${link.code}, which is said to be above or below`);
    }
  }
  return [...twice, ...unknown];
}

/** Whether some concept reaches itself through another. */
function hasCircle(all: readonly Drawn[]): boolean {
  const drawn = all.filter(({ code }, at) => all.findIndex((each) => each.code === code) === at);
  const above = new Map<string, Set<string>>(drawn.map(({ code }) => [code, new Set()]));
  for (const { code, links } of drawn)
    for (const link of links) {
      const [lower, upper] = link.kind === 'parent' ? [code, link.code] : [link.code, code];
      if (lower !== upper) above.get(lower)?.add(upper);
    }
  for (let round = 0; round < drawn.length; round += 1)
    for (const set of above.values())
      for (const each of [...set]) for (const next of above.get(each) ?? []) set.add(next);
  return [...above].some(([code, set]) => set.has(code));
}

test('any code system has the bytes of memory, or its errors are reported', async () => {
  const systems = fc.oneof(
    fc.array(drawnConcept, { maxLength: 8, minLength: 1 }),
    // Mostly valid ones: without duplicates, and with links to existing concepts.
    fc.uniqueArray(drawnConcept, { selector: ({ code }) => code, maxLength: 10, minLength: 1 }).map((drawn) =>
      drawn.map((each) => ({
        ...each,
        links: each.links.filter(({ code }) => drawn.some((other) => other.code === code)),
      })),
    ),
  );
  const heads = fc.record({
    caseSensitive: fc.boolean(),
    content: fc.constantFrom('complete', 'fragment', 'supplement'),
  });
  let right = 0;
  await fc.assert(
    fc.asyncProperty(systems, heads, async (drawn, { caseSensitive, content }) => {
      const head = { resourceType: 'CodeSystem', url: 'urn:d', status: 'active', content, caseSensitive };
      const concept = drawn.map(conceptOf);
      const { reported, bytes } = await readLines(head, concept);
      const expected = issuesOf(drawn);
      const circles = reported.slice(expected.length);
      assert.deepEqual(reported.slice(0, expected.length), expected);
      assert.equal(circles.length > 0, hasCircle(drawn), reported.join('\n'));
      assert.ok(
        circles.every((each) => each.includes('stands above itself: ')),
        reported.join('\n'),
      );
      if (reported.length > 0) assert.equal(bytes, undefined);
      else assert.deepEqual(bytes, memoryBytes(readColumns({ ...head, concept }, true)));
      right += reported.length === 0 ? 1 : 0;
    }),
    { numRuns: 200 },
  );
  assert.ok(right > 30, String(right));
});

// Only Linux lists the open files.
const skip = !existsSync('/proc/self/fd');
test('an abort after all has been read takes effect, and no file stays open', { skip }, async () => {
  const name = path.join(folder, 'stopped.ndjson');
  await writeFile(name, [...largeNdjson(200)].join(''));
  const stopping = new AbortController();
  const open = () => readdirSync('/proc/self/fd').length;
  const before = open();
  const seen: number[] = [];
  const file = await readCodeSystemFile({
    path: name,
    checkHead: () => [],
    onIssue: ({ message }) => assert.fail(message),
    onProgress: ({ share }) => {
      seen.push(open());
      if (share === 1) stopping.abort();
    },
    signal: stopping.signal,
    folder: spills,
  });
  assert.deepEqual([file, open()], [undefined, before]);
  assert.ok(Math.max(...seen) > before + 10);
});

test('temporary files have no name, and a folder in which none can be created is reported', async () => {
  const seen: string[] = [];
  await readLines(
    largeHead(),
    [...generateConcepts(50)].map((made) => asConcept(made, true)),
    () => {
      seen.push(...readdirSync(spills));
    },
  );
  assert.deepEqual([seen, readdirSync(spills)], [[], []]);
  const nowhere = path.join(folder, 'nowhere');
  assert.throws(
    () => new SpillFiles(nowhere).create(),
    new RegExp(`^Error: The folder for temporary files, ${nowhere}, cannot be used: .*ENOENT`),
  );
});
