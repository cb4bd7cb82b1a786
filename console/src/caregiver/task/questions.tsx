// Questions to who asks, and their answers. What is being typed is kept in the tab until it is sent.
import { Button, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../api/clients.ts';
import { Problem } from '../../api/problem.ts';
import { useRequestKey } from '../../app/request-key.ts';
import { useKept } from '../../app/use-kept.ts';
import { momentText } from '../../i18n/format.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { useQuestions, useRefresh } from '../queries.ts';

interface QuestionsProps {
  readonly guid: string;
  /** Until the task is completed: then nobody answers here any more, either. */
  readonly canAsk: boolean;
}

const LONGEST = 2000;

/** Says that the patient has not permitted, or has denied, that data go to the provider. */
export function ConsentNote({ guid }: Pick<QuestionsProps, 'guid'>) {
  const { t } = useTranslation();
  return isWithoutConsent(useQuestions(guid).error) && <p className="note">{t('error.consent')}</p>;
}

/** Without the patient's consent nothing more is asked either. */
function isWithoutConsent(error: unknown): boolean {
  return error instanceof Problem && error.code === 'consent_required';
}

export function Questions({ guid, canAsk }: QuestionsProps) {
  const { t } = useTranslation();
  const asked = useQuestions(guid);
  const isRefused = asked.error instanceof Problem && asked.error.status === 403;
  return (
    <section aria-labelledby="questions">
      <h2 id="questions">{t('caregiver.questions.title')}</h2>
      {isWithoutConsent(asked.error) ? (
        <>
          <p className="quiet">{t('caregiver.questions.noConsent')}</p>
          <QuestionList questions={asked.data?.questions ?? []} canAsk={canAsk} />
        </>
      ) : (
        <Loaded query={asked}>
          {({ questions }) =>
            questions.length === 0 ? (
              <p className="quiet">{t(canAsk ? 'caregiver.questions.none' : 'caregiver.questions.noneAsked')}</p>
            ) : (
              <QuestionList questions={questions} canAsk={canAsk} />
            )
          }
        </Loaded>
      )}
      {canAsk && !isRefused && <AskForm guid={guid} />}
    </section>
  );
}

interface QuestionListProps extends Pick<QuestionsProps, 'canAsk'> {
  readonly questions: NonNullable<ReturnType<typeof useQuestions>['data']>['questions'];
}

function QuestionList({ questions, canAsk }: QuestionListProps) {
  const { t } = useTranslation();
  if (questions.length === 0) return null;
  return (
    <ul className="cards">
      {questions.map((question) => (
        <li key={question.question_guid} className="card">
          <p>
            {question.question} <span className="quiet">{momentText(question.asked_at)}</span>
          </p>
          {question.answer === null ? (
            <p className="quiet">{t(canAsk ? 'caregiver.questions.waiting' : 'caregiver.questions.over')}</p>
          ) : (
            <p>
              <strong>{t('caregiver.questions.answer')}</strong> {question.answer}{' '}
              <span className="quiet">{question.answered_at && momentText(question.answered_at)}</span>
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

function AskForm({ guid }: { readonly guid: string }) {
  const { t } = useTranslation();
  const refresh = useRefresh(guid);
  const [text, setText, drop] = useKept(`question-${guid}`, '');
  const key = useRequestKey(`question-${guid}`);
  const ask = useMutation({
    mutationFn: () => {
      const body = { question: text.trim() };
      const params = { path: { request_guid: guid }, header: { 'Idempotency-Key': key.of(body) } };
      return read(dispatch.POST('/api/v1/requests/{request_guid}/questions', { params, body }));
    },
    onSuccess: async () => {
      drop();
      await refresh();
    },
    onSettled: (_, error) => key.settled(error),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') ask.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Textarea
        label={t('caregiver.questions.yours')}
        rows={2}
        maxLength={LONGEST}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      {ask.error !== null && <ErrorCard error={ask.error} />}
      <p className="actions">
        <Button type="submit" variant="default" disabled={text.trim() === ''} loading={ask.isPending}>
          {t('caregiver.questions.send')}
        </Button>
      </p>
    </form>
  );
}
