// What the reference page shows of a shape: its name and its members, and of a type of FHIR its name alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderSchema, type SchemaSource } from './schema-view.ts';

const SCHEMAS: Readonly<Record<string, object>> = {
  Unit: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  Room: { type: 'object', properties: { beds: { type: 'integer' } } },
  Patient: { type: 'object', properties: { birthDate: { type: 'string' } } },
};
const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const source: SchemaSource = {
  isShape: (name) => name !== 'Patient',
  resolve: <T>(value: unknown) => {
    const { $ref, ...beside } = value as { $ref?: string };
    return ($ref === undefined ? value : { ...SCHEMAS[$ref.split('/').at(-1) ?? ''], ...beside }) as T;
  },
};

/** The text of the view, an item of a list on a line of its own. */
function shown(schema: object): readonly string[] {
  const text = renderSchema(schema, source)
    .markup.replaceAll('<li>', '\n')
    .replaceAll(/<[^>]*>/g, '');
  return text.split('\n').map((line) => line.trim());
}

test('a shape is shown by its name, and unfolded where it stands', () => {
  const page = { type: 'object', properties: { data: { type: 'array', items: refTo('Unit') } } };
  assert.deepEqual(shown(refTo('Unit')), ['Unit', 'name string, required']);
  assert.deepEqual(shown(page), ['', 'data list of Unit', 'name string, required']);
});

test('each shape that a value may be is shown, and what may be null is unfolded', () => {
  const either = { anyOf: [refTo('Unit'), refTo('Room')] };
  assert.deepEqual(shown(either), ['Unit or Room', 'Unit', 'name string, required', 'Room', 'beds integer']);
  const owner = { type: 'object', properties: { owner: { anyOf: [refTo('Unit'), { type: 'null' }] } } };
  assert.deepEqual(shown(owner), ['', 'owner Unit or null', 'name string, required']);
});

test('a type of FHIR is unfolded as a whole answer alone', () => {
  assert.deepEqual(shown(refTo('Patient')), ['Patient', 'birthDate string']);
  const list = { type: 'object', properties: { subject: refTo('Patient') } };
  assert.deepEqual(shown(list), ['', 'subject Patient']);
  assert.deepEqual(shown({ anyOf: [refTo('Patient'), refTo('Room')] }), ['Patient or Room', 'beds integer']);
});
