// Mutations of whole resources: contained ones, bundles, profiles that are claimed, and what else is at the top of
// a resource.
import { pick } from '#test/support/random.ts';
import { changeObject, changeRoot, isObject, isOf, type Json, type Mutation, type Places } from './places.ts';

const NARRATIVE_START = '<div xmlns="http://www.w3.org/1999/xhtml">x';

export const CONTAINED: Readonly<Record<string, Mutation>> = {
  'contained resource that nobody refers to': contain({ resourceType: 'Organization', id: 'lonely', name: 'x' }),
  'contained resource without an id': contain({ resourceType: 'Organization', name: 'x' }),
  'contained resource with contained ones': contain({
    resourceType: 'Organization',
    id: 'outer',
    name: 'x',
    contained: [{ resourceType: 'Organization', id: 'inner', name: 'y' }],
  }),
  'contained resource that refers to its container': contain({
    resourceType: 'Provenance',
    id: 'referring',
    target: [{ reference: '#' }],
    agent: [{ who: { display: 'x' } }],
  }),
  'contained resource with a version': contain({
    resourceType: 'Organization',
    id: 'versioned',
    meta: { versionId: '1', lastUpdated: '2024-01-01T00:00:00Z' },
    name: 'x',
  }),
  'contained resource that lacks a required element': contain({ resourceType: 'Basic', id: 'bad' }),
  'contained resource named by an image': (places) =>
    changeRoot(places, (root) => {
      addContained(root, { resourceType: 'Binary', id: 'picture', contentType: 'image/png', data: 'aGVsbG8=' });
      root['text'] = { status: 'generated', div: `${NARRATIVE_START}<img src="#picture" alt="x"/></div>` };
    }),
  'contained resource named by a link': (places) =>
    changeRoot(places, (root) => {
      addContained(root, { resourceType: 'Organization', id: 'linked', name: 'x' });
      root['text'] = { status: 'generated', div: `${NARRATIVE_START}<a href="#linked">x</a></div>` };
    }),
  'two contained resources of one id': (places) =>
    changeRoot(places, (root) => {
      const list = root['contained'];
      if (!Array.isArray(list)) return false;
      list.push(structuredClone(list[0]));
      return true;
    }),
  'no contained resources': (places) =>
    changeRoot(places, (root) => {
      const had = Object.hasOwn(root, 'contained');
      delete root['contained'];
      return had;
    }),
};

export const BUNDLES: Readonly<Record<string, Mutation>> = {
  'entry twice in a bundle': (places) =>
    changeEntries(places, (entries) => {
      entries.push(...structuredClone(entries.slice(0, 1)));
    }),
  'entry of another full URL': setInEntry('fullUrl', 'http://example.org/fhir/Patient/unheard-of'),
  'entry of a versioned full URL': setInEntry('fullUrl', 'http://example.org/fhir/Patient/1/_history/1'),
  'entry without a full URL': setInEntry('fullUrl', undefined),
  'entry of a relative full URL': setInEntry('fullUrl', 'Patient/1'),
  'entry with a request': setInEntry('request', { method: 'GET', url: 'Patient/1' }),
  'entry with a search': setInEntry('search', { mode: 'match' }),
  'entry without a resource': setInEntry('resource', undefined),
  'entry with a response': setInEntry('response', { status: '200 OK' }),
  'bundle of another type': (places) =>
    changeObject(places, isOf('Bundle'), ({ object }, random) => {
      object['type'] = pick(random, ['transaction', 'searchset', 'collection', 'history', 'document', 'message']);
    }),
  'bundle with a total': (places) =>
    changeObject(places, isOf('Bundle'), ({ object }) => {
      object['total'] = 5;
    }),
};

const BASE = 'http://hl7.org/fhir/StructureDefinition/';

export const PROFILES: Readonly<Record<string, Mutation>> = {
  ...Object.fromEntries(
    Object.entries({
      'profile that is not known': 'http://example.org/fhir/StructureDefinition/unheard-of',
      'profile of vital signs': `${BASE}vitalsigns`,
      'profile of a lipid panel': `${BASE}lipidprofile`,
      'profile of shareable value sets': `${BASE}shareablevalueset`,
      'profile of another type': `${BASE}Basic`,
      'profile that is a relative address': 'vitalsigns',
      'profile of a version that there is not': `${BASE}vitalsigns|4.0.1`,
    }).map(([name, profile]): [string, Mutation] => [name, claim(() => true, profile)]),
  ),
  ...Object.fromEntries(
    ['vitalsigns', 'bodyweight', 'bp', 'heartrate', 'cholesterol'].map((name): [string, Mutation] => [
      `observation of the profile ${name}`,
      claim(({ resourceType }) => resourceType === 'Observation', BASE + name),
    ]),
  ),
  'definition that is to be shareable': (places) =>
    changeRoot(places, (root) => {
      const type = String(root['resourceType']);
      if (!['ValueSet', 'CodeSystem', 'Library', 'Measure', 'PlanDefinition'].includes(type)) return false;
      metaOf(root)['profile'] = [`${BASE}shareable${type.toLowerCase()}`];
      return true;
    }),
  'security label that nobody knows': (places) =>
    changeRoot(places, (root) => {
      metaOf(root)['security'] = [{ system: 'http://example.org/labels', code: 'x' }];
    }),
  'implicit rules': (places) =>
    changeRoot(places, (root) => {
      root['implicitRules'] = 'http://example.org/rules';
    }),
};

function claim(isFit: (root: Json) => boolean, profile: string): Mutation {
  return (places) =>
    changeRoot(places, (root) => {
      if (!isFit(root)) return false;
      metaOf(root)['profile'] = [profile];
      return true;
    });
}

function setInEntry(name: string, value: unknown): Mutation {
  return (places) =>
    changeEntries(places, ([entry]) => {
      if (entry === undefined) return;
      if (value === undefined) delete entry[name];
      else entry[name] = structuredClone(value);
    });
}

function changeEntries(places: Places, change: (entries: Json[]) => void): string | undefined {
  return changeObject(places, isOf('Bundle'), ({ object }) => {
    const entries = object['entry'];
    if (!Array.isArray(entries) || !entries.every(isObject) || entries.length === 0) return false;
    change(entries);
    return true;
  });
}

function contain(resource: Json): Mutation {
  return (places) => changeRoot(places, (root) => addContained(root, structuredClone(resource)));
}

function addContained(root: Json, resource: Json): void {
  const list = root['contained'];
  root['contained'] = [...(Array.isArray(list) ? list : []), resource];
}

function metaOf(root: Json): Json {
  const meta = isObject(root['meta']) ? root['meta'] : {};
  root['meta'] = meta;
  return meta;
}
