// The answers of a response, question by question.
import type { QuestionnaireResponse } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { answersIn } from './answered.ts';

export function AnswerFacts({ response }: { readonly response: Pick<QuestionnaireResponse, 'item'> }) {
  const { t } = useTranslation();
  return (
    <dl className="facts">
      {answersIn(response).map(({ key, question, answers }) => (
        <div key={key}>
          <dt>{question}</dt>
          <dd>
            {answers
              .map((answer) => (typeof answer === 'boolean' ? t(answer ? 'form.yes' : 'form.no') : answer))
              .join(', ')}
          </dd>
        </div>
      ))}
    </dl>
  );
}
