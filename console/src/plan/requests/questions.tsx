// What providers ask about a request, and the answers. What is being typed is kept in the tab until it is sent.
import { Button, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../api/clients.ts';
import { useKept } from '../../app/use-kept.ts';
import { momentText } from '../../i18n/format.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { type Question, useQuestions, useRefresh } from './request-queries.ts';

export function Questions({ id, isLive }: { readonly id: string; readonly isLive: boolean }) {
  const { t } = useTranslation();
  return (
    <section aria-labelledby="questions">
      <h2 id="questions">{t('planner.questions.title')}</h2>
      <Loaded query={useQuestions(id, isLive)}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="quiet">{t('planner.questions.none')}</p>
          ) : (
            <ul className="cards">
              {data.map((question) => (
                <QuestionCard key={question.question_guid} id={id} question={question} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function QuestionCard({ id, question }: { readonly id: string; readonly question: Question }) {
  const { t } = useTranslation();
  return (
    <li className="card">
      <div className="row">
        <strong>{question.provider_name}</strong>
        <span className="quiet">{momentText(question.asked_at)}</span>
      </div>
      <p>{question.question}</p>
      {question.answer === null ? (
        <AnswerForm id={id} question={question} />
      ) : (
        <p>
          <strong>{t('planner.questions.answer')}</strong> {question.answer}
        </p>
      )}
    </li>
  );
}

function AnswerForm({ id, question }: { readonly id: string; readonly question: Question }) {
  const { t } = useTranslation();
  const refresh = useRefresh(id);
  const [text, setText, drop] = useKept(`answer-${question.question_guid}`, '');
  const answer = useMutation({
    mutationFn: () => {
      const path = { id, question_guid: question.question_guid };
      const address = '/api/v1/ServiceRequest/{id}/questions/{question_guid}/answer';
      return read(dispatch.POST(address, { params: { path }, body: { answer: text.trim() } }));
    },
    onSuccess: async () => {
      drop();
      await refresh();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    answer.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Textarea
        label={t('planner.questions.yours')}
        value={text}
        maxLength={2000}
        rows={2}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      {answer.error !== null && <ErrorCard error={answer.error} />}
      <p className="actions">
        <Button type="submit" disabled={text.trim() === ''} loading={answer.isPending}>
          {t('planner.questions.send')}
        </Button>
      </p>
    </form>
  );
}
