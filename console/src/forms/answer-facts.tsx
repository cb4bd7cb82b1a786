// The answers of a response, question by question.
import type { QuestionnaireResponse } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { answersIn, type Known } from './answered.ts';

interface AnswerFactsProps {
  readonly response: Pick<QuestionnaireResponse, 'item'>;
  /** Of the form, for responses that have no words of their own. */
  readonly known?: Known | undefined;
}

export function AnswerFacts({ response, known }: AnswerFactsProps) {
  const { t } = useTranslation();
  return (
    <dl className="facts">
      {answersIn(response, known).map(({ key, question, answers }, index) => (
        <div key={key}>
          <dt>{question ?? t('form.unnamed', { number: index + 1 })}</dt>
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
