// Requests with many codings or validations yield to the event loop, and have the result that few would have.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '#lib/clock.ts';
import { catalogOfResources } from '../catalog/table-catalog.ts';
import { finished, makeEach, UnfinishedWork } from '../content/unfinished.ts';
import { type Json, objects } from '../json.ts';
import { TerminologyError } from '../terminology-error.ts';
import { issueLines, valuesOf } from '../testing/answers.ts';
import { Inputs } from './inputs.ts';
import { createTerminologyOperations } from './service.ts';

const system = 'http://x.org/stones';
const url = 'http://x.org/vs';
const DEFINITIONS: readonly Json[] = [
  {
    resourceType: 'CodeSystem',
    url: system,
    status: 'active',
    content: 'complete',
    concept: [{ code: 'flint', display: 'Flint' }],
  },
  { resourceType: 'ValueSet', url, status: 'active', compose: { include: [{ system }] } },
];
const FLINT = { system, code: 'flint' };
const MANY = 15_000;
const operations = createTerminologyOperations(catalogOfResources(DEFINITIONS), systemClock);

/** The answer, and how many turns of the event loop others had before it was there. */
async function run(address: string, parameters: readonly Json[]): Promise<{ answer: Json; turns: number }> {
  const operation = operations.find(({ type, name }) => `${type}/$${name}` === address) ?? assert.fail(address);
  const inputs = new Inputs(parameters);
  let turns = 0;
  let isOver = false;
  const count = () => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  const answer = await finished(() => operation.run(inputs, {}));
  isOver = true;
  assert.deepEqual(inputs.issues, []);
  return { answer, turns };
}

const concept = (coding: readonly Json[]): Json => ({ name: 'codeableConcept', valueCodeableConcept: { coding } });
const inValueSet: Json = { name: 'url', valueUri: url };
/** Each of them makes an error of its own, which takes time. */
const unknown = Array.from({ length: MANY }, (_, n) => ({ system: `http://x.org/none/${n}`, code: 'a' }));

test('a CodeableConcept with many codings is checked in turns; the answer has the first issues', async () => {
  const { answer, turns } = await run('ValueSet/$validate-code', [inValueSet, concept([...unknown, FLINT])]);
  assert.ok(turns > 0);
  const { result, code } = valuesOf(answer);
  assert.deepEqual([result, code], [false, 'flint']);
  const lines = issueLines(objects(answer['parameter']).find(({ name }) => name === 'issues')?.['resource'] as Json);
  assert.equal(lines.length, 1_000);
  assert.ok(lines.includes('information code-comment'), 'which says how many more there are');
});

test('each of a hundred codings is checked in its place', async () => {
  const { answer } = await run('ValueSet/$validate-code', [inValueSet, concept([...unknown.slice(0, 99), FLINT])]);
  const lines = issueLines(objects(answer['parameter']).find(({ name }) => name === 'issues')?.['resource'] as Json);
  const places = new Set(lines.flatMap((line) => /coding\[(\d+)\]/.exec(line)?.[1] ?? []));
  assert.deepEqual(
    [...places].sort((a, b) => Number(a) - Number(b)),
    Array.from({ length: 99 }, (_, n) => String(n)),
  );
});

test('many validations of a batch are made in turns, also those with many codings', async () => {
  const validation = (coding: readonly Json[]): Json => ({
    name: 'validation',
    resource: { resourceType: 'Parameters', parameter: [concept(coding)] },
  });
  const parameters = [inValueSet, validation(unknown), validation([FLINT]), validation(unknown), validation([FLINT])];
  const { answer, turns } = await run('ValueSet/$batch-validate-code', parameters);
  assert.ok(turns > 0);
  const results = objects(answer['parameter']).map(({ resource }) => valuesOf(resource as Json)['result']);
  assert.deepEqual(results, [false, true, false, true]);
});

describe('work on many items', () => {
  /** Each look at it is 20 ms later. */
  const slowClock = () => {
    let time = 0;
    return () => {
      time += 20;
      return time;
    };
  };
  const items = Array.from({ length: 50 }, (_, n) => n);

  test('goes on where it was when the call is repeated', async () => {
    const [now, seen, made] = [slowClock(), [] as number[], [] as number[]];
    const make = (item: number) => {
      seen.push(item);
      return item * 2;
    };
    let runs = 0;
    const found = await finished(() => {
      runs += 1;
      return makeEach({ name: 'it', items, make, made }, now);
    });
    assert.deepEqual([found, seen], [items.map((item) => item * 2), items]);
    assert.equal(runs, 2);
  });

  test('throws the error of an item from the call, and not from its steps', async () => {
    const [now, made] = [slowClock(), [] as number[]];
    const make = (item: number) => {
      if (item === 30) throw new TerminologyError('not-found', 'gone', 'not-found');
      return item;
    };
    const caught = await finished(() => {
      try {
        return makeEach({ name: 'it', items, make, made }, now);
      } catch (error) {
        if (error instanceof UnfinishedWork) throw error;
        return 'caught';
      }
    });
    assert.deepEqual([caught, made.length], ['caught', 30]);
  });

  test('waits for unfinished work that an item needs', async () => {
    const [now, made] = [slowClock(), [] as number[]];
    let isReady = false;
    const make = (item: number) => {
      if (item === 30 && !isReady)
        throw new UnfinishedWork('more', async () => {
          isReady = true;
        });
      return item;
    };
    assert.deepEqual(await finished(() => makeEach({ name: 'it', items, make, made }, now)), items);
  });
});
