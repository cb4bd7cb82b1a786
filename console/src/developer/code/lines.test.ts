// JSON with places: what is JSON and where it ends, and the line of an issue.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonNode, JsonSyntaxError, readTree } from './json-tree.ts';
import { lineOf, lineOfExpression, rangeOfLine } from './lines.ts';

const TEXT = `{
  "resourceType": "Observation",
  "code": { "coding": [
    { "code": "a" },
    { "code": "b" }
  ] },
  "valueQuantity": {
    "value": 70.0,
    "unit": "kg"
  },
  "_status": { "id": "s" }
}`;

function plain(node: JsonNode): unknown {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries([...node.members].map(([name, { value }]) => [name, plain(value)]));
    case 'array':
      return node.items.map(plain);
    case 'string':
      return node.text;
    case 'literal':
      return JSON.parse(node.text);
    default:
      return node satisfies never;
  }
}

test('a tree has what JSON.parse has, with numbers as they are written', () => {
  for (const text of [TEXT, '[]', ' {"a":[1,-2.50e+3,null,true,{"\\u00e5\\"":""}]} ', '"x"'])
    assert.deepEqual(plain(readTree(text)), JSON.parse(text));
  const tree = readTree('{"value": 70.0}');
  assert.equal(tree.kind === 'object' && tree.members.get('value')?.value.kind, 'literal');
  assert.match(JSON.stringify(tree.kind === 'object' && tree.members.get('value')), /"text":"70.0"/);
});

test('what is no JSON is named by its place', () => {
  for (const [text, offset] of [
    ['', 0],
    ['{"a" 1}', 5],
    ['{"a": 01}', 6],
    ['{"a": 1,}', 8],
    ['[1 2]', 3],
    ['{"a": tru}', 6],
    ['{} x', 3],
    ['["a\nb"]', 1],
    [`${'['.repeat(300)}${']'.repeat(300)}`, 201],
  ] as const) {
    assert.throws(() => JSON.parse(text.length > 500 ? '' : text));
    assert.throws(
      () => readTree(text),
      (error) => error instanceof JsonSyntaxError && error.offset === offset,
      text.slice(0, 20),
    );
  }
});

test('an issue is at the line of its element, else of the nearest around it', () => {
  for (const [expression, line] of [
    ['Observation', 1],
    ['Observation.code', 3],
    ['Observation.code.coding[1]', 5],
    ['Observation.code.coding[1].code', 5],
    ['Observation.code.coding[7].code', 3],
    ['Observation.value', 7],
    ['Observation.value.unit', 9],
    ['Observation.value.ofType(Quantity).value', 8],
    ["Observation.extension('http://x.org/a.b').value", 1],
    ['Observation.status', 11],
    ['Observation.subject.reference', 1],
  ] as const)
    assert.equal(lineOfExpression(TEXT, expression), line, expression);
});

test('a line and its text', () => {
  assert.equal(lineOf('a\nb\nc', 0), 1);
  assert.equal(lineOf('a\nb\nc', 2), 2);
  assert.deepEqual(rangeOfLine('a\nbb\nc', 2), [2, 4]);
  assert.deepEqual(rangeOfLine('a\nbb\nc', 3), [5, 6]);
  assert.deepEqual(rangeOfLine('a', 9), [0, 1]);
});
