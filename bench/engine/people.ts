// Generated patients and their observations, the same in every run: realistic sizes (about 1 KB each) and distributions
// of names, codes and dates.

import { DAY_MS } from '#lib/clock.ts';
import { chance, FIRST_DAY, guidOf, pick } from './random.ts';

const FAMILIES = [
  'Andersson',
  'Berg',
  'Dahl',
  'Ek',
  'Fors',
  'Gran',
  'Holm',
  'Ivarsson',
  'Jansson',
  'Karlsson',
  'Lind',
  'Möller',
  'Nord',
  'Olsson',
  'Palm',
  'Quist',
  'Rask',
  'Sjö',
  'Tall',
  'Ulf',
  'Viklund',
  'Wall',
  'Ydre',
  'Åberg',
  'Ärlig',
  'Öberg',
];
const GIVEN = [
  'Anna',
  'Bo',
  'Cecilia',
  'David',
  'Eva',
  'Filip',
  'Greta',
  'Hugo',
  'Ida',
  'Johan',
  'Karin',
  'Lars',
  'Maja',
  'Nils',
  'Olga',
  'Per',
  'Rut',
  'Sven',
  'Tove',
  'Ulla',
];
const CITIES = ['Umeå', 'Luleå', 'Boden', 'Kiruna', 'Sundsvall', 'Östersund', 'Gävle', 'Falun', 'Örebro', 'Lund'];
/** LOINC codes with the middle and spread of their values. */
const MEASURES = [
  { code: '29463-7', text: 'Body weight', unit: 'kg', middle: 75, spread: 20 },
  { code: '8480-6', text: 'Systolic blood pressure', unit: 'mm[Hg]', middle: 130, spread: 25 },
  { code: '8462-4', text: 'Diastolic blood pressure', unit: 'mm[Hg]', middle: 80, spread: 15 },
  { code: '8867-4', text: 'Heart rate', unit: '/min', middle: 72, spread: 18 },
  { code: '2345-7', text: 'Glucose', unit: 'mmol/L', middle: 6, spread: 2 },
] as const;
const DAYS = 2_000;

export const OBSERVATIONS_PER_PATIENT = 5;
export const LOCATIONS = 2_000;

export function identifierOf(index: number): string {
  return `MRN-${String(index).padStart(8, '0')}`;
}

/** One of 26 names, followed by the digits of a number of base 3: each further digit leaves a third. */
export function familyOf(index: number): string {
  const number = Math.floor(chance(index, 2) * 3 ** FAMILY_DIGITS);
  return pick(FAMILIES, index, 1) + number.toString(3).padStart(FAMILY_DIGITS, '0');
}
const FAMILY_DIGITS = 6;

/** What a beginning of a name is to find, whatever is stored: more than a page, and about the same. */
const BEGINNING_FINDS = { atLeast: 40, atMost: 60 } as const;

/**
 * Beginnings of family names, with how many of so many patients have each: those that are about as common at every
 * size.
 */
export function beginningsOf(patients: number): { readonly text: string; readonly found: number }[] {
  const counts = new Map<string, number>();
  for (let index = 0; index < patients; index += 1) {
    const family = familyOf(index);
    for (let digits = 0; digits <= FAMILY_DIGITS; digits += 1) {
      const beginning = family.slice(0, family.length - digits);
      counts.set(beginning, (counts.get(beginning) ?? 0) + 1);
    }
  }
  const all = [...counts].map(([text, found]) => ({ text, found }));
  const { atLeast, atMost } = BEGINNING_FINDS;
  const fair = all.filter(({ found }) => found >= atLeast && found <= atMost);
  // With very little stored nothing is as common: then what is most common.
  return fair.length > 0 ? fair : all.toSorted((a, b) => b.found - a.found).slice(0, FAMILIES.length);
}

export function patientOf(index: number): Readonly<Record<string, unknown>> {
  const [first, second, family, city] = [
    pick(GIVEN, index, 3),
    pick(GIVEN, index, 4),
    familyOf(index),
    pick(CITIES, index, 5),
  ];
  const born = new Date(Date.UTC(1930, 0, 1) + Math.floor(chance(index, 6) * 33_000) * DAY_MS)
    .toISOString()
    .slice(0, 10);
  return {
    resourceType: 'Patient',
    active: true,
    identifier: [{ use: 'official', system: 'https://example.org/mrn', value: identifierOf(index) }],
    name: [{ use: 'official', text: `${first} ${second} ${family}`, family, given: [first, second] }],
    telecom: [
      { system: 'phone', value: `070-${String(index % 10_000_000).padStart(7, '0')}`, use: 'mobile' },
      { system: 'email', value: `${first}.${index}@example.org`.toLowerCase(), use: 'home' },
    ],
    gender: index % 2 === 0 ? 'female' : 'male',
    birthDate: born,
    address: [
      {
        use: 'home',
        type: 'physical',
        line: [`Storgatan ${index % 200}`],
        city,
        postalCode: String(10_000 + (index % 80_000)),
        country: 'SE',
      },
    ],
    maritalStatus: {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-MaritalStatus', code: 'M', display: 'Married' }],
    },
    contact: [
      {
        relationship: [{ text: 'Next of kin' }],
        name: { family, given: [pick(GIVEN, index, 7)] },
        telecom: [{ system: 'phone', value: '070-123 45 67' }],
      },
    ],
    communication: [{ language: { coding: [{ system: 'urn:ietf:bcp:47', code: 'sv' }] }, preferred: true }],
  };
}

/** A place whose text is as long as that of the patient with the same number. */
export function locationOf(index: number): Readonly<Record<string, unknown>> {
  const place = { resourceType: 'Location', status: 'active', name: `Ward ${index}`, description: '' };
  const missing = JSON.stringify(patientOf(index)).length - JSON.stringify(place).length;
  return { ...place, description: 'Beds by the window. '.repeat(missing).slice(0, missing) };
}

/** The measures are taken one after the other; each patient's observations are spread over some years. */
export function observationOf(index: number, patient: number): Readonly<Record<string, unknown>> {
  const measure = MEASURES[index % MEASURES.length] ?? MEASURES[0];
  const at = new Date(FIRST_DAY + Math.floor(chance(index, 8) * DAYS * 24) * 3_600_000);
  const value = Number((measure.middle + (chance(index, 9) - 0.5) * 2 * measure.spread).toFixed(1));
  return {
    resourceType: 'Observation',
    status: 'final',
    category: [
      {
        coding: [
          {
            system: 'http://terminology.hl7.org/CodeSystem/observation-category',
            code: 'vital-signs',
            display: 'Vital Signs',
          },
        ],
      },
    ],
    code: { coding: [{ system: 'http://loinc.org', code: measure.code, display: measure.text }], text: measure.text },
    subject: { reference: `Patient/${guidOf('patient', patient)}` },
    effectiveDateTime: at.toISOString(),
    issued: at.toISOString(),
    valueQuantity: { value, unit: measure.unit, system: 'http://unitsofmeasure.org', code: measure.unit },
  };
}

/** The code of the n-th measure. */
export function codeOf(index: number): string {
  return (MEASURES[index % MEASURES.length] ?? MEASURES[0]).code;
}
