// The wire shapes of patients' forms (decision L2, docs/reference/patient.md).
import Type from 'typebox';
import { PageQuery, pageOf } from '#lib/http/response/page.ts';
import { Moment, nullable } from '../shared/wire.ts';

export const PATIENT_FORM_STATUSES = ['to_do', 'begun', 'answered'] as const;
export type PatientFormStatus = (typeof PATIENT_FORM_STATUSES)[number];

const Reference = Type.Object({ reference: Type.String() });

export const PatientFormWire = Type.Object(
  {
    patient_form_guid: Type.String(),
    title: Type.String(),
    status: Type.Enum([...PATIENT_FORM_STATUSES]),
    due: nullable(Type.String({ format: 'date' })),
    given_by: Type.Object({
      plan: Reference,
      request: nullable(Reference),
    }),
    can_change: Type.Boolean({ description: 'Whether it may be answered, or the answer corrected and withdrawn' }),
    begun_at: nullable(Moment),
    answered_at: nullable(Moment),
    reviewed_at: nullable(Moment),
    response: nullable(Reference),
  },
  { title: 'PatientForm' },
);

export const PatientFormPage = pageOf(PatientFormWire);
export const PatientFormQuery = Type.Object(
  { ...PageQuery, status: Type.Optional(Type.Enum([...PATIENT_FORM_STATUSES])) },
  { additionalProperties: false },
);
export const PatientFormParams = Type.Object({ guid: Type.String() });

/** Members that a client may send and that the service writes itself. */
const WRITTEN_BY_SERVICE = [
  ...['id', 'meta', 'implicitRules', 'text', 'contained', 'identifier', 'basedOn', 'partOf', 'questionnaire'],
  ...['status', 'subject', 'encounter', 'author', 'source'],
] as const;
const Ignored = Object.fromEntries(WRITTEN_BY_SERVICE.map((name) => [name, Type.Optional(Type.Any())]));

/** A QuestionnaireResponse, of which the service writes all but the items. */
export const AnswersBody = Type.Object(
  {
    ...Ignored,
    resourceType: Type.Optional(Type.Literal('QuestionnaireResponse')),
    language: Type.Optional(Type.Any()),
    authored: Type.Optional(Type.Any()),
    extension: Type.Optional(Type.Any()),
    item: Type.Optional(Type.Array(Type.Any(), { description: 'The items with their answers, as in FHIR' })),
  },
  {
    title: 'PatientFormAnswers',
    additionalProperties: false,
    description: 'A QuestionnaireResponse; of its members the items count',
  },
);
