// A schema with a title is in the document once, and referred to (docs/adr/0159).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type, { type TSchema } from 'typebox';
import { pageOf } from '../response/page.ts';
import { createNamedShapes } from './named-shapes.ts';
import type { Operation } from './openapi-examples.ts';

const Unit = Type.Object({ name: Type.String() }, { title: 'Unit' });
const Provider = Type.Object({ name: Type.String(), unit: Unit }, { title: 'Provider' });
const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

function answering(schema: TSchema | object): Operation {
  return { responses: { 200: { description: '', content: { 'application/json': { schema } } } } };
}

function answerOf(operation: Operation): unknown {
  return operation.responses?.['200']?.content?.['application/json']?.schema;
}

test('shapes with a name are kept once, and those within them too', () => {
  const shapes = createNamedShapes(() => false);
  assert.deepEqual(answerOf(shapes.refer(answering(Provider))), refTo('Provider'));
  assert.deepEqual(answerOf(shapes.refer(answering(pageOf(Provider)))), refTo('ProviderPage'));
  assert.deepEqual(
    shapes.all().map(([name]) => name),
    ['Provider', 'ProviderPage', 'Unit'],
  );
  assert.deepEqual(shapes.find('Provider'), {
    type: 'object',
    required: ['name', 'unit'],
    properties: { name: { type: 'string' }, unit: refTo('Unit') },
  });
  assert.equal(shapes.find('Goal'), undefined);
});

test('parameters and bodies refer too, in each media type', () => {
  const shapes = createNamedShapes(() => false);
  const content = { 'application/json': { schema: Provider }, 'text/csv': {} };
  const { parameters, requestBody } = shapes.refer({
    parameters: [{ name: 'unit', schema: Unit }, { name: 'plain', schema: { type: 'string' } }, refTo('Kept')],
    requestBody: { required: true, content },
  });
  assert.deepEqual(parameters, [
    { name: 'unit', schema: refTo('Unit') },
    { name: 'plain', schema: { type: 'string' } },
    refTo('Kept'),
  ]);
  assert.deepEqual(requestBody, {
    required: true,
    content: { 'application/json': { schema: refTo('Provider') }, 'text/csv': {} },
  });
});

test('a member that is called title names nothing', () => {
  const shapes = createNamedShapes(() => false);
  const form = Type.Object({ title: Type.String() });
  assert.equal(JSON.stringify(answerOf(shapes.refer(answering(form)))), JSON.stringify(form));
  assert.deepEqual(shapes.all(), []);
});

test('what is said of one place is beside the reference, and null is no part of the shape', () => {
  const shapes = createNamedShapes(() => false);
  const places = Type.Object({
    first: Type.Unsafe({ ...Unit, description: 'Of the first' }),
    second: Type.Unsafe({ ...Unit, type: ['object', 'null'] }),
    third: Type.Union([Unit, Type.Null()]),
  });
  const { properties } = answerOf(shapes.refer(answering(places))) as { properties: object };
  assert.deepEqual(properties, {
    first: { ...refTo('Unit'), description: 'Of the first' },
    second: { anyOf: [refTo('Unit'), { type: 'null' }] },
    third: { anyOf: [refTo('Unit'), { type: 'null' }] },
  });
});

test('two shapes of one name are an error, however their keywords are ordered; so is a name of another form', () => {
  const shapes = createNamedShapes((name) => name === 'Patient');
  shapes.refer(answering({ title: 'Unit', type: 'string', maxLength: 5 }));
  shapes.refer(answering({ maxLength: 5, type: 'string', title: 'Unit' }));
  assert.throws(() => shapes.refer(answering(Unit)), /Two shapes have the name Unit: .*maxLength.* and .*properties/);
  assert.throws(() => shapes.refer(answering({ ...Unit, title: 'Patient' })), /Patient is the name of another/);
  assert.throws(() => shapes.refer(answering({ ...Unit, title: 'unit of care' })), /PascalCase, not unit of care/);
});
