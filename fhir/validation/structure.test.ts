// Types, JSON forms and primitive siblings: broken resources, each refused at the right place.
import { type Case, type Json, OBSERVATION, PATIENT, testBroken } from './broken-resources.ts';

const extension = (...members: Json[]): Json => ({ extension: members });

const CASES: readonly Case[] = [
  // Types and unknown elements
  ['no resourceType', PATIENT, { resourceType: undefined }, 'Resource.resourceType', 'required'],
  ['an abstract type', PATIENT, { resourceType: 'DomainResource' }, 'DomainResource.resourceType', 'structure'],
  ['no type at all', PATIENT, { resourceType: 'Human' }, 'Human.resourceType', 'structure'],
  ['a data type', PATIENT, { resourceType: 'HumanName' }, 'HumanName.resourceType', 'structure'],
  ['a number as type', PATIENT, { resourceType: 1 }, 'Resource.resourceType', 'required'],
  ['an unknown element', PATIENT, { surname: 'A' }, 'Patient.surname', 'structure'],
  ['an unknown element below', PATIENT, { name: [{ surname: 'A' }] }, 'Patient.name[0].surname', 'structure'],
  ['an unknown element of a backbone', PATIENT, { contact: [{ name: {}, x: 1 }] }, 'Patient.contact[0].x', 'structure'],
  [
    'resourceType in a data type',
    PATIENT,
    { name: [{ resourceType: 'HumanName', text: 'A' }] },
    'Patient.name[0].resourceType',
    'structure',
  ],
  ['a comment', PATIENT, { fhir_comments: ['a'] }, 'Patient.fhir_comments', 'structure'],
  ['an element of another case', PATIENT, { BirthDate: '2000' }, 'Patient.BirthDate', 'structure'],
  ['an underscore before a complex element', PATIENT, { _name: [{ id: 'a' }] }, 'Patient._name', 'structure'],
  ['__proto__', PATIENT, JSON.parse('{"__proto__":{"a":1}}'), 'Patient.__proto__', 'structure'],
  // JSON forms
  ['an object for an array', PATIENT, { name: { text: 'A' } }, 'Patient.name', 'structure'],
  ['an array for a single value', PATIENT, { gender: ['male'] }, 'Patient.gender', 'structure'],
  ['an array for an object', PATIENT, { maritalStatus: [{ text: 'a' }] }, 'Patient.maritalStatus', 'structure'],
  ['a string for an object', PATIENT, { name: ['A'] }, 'Patient.name[0]', 'structure'],
  ['an object for a string', PATIENT, { birthDate: { value: '2000' } }, 'Patient.birthDate', 'structure'],
  ['a string for a boolean', PATIENT, { active: 'true' }, 'Patient.active', 'structure'],
  ['a number for a string', PATIENT, { name: [{ family: 1 }] }, 'Patient.name[0].family', 'structure'],
  ['a string for a decimal', OBSERVATION, { valueQuantity: { value: '72' } }, 'Observation.value.value', 'structure'],
  ['null', PATIENT, { birthDate: null }, 'Patient.birthDate', 'structure'],
  ['null for an object', PATIENT, { maritalStatus: null }, 'Patient.maritalStatus', 'structure'],
  ['null in an array of objects', PATIENT, { name: [null] }, 'Patient.name[0]', 'structure'],
  ['an empty array', PATIENT, { name: [] }, 'Patient.name', 'structure'],
  ['an empty array of primitives', PATIENT, { name: [{ given: [] }] }, 'Patient.name[0].given', 'structure'],
  ['an empty object', PATIENT, { name: [{}] }, 'Patient.name[0]', 'invariant'],
  ['an object with an id only', PATIENT, { maritalStatus: { id: 'a' } }, 'Patient.maritalStatus', 'invariant'],
  // Primitives and their siblings
  ['null without extension', PATIENT, { name: [{ given: [null, 'B'] }] }, 'Patient.name[0].given[0]', 'structure'],
  [
    'more extensions than values',
    PATIENT,
    { name: [{ given: ['A'], _given: [null, { id: 'a' }] }] },
    'Patient.name[0].given',
    'structure',
  ],
  [
    'a sibling that is no array',
    PATIENT,
    { name: [{ given: ['A'], _given: { id: 'a' } }] },
    'Patient.name[0].given',
    'structure',
  ],
  ['a sibling that is an array', PATIENT, { _birthDate: [{ id: 'a' }] }, 'Patient.birthDate', 'structure'],
  ['a sibling that is a string', PATIENT, { _birthDate: 'a' }, 'Patient.birthDate', 'structure'],
  ['an empty sibling', PATIENT, { _birthDate: {} }, 'Patient.birthDate', 'invariant'],
  [
    'no value and only an id',
    PATIENT,
    { birthDate: undefined, _birthDate: { id: 'a' } },
    'Patient.birthDate',
    'invariant',
  ],
  [
    'an unknown member of a sibling',
    PATIENT,
    { _birthDate: { id: 'a', value: 'b' } },
    'Patient.birthDate.value',
    'structure',
  ],
  [
    'an extension without url on a primitive',
    PATIENT,
    { _birthDate: extension({ valueString: 'a' }) },
    'Patient.birthDate.extension[0].url',
    'required',
  ],
];

testBroken(CASES);
