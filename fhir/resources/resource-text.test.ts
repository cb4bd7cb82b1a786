// Resources as text: parsing, splicing of id and meta, duplicate members, entries of bundles.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '#lib/errors.ts';
import { decodeUtf8 } from '#lib/json/utf8.ts';
import { entryResources, readEntryResource, readResourceText, spliceMeta } from './resource-text.ts';

const VERSION = { id: 'a-1', versionId: '3', lastUpdated: '2026-11-21T10:00:00.000Z' };
const STAMP = '"versionId":"3","lastUpdated":"2026-11-21T10:00:00.000Z"';

function issue(run: () => unknown): ServiceError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return error;
  }
  throw new assert.AssertionError({ message: 'nothing was thrown' });
}

test('id and meta are set and the rest stays as written', () => {
  const text = '{ "resourceType" : "Observation","valueQuantity": {"value":1.0 , "x":1e2},\n "status":"f\\u00e5\\"{"}';
  assert.equal(
    spliceMeta(text, VERSION),
    `{"resourceType":"Observation","id":"a-1","meta":{${STAMP}},"valueQuantity": {"value":1.0 , "x":1e2},\n "status":"f\\u00e5\\"{"}`,
  );
});

test("the client's own id, version and time are replaced, its other meta members kept", () => {
  const text =
    '{"meta":{"tag":[{"code":"a"}],"versionId":"9","profile":["p"]},"id":"old","active":true,"resourceType":"Patient","z":-0.10}';
  assert.equal(
    spliceMeta(text, VERSION),
    `{"resourceType":"Patient","id":"a-1","meta":{${STAMP},"tag":[{"code":"a"}],"profile":["p"]},"active":true,"z":-0.10}`,
  );
});

test('splicing its own result again changes only the version', () => {
  const once = spliceMeta('{"resourceType":"Patient","meta":{},"active":true}', VERSION);
  assert.equal(spliceMeta(once, VERSION), once);
  assert.equal(spliceMeta(once, { ...VERSION, versionId: '4' }), once.replace('"versionId":"3"', '"versionId":"4"'));
});

test('keys written with escapes are the same keys', () => {
  assert.equal(
    spliceMeta('{"resourceType":"Patient","\\u0069d":"b","met\\u0061":{"version\\u0049d":"1"}}', VERSION),
    `{"resourceType":"Patient","id":"a-1","meta":{${STAMP}}}`,
  );
});

test('duplicate members are named, at every depth', () => {
  const error = issue(() => readResourceText('{"resourceType":"Patient","a":[{"b":1},{"c":1,"\\u0063":2}],"a":1}'));
  assert.equal(error.code, 'invalid_request');
  assert.deepEqual(
    error.issues.map((each) => each.field),
    ['a[1].c', 'a'],
  );
});

test('a text that is not a JSON object is refused with the place', () => {
  const cases: [string, RegExp][] = [
    ['', /it is empty/],
    ['{"resourceType":"Patient"', /not valid JSON/],
    ['{"resourceType":"Patient",\n "a":tru}', /line 2, column/],
    ['[]', /must be a JSON object/],
    ['"x"', /must be a JSON object/],
    ['null', /must be a JSON object/],
    ['{"a":1}', /resourceType is missing/],
    ['{"resourceType":1}', /resourceType is missing/],
    [`{"resourceType":"Patient","a":${'['.repeat(300)}${']'.repeat(300)}}`, /deeper than 256/],
  ];
  for (const [text, message] of cases) assert.match(issue(() => readResourceText(text)).message, message, text);
  assert.match(issue(() => spliceMeta('{"resourceType":"Patient","meta":[]}', VERSION)).message, /meta must be/);
});

test('an error message holds nothing of the body', () => {
  assert.doesNotMatch(issue(() => readResourceText('{"name":"Secret", oops}')).message, /Secret|oops/);
});

test('bytes that are not UTF-8 are refused, a byte order mark is dropped', () => {
  assert.equal(decodeUtf8(Buffer.from('\ufeff{"å":1}')), '{"å":1}');
  assert.match(issue(() => decodeUtf8(Buffer.from([0x7b, 0xff, 0x7d]))).message, /UTF-8/);
});

test('entries of a bundle keep their own text', () => {
  const texts = (text: string) => {
    const bundle = readResourceText(text);
    return entryResources(bundle).map((entry) => entry && readEntryResource(bundle, entry).text);
  };
  const first = '{"fullUrl":"urn:x","resource": {"resourceType":"Basic","n":1.00}}';
  const second = '{"resource" :{ "a":"]}","resourceType":"X" } ,"resources":{}}';
  assert.deepEqual(texts(`{"entry":[ ${first}, {"request":{}},${second} ,7],"resourceType":"Bundle"}`), [
    '{"resourceType":"Basic","n":1.00}',
    undefined,
    '{ "a":"]}","resourceType":"X" }',
    undefined,
  ]);
  assert.deepEqual(texts('{"resourceType":"Bundle"}'), []);
  assert.deepEqual(texts('{"resourceType":"Bundle","entry":{"resource":{}}}'), []);
  for (const resource of ['{}', '[]', '7', 'null', '{"resourceType":1}']) {
    assert.equal(
      issue(() => texts(`{"resourceType":"Bundle","entry":[{"resource":${resource}}]}`)).code,
      'invalid_request',
    );
  }
});

test('a resource of a bundle is read as it would be by itself', () => {
  const space = fc.constantFrom('', ' ', '\n\t');
  const resources = fc.array(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 3 })), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(resources, space, (given, indent) => {
      const entry = given.map((members) => ({
        fullUrl: '{"resource":[',
        resource: { ...members, resourceType: 'Basic' },
      }));
      const bundle = readResourceText(JSON.stringify({ resourceType: 'Bundle', entry }, null, indent));
      const found = entryResources(bundle).map((each) => each && readEntryResource(bundle, each));
      assert.deepEqual(
        found,
        found.map((each) => readResourceText(each?.text ?? '')),
      );
      assert.equal(found.length, entry.length);
    }),
  );
});

const MEMBER_KEY = fc.string({ unit: 'grapheme' }).filter((key) => !['resourceType', 'id', 'meta'].includes(key));

test('any JSON keeps every other member byte for byte', () => {
  const members = fc.uniqueArray(fc.tuple(MEMBER_KEY, fc.jsonValue({ maxDepth: 4 })), {
    selector: ([key]) => key,
    maxLength: 6,
  });
  fc.assert(
    fc.property(members, fc.nat(6), fc.constantFrom('', ' ', '\n\t'), (pairs, place, space) => {
      const texts = pairs.map(
        ([key, value]) => `${JSON.stringify(key)}${space}:${space}${JSON.stringify(value, null, space)}`,
      );
      const head = ['"resourceType":"Basic"', '"id":"old"', '"meta":{"versionId":"1","source":"s"}'];
      const all = [...texts.slice(0, place), ...head, ...texts.slice(place)];
      const spliced = spliceMeta(`{${space}${all.join(`,${space}`)}${space}}`, VERSION);
      const expected = Object.fromEntries([['resourceType', 'Basic'], ['id', 'a-1'], ...pairs]);
      const { meta, ...rest } = JSON.parse(spliced);
      assert.deepEqual(meta, { versionId: '3', lastUpdated: VERSION.lastUpdated, source: 's' });
      assert.equal(JSON.stringify(rest), JSON.stringify(expected));
      for (const text of texts) assert.ok(spliced.includes(text));
    }),
    { numRuns: 500 },
  );
});

test('a bundle may nest as deep, and name its members as often, as any other resource', () => {
  const isRefused = (text: string) => {
    try {
      readResourceText(text);
      return undefined;
    } catch (error) {
      return error instanceof ServiceError ? error.message : String(error);
    }
  };
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const depths = Array.from({ length: 20 }, (_, index) => 245 + index);
  const entries = [
    ...depths.flatMap((depth) => [
      `{"resource":{"resourceType":"Basic","deep":${nested(depth)}}}`,
      `{"resource":${nested(depth)}}`,
      `{"request":${nested(depth)},"resource":{}}`,
      nested(depth),
    ]),
    '{"resource":{"a":1,"a":2}}',
    '{"resource":{},"resource":{}}',
    '{"request":{"a":{"b":1,"b":2}}}',
    '[{"a":1,"a":1}]',
  ];
  const outcomes = entries.map((entry) => {
    const of = (type: string) => isRefused(`{"entry": [ ${entry} ,1], "resourceType":"${type}", "id":"x"}`);
    const [asBundle, asOther] = [of('Bundle'), of('Parameters')];
    assert.equal(asBundle, asOther, entry.slice(0, 60));
    return asBundle;
  });
  assert.ok(outcomes.includes(undefined));
  assert.ok(outcomes.some((outcome) => outcome?.includes('deeper')) && outcomes.at(-1)?.includes('more than once'));
});
