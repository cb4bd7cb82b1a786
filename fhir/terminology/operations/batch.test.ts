// Definitions that a batch has for all its parts are read once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#lib/clock.ts';
import { catalogOfResources } from '../catalog/table-catalog.ts';
import { createEvaluate } from '../content/evaluate.ts';
import { finished } from '../content/unfinished.ts';
import { Inputs } from './inputs.ts';
import { batchValidateCode } from './validation/batch.ts';

const PARTS = 20;

/** Counts the reads of a member. */
function counted<T extends object>(resource: T, member: string, value: unknown): { resource: T; times: () => number } {
  let times = 0;
  Object.defineProperty(resource, member, {
    enumerable: true,
    get: () => {
      times += 1;
      return value;
    },
  });
  return { resource, times: () => times };
}

async function timesRead(member: string, value: unknown, of: object, more: readonly object[]): Promise<number> {
  const { resource, times } = counted(of, member, value);
  const catalog = catalogOfResources([]);
  const base = { catalog, evaluate: createEvaluate(catalog), clock: systemClock };
  const inputs = new Inputs([
    ...more.map((each) => ({ ...each })),
    { name: 'tx-resource', resource },
    ...Array.from({ length: PARTS }, () => ({
      name: 'validation',
      resource: { resourceType: 'Parameters', parameter: [{ name: 'code', valueCode: 'a' }] },
    })),
  ]);
  const type = more.some((each) => 'name' in each && each.name === 'system') ? 'ValueSet' : 'CodeSystem';
  // On a busy machine a part of the work may be left for a later turn.
  const answer = JSON.stringify(await finished(() => batchValidateCode(base, inputs, { type })));
  assert.equal(answer.split('"valueBoolean":true').length - 1, PARTS, answer);
  return times();
}

test('a code system', async () => {
  const system = { resourceType: 'CodeSystem', url: 'urn:s', status: 'active', content: 'complete' };
  const times = await timesRead('concept', [{ code: 'a' }], system, [{ name: 'url', valueUri: 'urn:s' }]);
  assert.ok(times < PARTS, `${times}`);
});

test('a value set', async () => {
  const valueSet = { resourceType: 'ValueSet', url: 'urn:v', status: 'active' };
  const compose = { include: [{ system: 'urn:s', concept: [{ code: 'a' }] }] };
  const times = await timesRead('compose', compose, valueSet, [
    { name: 'url', valueUri: 'urn:v' },
    { name: 'system', valueUri: 'urn:s' },
    {
      name: 'tx-resource',
      resource: { resourceType: 'CodeSystem', url: 'urn:s', content: 'complete', concept: [{ code: 'a' }] },
    },
  ]);
  assert.ok(times < PARTS, `${times}`);
});
