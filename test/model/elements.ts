// Random values of FHIR's data types, few enough of each that searches match. They are names with accents, dates of
// every precision, amounts in units, and codes of several systems.
import fc from 'fast-check';

export type Shape = Record<string, fc.Arbitrary<unknown>>;

/** An object with some of the members. */
export function some(members: Shape, required: readonly string[] = []): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(members, { requiredKeys: [...required] }) as fc.Arbitrary<Record<string, unknown>>;
}

export function few<T>(item: fc.Arbitrary<T>, maxLength = 3): fc.Arbitrary<T[]> {
  return fc.array(item, { minLength: 1, maxLength });
}

const WORDS =
  'Anna Åsa Öberg von Essén Björn-Erik Zoë Müller Núñez Ek Ekström Ström Ångström Sørensen Lena Karin O’Hara Groß Æbler'.split(
    ' ',
  );
const word = fc.constantFrom(...WORDS);
/** Words of other scripts, whose marks are letters, and texts without a word. */
const odd = fc.constantFrom('हिन्दी', 'हन्दी', 'ไทย', 'がく', 'かく', 'שָׁלוֹם', '😍', '%', '% ‰', '❤️', '50 % 😍');
/** Beyond what an index entry holds, and with more words than a name has. */
const long = fc
  .array(word, { minLength: 30, maxLength: 60 })
  .map(
    (words) =>
      `${words.join(' ')} Långmyrestigsvägskorsningsbelysningsreparationsavdelningsföreståndarinnan ${words.at(0)} %`,
  );
/** One word or some, with odd signs between them. */
const someWords = fc
  .tuple(word, fc.array(fc.tuple(fc.constantFrom(' ', '-', ', ', '  '), word), { maxLength: 2 }))
  .map(([first, more]) => first + more.map((pair) => pair.join('')).join(''));
export const phrase = fc.oneof(
  { weight: 12, arbitrary: someWords },
  { weight: 2, arbitrary: odd },
  { weight: 1, arbitrary: long },
);

const SYSTEMS = ['urn:codes:a', 'urn:codes:b', 'http://codes.example.org/c|d'];
const CODES = ['c1', 'c2', 'C1', 'c,3', 'c|4', 'c$5', 'c\\6', 'c 7'];
const coding = some({ system: fc.constantFrom(...SYSTEMS), code: fc.constantFrom(...CODES), display: phrase }, [
  'code',
]);
export const concept = fc.oneof(
  { weight: 4, arbitrary: some({ coding: few(coding, 2), text: phrase }, ['coding']) },
  { weight: 1, arbitrary: some({ text: phrase }, ['text']) },
);
export const identifier = some(
  {
    system: fc.constantFrom('urn:ids:a', 'urn:ids:b'),
    value: fc.constantFrom('1', '2', '3', 'A-1', 'a-1', 'x|y'),
    type: some({ coding: few(coding, 1), text: phrase }, ['coding']),
    use: fc.constantFrom('usual', 'official'),
  },
  ['value'],
);

const pad = (number: number) => String(number).padStart(2, '0');
const year = fc.constantFrom(2019, 2020, 2021, 2024);
const month = fc.integer({ min: 1, max: 12 }).map(pad);
const day = fc.constantFrom('01', '15', '28', '31').map((text) => text);
const DAY_OF = fc.tuple(year, month, day).map(([y, m, d]) => {
  const last = new Date(Date.UTC(y, Number(m), 0)).getUTCDate();
  return `${y}-${m}-${pad(Math.min(Number(d), last))}`;
});
const zone = fc.constantFrom('Z', '+01:00', '-05:30');
const clock = fc.constantFrom('T00:00:00', 'T08:30:00', 'T12:00:59', 'T23:59:59', 'T08:30:00.250', 'T08:30:00.5');
export const moment = fc.tuple(DAY_OF, clock, zone).map((parts) => parts.join(''));
export const date = fc.oneof(
  DAY_OF,
  fc.tuple(year, month).map(([y, m]) => `${y}-${m}`),
  year.map(String),
);
export const dateTime = fc.oneof({ weight: 2, arbitrary: moment }, { weight: 2, arbitrary: date });
export const period = fc.tuple(dateTime, dateTime, fc.constantFrom('both', 'start', 'end')).map(([a, b, which]) => {
  const [start, end] = [a, b].sort();
  return which === 'both' ? { start, end } : which === 'start' ? { start } : { end };
});
export const timing = fc.oneof(
  some({ event: few(dateTime, 3) }, ['event']),
  some(
    { event: few(dateTime, 1), repeat: some({ boundsPeriod: period, frequency: fc.constant(2) }, ['boundsPeriod']) },
    ['repeat'],
  ),
  fc.constant({ repeat: { frequency: 1, period: 1, periodUnit: 'd' } }),
);

export const decimal = fc.oneof(
  fc.constantFrom(0, 1, -1, 5, 5.4, 5.40001, 5.35, 5.45, 72, 90.5, 100, 1000, 1e-7, 1.5e10),
  fc.integer({ min: -2000, max: 2000 }).map((number) => number / 10),
);
const UCUM = 'http://unitsofmeasure.org';
const unit = fc.constantFrom(
  { system: UCUM, code: 'mg', unit: 'milligram' },
  { system: UCUM, code: 'g' },
  { system: UCUM, code: 'Cel', unit: '°C' },
  { system: UCUM, code: 'mm[Hg]', unit: 'mmHg' },
  { system: UCUM, code: '/min' },
  { system: 'urn:units', code: 'mg', unit: 'mg' },
  { unit: 'slag/min' },
  {},
);
export const plainQuantity = fc.tuple(decimal, unit).map(([value, of]) => ({ value, ...of }));
export const quantity = fc.oneof(
  { weight: 5, arbitrary: plainQuantity },
  {
    weight: 1,
    arbitrary: fc
      .tuple(plainQuantity, fc.constantFrom('<', '<=', '>=', '>'))
      .map(([of, comparator]) => ({ ...of, comparator })),
  },
);
export const range = fc
  .tuple(decimal, decimal, unit, fc.constantFrom('both', 'low', 'high'))
  .map(([a, b, of, which]) => {
    const [low, high] = [a, b].sort((x, y) => x - y).map((value) => ({ value, ...of }));
    return which === 'both' ? { low, high } : which === 'low' ? { low } : { high };
  });

export const humanName = some({
  use: fc.constantFrom('official', 'nickname'),
  text: phrase,
  family: phrase,
  given: few(phrase, 2),
  prefix: few(fc.constantFrom('Dr', 'Prof.')),
});
export const address = some({
  use: fc.constantFrom('home', 'work'),
  text: phrase,
  line: few(fc.constantFrom('Storgatan 1', 'Lilla vägen 2 B', 'Åsgatan 10'), 2),
  city: fc.constantFrom('Örebro', 'Malmö', 'Åmål', 'Oslo'),
  postalCode: fc.constantFrom('123 45', '12345'),
  country: fc.constantFrom('Sverige', 'Norge'),
});
export const telecom = fc.oneof(
  some(
    {
      system: fc.constant('phone'),
      value: fc.constantFrom('070-123 45 67', '0701234567', '(08) 555.12'),
      use: fc.constantFrom('home', 'work'),
    },
    ['system', 'value'],
  ),
  some({ system: fc.constant('email'), value: fc.constantFrom('Anna@Example.org', 'bo-erik@example.org') }, [
    'system',
    'value',
  ]),
);
export const url = fc.constantFrom(
  'http://example.org/plans/heart',
  'http://example.org/plans/heart/late',
  'http://example.org/plans',
  'http://example.org/plans-b',
  'https://example.com/Plan/1',
  'urn:oid:1.2.3',
  'urn:oid:1.2.3.4',
);
export const meta = some({
  tag: few(coding, 2),
  security: few(coding, 1),
  profile: few(fc.constantFrom('http://example.org/profiles/a', 'http://example.org/profiles/b|2'), 2),
  source: url,
});
