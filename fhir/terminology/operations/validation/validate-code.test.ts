// $validate-code: one row for each rule (../../testing/validation-cases.ts).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objects } from '../../json.ts';
import { issueLines, valuesOf } from '../../testing/answers.ts';
import { coding, concept, url, vessel } from '../../testing/asked.ts';
import { operationsOver } from '../../testing/run-operation.ts';
import { VALIDATIONS } from '../../testing/validation-cases.ts';
import { DEFINITIONS, VESSELS } from '../../testing/vessels.ts';

const run = operationsOver(DEFINITIONS);

for (const { name, type = 'ValueSet', asked, accepted: acceptLanguage, answer, refused } of VALIDATIONS) {
  test(name, async () => {
    const resource = await run(`${type}/$validate-code`, asked, { acceptLanguage });
    if (refused !== undefined) {
      assert.equal(resource['resourceType'], 'OperationOutcome', JSON.stringify(resource));
      assert.deepEqual(issueLines(resource), refused);
      return;
    }
    assert.equal(resource['resourceType'], 'Parameters', JSON.stringify(resource));
    const values = valuesOf(resource);
    const compared = Object.fromEntries(Object.keys(answer ?? {}).map((key) => [key, values[key]]));
    assert.deepEqual(compared, answer);
  });
}

const KITE = { system: VESSELS, code: 'kite' };

/** For each issue with a place: its kind, and whether the place is in `location` too. */
for (const { name, asked, found } of [
  { name: 'an unknown code', asked: [url('vessels'), vessel('kite')], found: ['invalid-code -', 'not-in-vs -'] },
  { name: 'a known code outside', asked: [url('rigs-below'), vessel('ship')], found: ['not-in-vs location'] },
  {
    name: 'a wrong display',
    asked: [url('vessels'), vessel('ship', { display: 'Kite' })],
    found: ['invalid-display location'],
  },
  {
    name: 'an unknown code among several',
    asked: [url('vessels'), concept([KITE])],
    found: ['invalid-code -', 'this-code-not-in-vs -'],
  },
  {
    name: 'a known code among several',
    asked: [url('rigs-below'), concept([{ system: VESSELS, code: 'ship' }])],
    found: ['this-code-not-in-vs -'],
  },
  {
    name: 'an unknown code system',
    asked: [url('vessels'), coding({ system: 'http://x.org/cs/none', code: 'a' })],
    found: ['not-found location', 'not-in-vs location'],
  },
]) {
  test(`the place of an issue: ${name}`, async () => {
    const { parameter } = await run('ValueSet/$validate-code', asked);
    const [outcome] = objects(objects(parameter).find((each) => each['name'] === 'issues')?.['resource']);
    const placed = objects(outcome?.['issue']).filter(({ expression }) => expression !== undefined);
    const lines = placed.map(({ details, expression, location }) => {
      assert.ok(location === undefined || String(location) === String(expression));
      const [kind] = objects(objects(details)[0]?.['coding']);
      return `${kind?.['code']} ${location === undefined ? '-' : 'location'}`;
    });
    assert.deepEqual(lines.sort(), found);
  });
}
