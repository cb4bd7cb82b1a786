// Mutations of the structure: members dropped, doubled, renamed and of another JSON form; cardinality; choices.
import { pick } from '#test/support/random.ts';
import { changeMember, changeObject, isObject, type MemberPlace, type Mutation, setValue } from './places.ts';

const isRequired = ({ slot }: MemberPlace): boolean => slot.element.min > 0;
const isList = ({ holder, name }: MemberPlace): boolean => Array.isArray(holder[name]);
const isSingle = ({ slot }: MemberPlace): boolean => !slot.element.isArray;
const isComplex = ({ slot }: MemberPlace): boolean =>
  slot.type.primitive === undefined && slot.type.code !== 'Resource';

export const ELEMENTS: Readonly<Record<string, Mutation>> = {
  'drop any element': (places) => changeMember(places, () => true, drop),
  'rename an element': (places) =>
    changeMember(
      places,
      () => true,
      (place) => rename(place, `${place.name}X`),
    ),
  'rename to another case': (places) =>
    changeMember(
      places,
      () => true,
      (place) => rename(place, place.name.toUpperCase()),
    ),
  'unknown element': (places) =>
    changeObject(
      places,
      () => true,
      ({ object }) => {
        object['unheardOf'] = 'x';
      },
    ),
  'unknown element with an underscore': (places) =>
    changeObject(
      places,
      () => true,
      ({ object }) => {
        object['_unheardOf'] = { id: 'x' };
      },
    ),
  'move an element to the resource': (places) =>
    changeMember(
      places,
      (place) => place.holder !== place.resource,
      ({ holder, name, resource }) => {
        if (Object.hasOwn(resource, name)) return false;
        resource[name] = holder[name];
        delete holder[name];
        return true;
      },
    ),
  'resource of another type': (places) =>
    changeObject(
      places,
      ({ object }) => typeof object['resourceType'] === 'string',
      ({ object }) => {
        object['resourceType'] = object['resourceType'] === 'Basic' ? 'Flag' : 'Basic';
      },
    ),
  'resource of no type': (places) =>
    changeObject(
      places,
      ({ object }) => typeof object['resourceType'] === 'string',
      ({ object }) => {
        object['resourceType'] = 'Patientt';
      },
    ),
};

export const FORMS: Readonly<Record<string, Mutation>> = {
  'empty list': (places) =>
    changeMember(places, isList, ({ holder, name }) => {
      holder[name] = [];
    }),
  'empty object': (places) => changeMember(places, isComplex, (place, random) => setValue(place, {}, random)),
  'null instead of a value': (places) =>
    changeMember(places, isSingle, ({ holder, name }) => {
      holder[name] = null;
    }),
  'null in a list': (places) =>
    changeMember(places, isList, ({ holder, name }) => {
      const list = holder[name];
      if (Array.isArray(list)) list.push(null);
    }),
  'text instead of an object': (places) =>
    changeMember(places, isComplex, (place, random) => setValue(place, 'x', random)),
  'object instead of a primitive': (places) =>
    changeMember(
      places,
      ({ slot }) => slot.type.primitive !== undefined,
      (place, random) => setValue(place, { value: 'x' }, random),
    ),
  'sibling of a primitive that has no value': (places) =>
    changeMember(
      places,
      ({ slot }) => isSinglePrimitive(slot),
      ({ holder, name }) => {
        delete holder[name];
        holder[`_${name}`] = { id: 'x' };
      },
    ),
  'extension instead of a value': (places) =>
    changeMember(
      places,
      ({ slot }) => isSinglePrimitive(slot),
      ({ holder, name }) => {
        delete holder[name];
        holder[`_${name}`] = {
          extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
        };
      },
    ),
  'sibling beside what is no primitive': (places) =>
    changeMember(
      places,
      (place) => isComplex(place),
      ({ holder, name }) => {
        holder[`_${name}`] = { id: 'x' };
      },
    ),
  'siblings of another length': (places) =>
    changeMember(
      places,
      (place) => isList(place) && place.slot.type.primitive !== undefined,
      ({ holder, name }) => {
        const list = holder[name];
        if (Array.isArray(list)) holder[`_${name}`] = [...list.map(() => null), { id: 'x' }];
      },
    ),
};

export const CARDINALITY: Readonly<Record<string, Mutation>> = {
  'drop a required element': (places) => changeMember(places, isRequired, drop),
  'drop an entry of a list': (places) =>
    changeMember(places, isList, ({ holder, name }, random) => {
      const list = holder[name];
      if (!Array.isArray(list) || list.length < 2) return false;
      list.splice(Math.floor(random() * list.length), 1);
      return true;
    }),
  'double an entry of a list': (places) =>
    changeMember(places, isList, ({ holder, name }, random) => {
      const list = holder[name];
      if (Array.isArray(list)) list.push(structuredClone(pick(random, list)));
    }),
  'list instead of a single value': (places) =>
    changeMember(places, isSingle, ({ holder, name }) => {
      holder[name] = [holder[name]];
    }),
  'single value instead of a list': (places) =>
    changeMember(places, isList, ({ holder, name }) => {
      const list = holder[name];
      if (Array.isArray(list)) holder[name] = list[0];
    }),
};

export const CHOICES: Readonly<Record<string, Mutation>> = {
  'second type of a choice': (places) => changeMember(places, ({ slot }) => slot.element.isChoice, addSecondType),
  'type that a choice does not have': (places) =>
    changeMember(
      places,
      ({ slot }) => slot.element.isChoice,
      (place) => rename(place, `${place.slot.element.name}Xhtml`),
    ),
  'choice without its type': (places) =>
    changeMember(
      places,
      ({ slot }) => slot.element.isChoice,
      (place) => rename(place, place.slot.element.name),
    ),
  'value of a choice under another type': (places) =>
    changeMember(
      places,
      ({ slot }) => slot.element.isChoice && slot.element.jsonNames.length > 1,
      (place, random) =>
        rename(
          place,
          pick(
            random,
            place.slot.element.jsonNames.filter((name) => name !== place.name),
          ),
        ),
    ),
};

function isSinglePrimitive({ element, type }: MemberPlace['slot']): boolean {
  return !element.isArray && type.primitive !== undefined && element.name !== 'id' && type.code !== 'xhtml';
}

function drop({ holder, name }: MemberPlace): void {
  delete holder[name];
  delete holder[`_${name}`];
}

function rename({ holder, name }: MemberPlace, other: string): boolean {
  if (Object.hasOwn(holder, other)) return false;
  holder[other] = holder[name];
  delete holder[name];
  return true;
}

function addSecondType({ holder, name, slot }: MemberPlace): boolean {
  const other = slot.element.types.findIndex(
    ({ code }, index) =>
      ['string', 'boolean', 'dateTime', 'CodeableConcept'].includes(code) && slot.element.jsonNames[index] !== name,
  );
  const jsonName = slot.element.jsonNames[other];
  const code = slot.element.types[other]?.code;
  if (jsonName === undefined || isObject(holder[jsonName])) return false;
  const samples: Readonly<Record<string, unknown>> = {
    boolean: true,
    dateTime: '2024-01-01',
    CodeableConcept: { text: 'x' },
  };
  holder[jsonName] = samples[code ?? ''] ?? 'x';
  return true;
}
