// The wire shapes of questions and answers (decision D13).
import Type from 'typebox';
import { PageQuery, pageOf } from '#lib/http/response/page.ts';
import { Moment, nullable } from '../../shared/wire.ts';

/** A text that is not blank; a NUL character cannot be stored. */
const NonBlankText = Type.String({ maxLength: 2000, pattern: '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$' });

export const QuestionView = Type.Object(
  {
    question_guid: Type.String(),
    request_guid: Type.String(),
    question: Type.String(),
    asked_at: Moment,
    answer: nullable(Type.String()),
    answered_at: nullable(Moment),
  },
  { title: 'Question' },
);

export const QuestionWithMatchView = Type.Object(
  {
    ...QuestionView.properties,
    match_guid: Type.String(),
    provider_guid: Type.String(),
    provider_name: Type.String(),
  },
  { title: 'QuestionOfMatch' },
);

export const QuestionList = Type.Object({ questions: Type.Array(QuestionView) });
export const QuestionPage = pageOf(QuestionWithMatchView);
export const QuestionInput = Type.Object({ question: NonBlankText }, { additionalProperties: false });
export const AnswerInput = Type.Object({ answer: NonBlankText }, { additionalProperties: false });

export const QuestionQuery = Type.Object(
  { ...PageQuery, answered: Type.Optional(Type.Boolean({ description: 'Only those that are, or are not' })) },
  { additionalProperties: false },
);
export const RequestParams = Type.Object({ request_guid: Type.String() });
export const AnswerParams = Type.Object({ id: Type.String(), question_guid: Type.String() });
