// How examples are read off a page, and which blocks are refused so that none goes unrun.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAddressTable, readExamples, withoutNames } from './examples.ts';

const block = (kind: string, body: string) => `\`\`\`${kind}\n${body}\n\`\`\`\n`;

test('a call and the answer after it make one example', () => {
  const call = "curl -X PUT $IDENTITY/api/things/$thing_guid/parts?all=1 --json '{}'\n# 201\n# etag: …";
  const [first, second, ...rest] = readExamples(
    `Words.\n\n${block('sh', call)}\n${block('json', '{}')}\n${block('sh', 'curl $IDENTITY/login\n# 302')}\nWords.\n`,
  );
  assert.deepEqual(rest, []);
  assert.deepEqual(
    { ...first, command: '' },
    {
      line: 3,
      command: '',
      address: 'PUT /api/things/{}/parts',
      status: 201,
      headers: [['etag', '…']],
      answer: { kind: 'json', body: '{}\n' },
    },
  );
  assert.equal(second?.status, 302);
  assert.equal(second?.answer, undefined);
});

test('the method is the one that curl uses', () => {
  const addressOf = (command: string) => readExamples(block('sh', `${command}\n# 204`))[0]?.address;
  assert.equal(addressOf('curl $X/a'), 'GET /a');
  assert.equal(addressOf('curl "$X/a?b=c"'), 'GET /a');
  assert.equal(addressOf("curl $X/a --json '{}'"), 'POST /a');
  assert.equal(addressOf("curl $X/a -H 'accept: text/csv' -F file=@-"), 'POST /a');
  assert.equal(addressOf('curl $X/a \\\n  -X DELETE'), 'DELETE /a');
});

test('a command of operators is named by its first words', () => {
  const [example] = readExamples(
    `${block('sh', 'kedja users reset-password anna@example.org')}\n${block('text', '…')}`,
  );
  assert.deepEqual([example?.address, example?.status], ['kedja users reset-password', 200]);
});

test('a block that would not be run or not be compared is refused with its line', () => {
  assert.throws(() => readExamples(`\n${block('json', '{}')}`), /line 2: this json block follows no call/);
  assert.throws(
    () => readExamples(`${block('sh', 'curl $X/a')}\nSome words.\n\n${block('json', '{}')}`),
    /line 1: .*no answer/,
  );
  assert.throws(() => readExamples(block('sh', 'ls')), /line 1: an example is one curl/);
  assert.throws(() => readExamples(block('sh', 'curl $X/a\nkedja users export -')), /line 1: an example is one curl/);
  assert.throws(
    () => readExamples(block('sh', 'curl localhost/a\n# 204')),
    /line 1: the address begins with a variable/,
  );
});

test('the table of addresses is read as it is written', () => {
  const page = '| method and path | does |\n|---|---|\n| `GET /api/x/{x_guid}` | reads |\n| `POST /api/x` | makes |\n';
  assert.deepEqual(readAddressTable(page), ['GET /api/x/{x_guid}', 'POST /api/x']);
  assert.equal(withoutNames('GET /api/x/{x_guid}'), 'GET /api/x/{}');
});
