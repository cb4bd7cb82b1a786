// $validate-code: one row for each rule (../../testing/validation-cases.ts).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueLines, valuesOf } from '../../testing/answers.ts';
import { operationsOver } from '../../testing/run-operation.ts';
import { VALIDATIONS } from '../../testing/validation-cases.ts';
import { DEFINITIONS } from '../../testing/vessels.ts';

const run = operationsOver(DEFINITIONS);

for (const { name, type = 'ValueSet', asked, answer, refused } of VALIDATIONS) {
  test(name, async () => {
    const resource = await run(`${type}/$validate-code`, asked);
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
