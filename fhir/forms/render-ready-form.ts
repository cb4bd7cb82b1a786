// The schema of the render-ready form (decision D12). The types, the published JSON Schema and its tests come from it.
// It is open: a later minor version may add members, which a reader ignores.
import Type, { type Static, type TSchema } from 'typebox';
import { RENDER_VERSION } from './render-version.ts';

const RENDER_SCHEMA_ID = 'https://kedja.dev/schemas/render-ready-form-1.json';

const text = (description: string) => Type.String({ description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

/** One value as a FHIR element, which goes unchanged into an answer. */
const FhirValue = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: 'object',
  patternProperties: { '^value[A-Z][A-Za-z0-9]*$': {} },
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  description: 'A value in its FHIR element, such as {"valueBoolean": true}',
});

const Limit = Type.Unsafe<unknown>({
  anyOf: [{ type: 'number' }, { type: 'string' }, { type: 'object' }],
  description: 'In the form of the answer: a number, a date or time as text, a FHIR Quantity',
});

const Translations = Type.Record(Type.String(), Type.String(), {
  description: 'The label in other languages, by BCP 47 tag',
});

const Option = Type.Object({
  label: text('What to show'),
  translations: optional(Translations),
  answer: FhirValue,
  selected: optional(Type.Literal(true, { description: 'Chosen to begin with' })),
  exclusive: optional(Type.Literal(true, { description: 'A person who chooses it may choose no other' })),
});

const Unit = Type.Object({
  system: optional(Type.String()),
  code: optional(Type.String()),
  label: optional(Type.String()),
});

const Limits = Type.Object({
  min_value: optional(Limit),
  max_value: optional(Limit),
  max_decimals: optional(count('Digits after the decimal point')),
  min_length: optional(count('Characters')),
  max_length: optional(count('Characters')),
  pattern: optional(text('A regular expression that the whole text matches')),
  min_answers: optional(count('Answers, or occurrences of a group')),
  max_answers: optional(count('Answers, or occurrences of a group')),
  max_bytes: optional(Type.Number({ description: 'Size of an attachment' })),
  media_types: optional(Type.Array(Type.String(), { description: 'Of an attachment' })),
  resource_types: optional(Type.Array(Type.String(), { description: 'FHIR types that a reference may lead to' })),
});

const Expected = Type.Object(
  { low: optional(Limit), high: optional(Limit) },
  { description: 'What is usual: an answer outside of it is to be confirmed' },
);

const Rule = Type.Object({
  link_id: text('The question that is looked at'),
  operator: Type.Unsafe<string>({ enum: ['exists', '=', '!=', '>', '<', '>=', '<='] }),
  answer: FhirValue,
});

const Conditions = Type.Object({
  behavior: Type.Enum(['all', 'any'], { description: 'Whether all rules must hold, or one is enough' }),
  when_disabled: Type.Enum(['hidden', 'protected']),
  rules: Type.Array(Rule, { minItems: 1 }),
});

const Constraint = Type.Object({
  key: text('Unique in the form'),
  severity: Type.Enum(['error', 'warning'], { description: 'An error forbids the response, a warning is shown' }),
  message: text('What to show when it does not hold'),
  expression: text(
    'FHIRPath over the QuestionnaireResponse, or over each item of it that answers the item; false is a violation',
  ),
  reason: optional(text('Why it is so, in Markdown')),
  locations: optional(Type.Array(Type.String(), { description: 'FHIRPath of the elements that it is about' })),
});

const FormVariable = Type.Object({
  name: text('Of an expression, with % before it'),
  expression: text('FHIRPath, which sees the variables before it'),
});
const Variables = Type.Array(FormVariable, { description: 'For the expressions of the element and of all within it' });

const NotRun = Type.Array(
  Type.Object({
    use: text('The name of the extension, such as calculatedExpression'),
    language: optional(text('Such as text/cql')),
    missing: optional(text('The launch context that it uses and nobody gives, such as %encounter')),
  }),
  { description: 'Expressions of the author that no part of Kedja evaluates' },
);

const LaunchContext = Type.Array(
  Type.Object({
    name: text('Of an expression, with % before it'),
    types: Type.Array(Type.String(), { description: 'The FHIR types that it may be' }),
  }),
  { description: 'What the expressions use besides the answers: the client that shows the form gives what is known' },
);

const ITEM_TYPES = [
  ...['group', 'display', 'boolean', 'decimal', 'integer', 'date', 'dateTime', 'time', 'string', 'text', 'url'],
  ...['coding', 'attachment', 'reference', 'quantity'],
];

const ItemHead = Type.Object({
  link_id: text('What it is called in the response'),
  type: Type.Unsafe<string>({ enum: ITEM_TYPES }),
  label: text('What to show'),
  translations: optional(Translations),
  prefix: optional(text('A number or letter before the label')),
  required: Type.Boolean({ description: 'While it is shown' }),
  repeats: Type.Boolean({ description: 'Several answers, or several occurrences of a group' }),
  read_only: Type.Boolean({ description: 'Answered by its first value, if it has one' }),
  hidden: optional(Type.Literal(true, { description: 'Never shown; its first value is its answer' })),
  answer_element: optional(text('The element of an answer that takes the value; none for groups and displayed text')),
  control: optional(text('The control that the author wished for')),
  orientation: optional(Type.Enum(['horizontal', 'vertical'], { description: 'Of options that are shown as buttons' })),
  asked: optional(
    Type.Literal(true, { description: 'Answers are asked for, though a response without one is taken: not optional' }),
  ),
  placeholder: optional(text('An example of the format')),
  limits: optional(Limits),
  expected: optional(Expected),
  options: optional(Type.Array(Option)),
  other_answers: optional(
    Type.Enum(['none', 'any', 'text'], { description: 'Beside the options: none, any of the type, or free text' }),
  ),
  options_source: optional(text('The address of options that are not in the form; never in a frozen form')),
  units: optional(Type.Array(Unit, { description: 'Of a quantity, one of these; any unit when there are none' })),
  units_source: optional(text('The address of units that are not in the form; never in a frozen form')),
  initial: optional(Type.Array(FhirValue)),
  initial_expression: optional(text('FHIRPath of the first values, evaluated when the form is begun')),
  conditions: optional(Conditions),
  enable_expression: optional(text('FHIRPath; the item is enabled while it is true, and its conditions hold')),
  calculated: optional(text('FHIRPath of the answers, evaluated whenever others change')),
  variables: optional(Variables),
  constraints: optional(Type.Array(Constraint)),
  links: optional(Type.Array(Type.String(), { description: 'Addresses of pages that help to answer' })),
  not_run: optional(NotRun),
  slider_step: optional(Type.Integer({ minimum: 1, description: 'Between two values of a slider' })),
});

export type AnswerOption = Static<typeof Option>;
export type RenderReadyLimits = Static<typeof Limits>;
export type RenderReadyUnit = Static<typeof Unit>;
export type RenderReadyConstraint = Static<typeof Constraint>;
export type RenderReadyConditions = Static<typeof Conditions>;
export interface RenderReadyItem extends Static<typeof ItemHead> {
  items?: RenderReadyItem[];
}

const ITEM = Type.Unsafe<RenderReadyItem>({ $ref: '#/$defs/item' });
const Item = Type.Object({
  ...ItemHead.properties,
  items: optional(Type.Array(ITEM, { description: 'Within a group, or within each answer of a question' })),
});

const Form = Type.Object({
  render_version: Type.Unsafe<typeof RENDER_VERSION>({ type: 'string', pattern: '^1\\.\\d+$' }),
  form_guid: Type.String(),
  url: optional(text('The canonical address of the Questionnaire')),
  version: optional(Type.String()),
  title: Type.String(),
  translations: optional(Translations),
  description: optional(text('Markdown')),
  language: optional(text('BCP 47')),
  variables: optional(Variables),
  constraints: optional(Type.Array(Constraint)),
  launch_context: optional(LaunchContext),
  questionnaire: optional(
    Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: 'object',
      description: 'The Questionnaire, where expressions use %questionnaire, %qitem, weight() or ordinal()',
    }),
  ),
  not_run: optional(NotRun),
  items: Type.Array(ITEM),
});
export type RenderReadyForm = Static<typeof Form>;

/** JSON Schema 2020-12 of every form with a version 1.x, as it is served and published in docs/reference/. */
export const RENDER_READY_SCHEMA: object = JSON.parse(
  JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: RENDER_SCHEMA_ID,
    title: 'Render-ready form',
    description: `A form as a renderer needs it that does not know FHIR, version ${RENDER_VERSION}`,
    ...Form,
    $defs: { item: Item },
  }),
);
