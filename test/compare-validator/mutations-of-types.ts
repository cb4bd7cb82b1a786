// Mutations of data types: references, extensions, and the invariants of periods, quantities, attachments and the like.
import { createHash } from 'node:crypto';
import { pick } from '#test/support/random.ts';
import {
  changeMember,
  changeObject,
  isOf,
  isPrimitive,
  type Json,
  type Mutation,
  type ObjectPlace,
  type Places,
  setValue,
} from './places.ts';

const REFERENCE_TEXTS: Readonly<Record<string, readonly string[]>> = {
  'reference to another type': ['Basic/1', 'http://example.org/fhir/Basic/1', 'Basic/1/_history/1'],
  'text that is no reference': [
    'Patient/',
    'Patient/a_b',
    'Device/a_b',
    '/Patient/1',
    'x',
    'Patient/1/2',
    'Patient/1|2',
    'Unheard/1',
    'patient/1',
    'Patient?identifier=x|1',
  ],
  'reference with white space': ['Patient 1', ' Patient/1', 'Patient/ 1', 'http://example.org/fhir/Patient/1 '],
  'reference of an empty text': ['', ' '],
  'reference to nothing contained': ['#unheard-of', '#a_b'],
  'reference by an address': [
    'http://example.org/fhir/Patient/a_b',
    'urn:uuid:c757873d-ec9a-4326-a141-556f43239520',
    'urn:oid:1.2.3',
    'https://example.org/x',
  ],
};

const ADDED: Readonly<Record<string, Json>> = {
  'unknown extension': { url: 'http://example.org/fhir/StructureDefinition/unheard-of', valueString: 'x' },
  'extension without url': { valueString: 'x' },
  'extension without value': { url: 'http://example.org/fhir/StructureDefinition/unheard-of' },
  'extension of a relative url': { url: 'unheard-of', valueString: 'x' },
  'extension with value and extensions': {
    url: 'http://example.org/fhir/StructureDefinition/unheard-of',
    valueString: 'x',
    extension: [{ url: 'inner', valueString: 'y' }],
  },
  'extension with two values': {
    url: 'http://example.org/fhir/StructureDefinition/unheard-of',
    valueString: 'x',
    valueCode: 'y',
  },
  'extension of a value type there is not': {
    url: 'http://example.org/fhir/StructureDefinition/unheard-of',
    valueWord: 'x',
  },
  'known extension of a wrong value type': {
    url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason',
    valueString: 'unknown',
  },
  'known extension of a wrong code': {
    url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason',
    valueCode: 'unheard-of',
  },
  'known extension': { url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' },
  'known extension at a wrong place': {
    url: 'http://hl7.org/fhir/StructureDefinition/patient-birthPlace',
    valueAddress: { city: 'x' },
  },
  'known extension of a version': {
    url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason|5.0.0',
    valueCode: 'unknown',
  },
};

const KILOGRAM = { unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' };

const setReference =
  (texts: readonly string[]): Mutation =>
  (places) =>
    changeObject(
      places,
      ({ shape, object }) => shape.path === 'Reference' && Object.hasOwn(object, 'reference'),
      ({ object }, random) => {
        object['reference'] = pick(random, texts);
      },
    );

const addExtension =
  (extension: Json): Mutation =>
  (places) =>
    changeObject(
      places,
      ({ shape }) => shape.slots.has('extension'),
      ({ object }) => {
        const list = object['extension'];
        object['extension'] = [...(Array.isArray(list) ? list : []), structuredClone(extension)];
      },
    );

export const REFERENCES: Readonly<Record<string, Mutation>> = {
  ...mapped(REFERENCE_TEXTS, setReference),
  'reference to a version': onReference((object) => {
    object['reference'] = `${String(object['reference'])}/_history/1`;
  }),
  'reference with its type named': onReference((object) => {
    object['type'] = String(object['reference']).split('/')[0];
  }),
  'reference with an identifier': onReference((object) => {
    object['identifier'] = { system: 'http://example.org/ids', value: 'x' };
  }),
  'reference with an identifier of a text': onReference((object) => {
    object['identifier'] = 'x';
  }),
  'reference with an extension': onReference((object) => {
    object['extension'] = [{ url: 'http://example.org/fhir/StructureDefinition/unheard-of', valueString: 'x' }];
  }),
  'reference with an unknown element': onReference((object) => {
    object['resource'] = { resourceType: 'Patient' };
  }),
  'reference with a display that is a number': onReference((object) => {
    object['display'] = 7;
  }),
  'reference that is a text': (places) =>
    changeMember(
      places,
      ({ slot }) => slot.type.code === 'Reference',
      (place, random) => setValue(place, 'Patient/1', random),
    ),
  'reference with another type named': on('Reference', ({ object }) => {
    object['type'] = 'Basic';
  }),
  'reference with a type that there is not': on('Reference', ({ object }) => {
    object['type'] = 'Unheard';
  }),
  'reference of a display alone': on('Reference', ({ object }) => {
    delete object['reference'];
    object['display'] = 'x';
  }),
  'reference of nothing': on('Reference', ({ object }) => {
    for (const name of Object.keys(object)) delete object[name];
    object['id'] = 'x';
  }),
};

export const EXTENSIONS: Readonly<Record<string, Mutation>> = {
  ...mapped(ADDED, addExtension),
  'modifier extension': (places) =>
    changeObject(
      places,
      ({ shape }) => shape.slots.has('modifierExtension'),
      ({ object }) => {
        object['modifierExtension'] = [
          { url: 'http://example.org/fhir/StructureDefinition/unheard-of', valueString: 'x' },
        ];
      },
    ),
  'modifier extension where there may be none': (places) =>
    changeObject(
      places,
      ({ shape }) => shape.slots.has('extension') && !shape.slots.has('modifierExtension'),
      ({ object }) => {
        object['modifierExtension'] = [
          { url: 'http://example.org/fhir/StructureDefinition/unheard-of', valueString: 'x' },
        ];
      },
    ),
  'extension of a primitive': (places) =>
    changeMember(
      places,
      (place) => isPrimitive()(place) && !place.slot.element.isArray && place.name !== 'id',
      ({ holder, name }) => {
        holder[`_${name}`] = {
          extension: [{ url: 'http://example.org/fhir/StructureDefinition/unheard-of', valueString: 'x' }],
        };
      },
    ),
};

export const INVARIANTS: Readonly<Record<string, Mutation>> = {
  'period that ends before it begins': on('Period', ({ object }) => {
    object['start'] = '2024-06-01T00:00:00Z';
    object['end'] = '2024-05-01T00:00:00Z';
  }),
  'period of two precisions': on('Period', ({ object }) => {
    object['start'] = '2024-06-01T00:00:00Z';
    object['end'] = '2024';
  }),
  'quantity with a code and no system': on('Quantity', ({ object }) => {
    delete object['system'];
    object['code'] = 'kg';
  }),
  'quantity of a unit there is not': on('Quantity', ({ object }) => {
    object['system'] = 'http://unitsofmeasure.org';
    object['code'] = 'unheard-of';
  }),
  'quantity with a comparator': on('Quantity', ({ object }) => {
    object['comparator'] = '<';
  }),
  'range of two units': on('Range', ({ object }) => {
    object['low'] = { value: 5, ...KILOGRAM };
    object['high'] = { value: 4, unit: 'g' };
  }),
  'range that ends before it begins': on('Range', ({ object }) => {
    object['low'] = { value: 5, ...KILOGRAM };
    object['high'] = { value: 4, ...KILOGRAM };
  }),
  'ratio of a numerator alone': on('Ratio', ({ object }) => {
    delete object['denominator'];
  }),
  'quantity with a unit alone': on('Quantity', ({ object }) => {
    delete object['code'];
    delete object['system'];
    object['unit'] = 'x';
  }),
  'quantity without a value': on('Quantity', ({ object }) => {
    delete object['value'];
  }),
  'contact point with a system alone': on('ContactPoint', ({ object }) => {
    delete object['value'];
    object['system'] = 'phone';
  }),
  'period with an end alone': on('Period', ({ object }) => {
    delete object['start'];
    object['end'] = '2024';
  }),
  'name in two languages': on('HumanName', ({ object }) => {
    object['text'] = 'Åsa Öberg 安';
  }),
  'contact point without a system': on('ContactPoint', ({ object }) => {
    delete object['system'];
    object['value'] = 'x';
  }),
  'attachment without a content type': on('Attachment', ({ object }) => {
    delete object['contentType'];
    object['data'] = 'aGVsbG8=';
  }),
  'attachment of another size': on('Attachment', ({ object }) => setData(object, { size: '7' })),
  'attachment of its size': on('Attachment', ({ object }) => setData(object, { size: '5' })),
  'attachment of another hash': on('Attachment', ({ object }) => setData(object, { hash: digest('other') })),
  'attachment of its hash': on('Attachment', ({ object }) => setData(object, { hash: digest('hello') })),
  'identifier without a value': on('Identifier', ({ object }) => {
    delete object['value'];
    object['system'] = 'http://example.org/ids';
  }),
  'identifier of a relative system': on('Identifier', ({ object }) => {
    object['system'] = 'my-ids';
  }),
  'timing of a negative count': on('Timing.repeat', ({ object }) => {
    object['duration'] = -1;
    object['durationUnit'] = 'h';
  }),
  'timing of a duration without a unit': on('Timing.repeat', ({ object }) => {
    object['duration'] = 1;
    delete object['durationUnit'];
  }),
  'timing with an offset and no event': on('Timing.repeat', ({ object }) => {
    object['offset'] = 5;
    delete object['when'];
  }),
  'signature of nothing': on('Signature', ({ object }) => {
    object['data'] = 'x';
  }),
  'annotation of two authors': on('Annotation', ({ object }) => {
    object['authorString'] = 'x';
    object['authorReference'] = { reference: 'Patient/1' };
  }),
  'observation with a value and a reason for none': on('Observation', ({ object }) => {
    object['dataAbsentReason'] = { text: 'x' };
  }),
  'patient contact without anything': on('Patient', ({ object }) => {
    object['contact'] = [{ gender: 'male' }];
  }),
  'questionnaire with a link id twice': (places) =>
    changeObject(
      places,
      ({ object }) => Array.isArray(object['item']) && 'linkId' in Object(object['item'][0]),
      ({ object }) => {
        const items = object['item'];
        if (Array.isArray(items)) items.push(structuredClone(items[0]));
      },
    ),
  'name that no program can use': (places) =>
    changeMember(
      places,
      ({ name, shape }) => name === 'name' && shape.slots.get('name')?.type.code === 'string' && shape.slots.has('url'),
      ({ holder }) => {
        holder['name'] = 'two words';
      },
    ),
  'address with a bar': (places) =>
    changeMember(
      places,
      ({ name, shape }) => name === 'url' && shape.slots.has('status') && shape.slots.has('publisher'),
      ({ holder }) => {
        holder['url'] = 'http://example.org/fhir/x|1';
      },
    ),
  'one id of two elements': (places) => {
    const fit = places.objects.filter(
      ({ object, shape }) => shape.slots.has('extension') && object['resourceType'] === undefined,
    );
    const [one, other] = fit;
    if (one === undefined || other === undefined) return undefined;
    one.object['id'] = 'same';
    other.object['id'] = 'same';
    return other.path;
  },
};

function on(type: string, change: (place: ObjectPlace) => void): Mutation {
  return (places: Places) => changeObject(places, isOf(type), change);
}

/** A reference by type and id. */
function onReference(change: (reference: Json) => void): Mutation {
  return (places: Places) =>
    changeObject(
      places,
      ({ shape, object }) => shape.path === 'Reference' && /^[A-Z]\w+\/[\w-]+$/.test(String(object['reference'])),
      ({ object }) => change(object),
    );
}

function mapped<T>(table: Readonly<Record<string, T>>, make: (entry: T) => Mutation): Record<string, Mutation> {
  return Object.fromEntries(Object.entries(table).map(([name, entry]) => [name, make(entry)]));
}

function setData(attachment: Json, said: Json): void {
  for (const name of ['url', 'size', 'hash', '_data']) delete attachment[name];
  Object.assign(attachment, { contentType: 'text/plain', data: Buffer.from('hello').toString('base64') }, said);
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64');
}
