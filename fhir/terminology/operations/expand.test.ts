// $expand: one row for each rule (../testing/expansion-cases.ts).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Json, objects } from '../json.ts';
import { codesOf, issueLines, parameterLines } from '../testing/answers.ts';
import { EXPANSIONS } from '../testing/expansion-cases.ts';
import { operationsOver } from '../testing/run-operation.ts';
import { DEFINITIONS } from '../testing/vessels.ts';

const run = operationsOver(DEFINITIONS);

for (const {
  name,
  asked,
  accepted: acceptLanguage,
  codes,
  parameters,
  displays,
  first,
  properties,
  refused,
} of EXPANSIONS) {
  test(name, async () => {
    const resource = await run('ValueSet/$expand', asked, { acceptLanguage });
    if (refused !== undefined) {
      assert.equal(resource['resourceType'], 'OperationOutcome', JSON.stringify(resource));
      assert.deepEqual(issueLines(resource), refused);
      return;
    }
    assert.equal(resource['resourceType'], 'ValueSet', JSON.stringify(resource));
    const [expansion] = objects(resource['expansion']);
    for (const list of ['contains', 'parameter', 'property'])
      assert.notDeepEqual(expansion?.[list], [], `an empty ${list}`);
    if (codes !== undefined) assert.equal(codesOf(expansion?.['contains']), codes);
    if (displays !== undefined)
      assert.deepEqual(
        objects(expansion?.['contains']).map(({ display }) => display),
        displays,
      );
    if (parameters !== undefined) assert.deepEqual(parameterLines(expansion).sort(), [...parameters].sort());
    if (first !== undefined) assert.deepEqual(membersOf(objects(expansion?.['contains'])[0], first), first);
    if (properties !== undefined) {
      assert.deepEqual(
        objects(expansion?.['property'])
          .map(({ code }) => code)
          .sort(),
        [...properties].sort(),
      );
    }
  });
}

function membersOf(item: Json | undefined, wanted: Json): Json {
  const found = Object.fromEntries(Object.keys(wanted).map((key) => [key, item?.[key]]));
  const property = found['property'];
  const sorted = Array.isArray(property)
    ? [...property].sort((a, b) => String(a.code).localeCompare(String(b.code)))
    : property;
  return property === undefined ? found : { ...found, property: sorted };
}
