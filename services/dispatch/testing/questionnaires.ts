// Random Questionnaires for tests: every type of item, nested groups and questions, repeats, conditions with every
// operator, options, constraints and units. `draw` returns an integer from 0 to below its argument.

export type Draw = (limit: number) => number;
type Json = Record<string, unknown>;

const CORE = 'http://hl7.org/fhir/StructureDefinition/';
const SYSTEM = 'https://kedja.dev/libraries/generated';
const UCUM = 'http://unitsofmeasure.org';

export const QUESTION_TYPES = [
  ...['boolean', 'decimal', 'integer', 'date', 'dateTime', 'time', 'string', 'text', 'url', 'coding'],
  ...['attachment', 'reference', 'quantity'],
];
const ORDERED = new Set(['decimal', 'integer', 'date', 'dateTime', 'time', 'string', 'quantity']);

/** A few values of each type, ascending. Answers and conditions share them, so that conditions often hold. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  boolean: [true, false],
  decimal: [0.5, 1.25, 2, 37.5],
  integer: [0, 1, 2, 5],
  date: ['2026-01-01', '2026-01-02', '2026-03'],
  dateTime: ['2026-01-01T08:00:00Z', '2026-01-02T08:00:00Z', '2026-01-02T11:00:00+01:00'],
  time: ['08:00:00', '12:30:00', '23:59:59'],
  string: ['a', 'ab', 'b c'],
  text: ['One line', 'Two\nlines'],
  url: ['https://kedja.dev/a', 'urn:uuid:01900000-0000-7000-8000-000000000001'],
  coding: ['low', 'middle', 'high'].map((code) => ({ system: SYSTEM, code, display: code })),
  attachment: [
    { contentType: 'image/png', title: 'A picture', size: '10' },
    { contentType: 'text/plain', url: 'https://kedja.dev/t' },
  ],
  reference: [{ reference: 'Practitioner/a' }, { reference: 'Organization/b' }],
  quantity: [1, 2.5, 80].map((value) => ({ value, unit: 'kg', system: UCUM, code: 'kg' })),
};

const ELEMENT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(QUESTION_TYPES.map((type) => [type, type[0]?.toUpperCase() + type.slice(1)])),
  text: 'String',
  url: 'Uri',
};

interface Question {
  readonly linkId: string;
  readonly type: string;
}

interface Making {
  readonly draw: Draw;
  readonly next: () => string;
}

export function makeQuestionnaire(draw: Draw): Json {
  let count = 0;
  const next = () => {
    count += 1;
    return `q${count}`;
  };
  const code = (each: unknown) => ({
    code: (each as { code: string }).code,
    display: (each as { display: string }).display,
  });
  const set = (id: string, system: string, concept: unknown[]) => ({
    resourceType: 'ValueSet',
    id,
    status: 'active',
    compose: { include: [{ system, concept }] },
  });
  const item = makeItems({ draw, next }, [], 0);
  const text = JSON.stringify(item);
  const contained = [
    set('degrees', SYSTEM, VALUES['coding']?.map(code) ?? []),
    set('masses', UCUM, [{ code: 'kg', display: 'kilogram' }, { code: 'g' }]),
  ].filter(({ id }) => text.includes(`#${id}`));
  return {
    resourceType: 'Questionnaire',
    url: 'https://kedja.dev/forms/generated',
    status: 'active',
    title: 'Generated',
    ...(contained.length === 0 ? {} : { contained }),
    ...(draw(2) === 0 ? { extension: [constraint('many', 'warning', ABOUT_ALL)] } : {}),
    item,
  };
}

/** `scope` has the preceding questions, which conditions can refer to. */
function makeItems(making: Making, scope: readonly Question[], depth: number): Json[] {
  const items: Json[] = [];
  const seen = [...scope];
  for (let left = 1 + making.draw(4); left > 0; left -= 1) {
    const { item, questions } = makeItem(making, seen, depth);
    items.push(item);
    seen.push(...questions);
  }
  return items;
}

function makeItem(making: Making, scope: readonly Question[], depth: number): { item: Json; questions: Question[] } {
  const { draw, next } = making;
  const kind = draw(10);
  const linkId = next();
  const head = { linkId, text: `Item ${linkId}`, ...conditions(draw, scope) };
  if (kind === 0) return { item: { ...head, type: 'display' }, questions: [] };
  if (kind <= 2 && depth < 3) {
    const isRepeated = draw(3) === 0;
    const inner = makeItems(making, scope, depth + 1);
    const item = {
      ...head,
      type: 'group',
      required: draw(2) === 0,
      ...(isRepeated ? { repeats: true } : {}),
      item: inner,
    };
    return { item, questions: isRepeated ? [] : questionsIn(inner) };
  }
  const type = pick(draw, QUESTION_TYPES);
  const question = { linkId, type };
  const details = detailsOf(draw, type);
  const isNested = depth < 3 && draw(6) === 0;
  const inner = isNested ? { item: makeItems(making, [...scope, question], depth + 1) } : {};
  return { item: { ...head, type, ...details, ...inner }, questions: [question] };
}

/** Questions within groups that do not repeat, which later conditions can refer to as well. */
function questionsIn(items: readonly Json[]): Question[] {
  return items.flatMap((item) => {
    if (item['type'] === 'group') return item['repeats'] === true ? [] : questionsIn(item['item'] as Json[]);
    return item['type'] === 'display' ? [] : [{ linkId: String(item['linkId']), type: String(item['type']) }];
  });
}

function conditions(draw: Draw, scope: readonly Question[]): Json {
  if (scope.length === 0 || draw(3) > 0) return {};
  const enableWhen = Array.from({ length: 1 + draw(2) }, () => {
    const { linkId: question, type } = pick(draw, scope);
    if (draw(4) === 0 || ['attachment', 'url', 'text'].includes(type))
      return { question, operator: 'exists', answerBoolean: draw(3) > 0 };
    const operator = pick(draw, ORDERED.has(type) ? ['=', '!=', '>', '<', '>=', '<='] : ['=', '!=']);
    return { question, operator, [`answer${ELEMENT[type]}`]: pick(draw, VALUES[type] ?? []) };
  });
  return {
    enableWhen,
    ...(enableWhen.length > 1 || draw(2) === 0 ? { enableBehavior: pick(draw, ['all', 'any']) } : {}),
    ...(draw(3) === 0 ? { disabledDisplay: pick(draw, ['hidden', 'protected']) } : {}),
  };
}

function detailsOf(draw: Draw, type: string): Json {
  const isRepeated = draw(3) === 0;
  const isFixed = draw(12) === 0;
  if (isFixed) {
    const initial = [{ [`value${ELEMENT[type]}`]: pick(draw, VALUES[type] ?? []) }];
    return {
      readOnly: true,
      initial,
      ...(draw(2) === 0 ? { extension: [extension('questionnaire-hidden', 'Boolean', true)] } : {}),
    };
  }
  const required = draw(2) === 0;
  const choice = draw(3) === 0 ? options(draw, type, isRepeated) : undefined;
  const extensions = [
    ...(choice === undefined ? limits(draw, type) : []),
    ...(isRepeated && required ? [extension('questionnaire-minOccurs', 'Integer', 1 + draw(2))] : []),
    ...(isRepeated && draw(2) === 0 ? [extension('questionnaire-maxOccurs', 'Integer', 3)] : []),
    ...(draw(3) === 0 ? constraints(type) : []),
  ];
  const hasLength =
    choice === undefined && ['string', 'text'].includes(type) && extensions.length === 0 && draw(2) === 0;
  return {
    ...(required ? { required } : {}),
    ...(isRepeated ? { repeats: true } : {}),
    ...(hasLength ? { maxLength: 3 + draw(20) } : {}),
    ...choice,
    ...(extensions.length === 0 ? {} : { extension: extensions }),
  };
}

function extension(name: string, type: string, value: unknown): Json {
  return { url: CORE + name, [`value${type}`]: value };
}

/** The constraint on a whole form. */
const ABOUT_ALL = 'item.count() > 2';

/** A constraint on the values of each type, which some of them meet whatever the limits and options. */
const ABOUT_ONE: Readonly<Record<string, string>> = {
  boolean: 'answer.all(value = true)',
  integer: 'answer.all(value > 0)',
  date: "answer.all(value.toString() != '2026-01-01')",
  time: "answer.all(value.toString() != '08:00:00')",
  text: "answer.all(value != 'ab')",
  coding: "answer.all(value.ofType(Coding).code != 'low')",
};

function constraints(type: string): Json[] {
  const expression = ABOUT_ONE[type];
  return expression === undefined ? [] : [constraint(`about-${type}`, 'error', expression)];
}

export function constraint(key: string, severity: 'error' | 'warning', expression: string): Json {
  return {
    url: `${CORE}targetConstraint`,
    extension: [
      { url: 'key', valueId: key },
      { url: 'severity', valueCode: severity },
      { url: 'expression', valueExpression: { language: 'text/fhirpath', expression } },
      { url: 'human', valueString: `Not so: ${key}` },
    ],
  };
}

function options(draw: Draw, type: string, isRepeated: boolean): Json | undefined {
  if (!['coding', 'integer', 'date', 'time', 'string'].includes(type)) return undefined;
  const answerConstraint = pick(draw, [
    undefined,
    'optionsOnly',
    'optionsOrType',
    ...(type === 'coding' ? ['optionsOrString'] : []),
  ]);
  const constraint = answerConstraint === undefined ? {} : { answerConstraint };
  if (type === 'coding' && draw(2) === 0) return { answerValueSet: '#degrees', ...constraint };
  const answerOption = (VALUES[type] ?? []).map((value, index) => ({
    [`value${ELEMENT[type]}`]: value,
    ...(isRepeated && index === 0 ? { extension: [extension('questionnaire-optionExclusive', 'Boolean', true)] } : {}),
  }));
  return { answerOption, ...constraint };
}

function limits(draw: Draw, type: string): Json[] {
  if (draw(2) === 0) return [];
  const values = VALUES[type] ?? [];
  switch (type) {
    case 'integer':
    case 'decimal':
    case 'date':
    case 'dateTime':
    case 'time':
    case 'quantity': {
      const name = ELEMENT[type] ?? '';
      const places = type === 'decimal' ? [extension('maxDecimalPlaces', 'Integer', 2)] : [];
      const units = type === 'quantity' ? unitsOf(draw) : [];
      if (units.length > 0 && draw(2) === 0) return units;
      return [extension('minValue', name, values[0]), extension('maxValue', name, values[1]), ...places, ...units];
    }
    case 'string':
      return [extension('regex', 'String', pick(draw, ['[0-9]{3}', '[A-Z]{2}-[0-9]{2}']))];
    case 'text':
      return [extension('minLength', 'Integer', 2)];
    case 'attachment':
      return [extension('maxSize', 'Decimal', 1000), extension('mimeType', 'Code', 'image/png')];
    case 'reference':
      return [extension('questionnaire-referenceResource', 'Code', 'Organization')];
    default:
      return [];
  }
}

function unitsOf(draw: Draw): Json[] {
  const coding = { system: UCUM, code: 'kg', display: 'kilogram' };
  const choices = [
    [extension('questionnaire-unit', 'Coding', coding)],
    [
      extension('questionnaire-unitOption', 'Coding', coding),
      extension('questionnaire-unitOption', 'Coding', { ...coding, code: 'g' }),
    ],
    [extension('questionnaire-unitValueSet', 'Canonical', '#masses')],
  ];
  return pick(draw, choices);
}

export function pick<T>(draw: Draw, items: readonly T[]): T {
  const item = items[draw(items.length)];
  if (item === undefined && !items.includes(item as T)) throw new Error('Nothing to choose from');
  return item as T;
}
