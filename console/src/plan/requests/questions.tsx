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
import { useRights } from '../rights.ts';
import { isInWork } from './moves.ts';
import { type Match, type Question, useQuestions, useRefresh } from './request-queries.ts';

interface QuestionsProps {
  readonly id: string;
  readonly isLive: boolean;
  readonly matches: readonly Match[];
}

export function Questions({ id, isLive, matches }: QuestionsProps) {
  const { t } = useTranslation();
  return (
    <section aria-labelledby="questions">
      <h2 id="questions" tabIndex={-1}>
        {t('planner.questions.title')}
      </h2>
      <Loaded query={useQuestions(id, isLive)}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="quiet">{t('planner.questions.none')}</p>
          ) : (
            <ul className="cards">
              {data.map((question) => (
                <QuestionCard
                  key={question.question_guid}
                  id={id}
                  question={question}
                  takesAnswer={matches.some((match) => match.request_guid === question.request_guid && isInWork(match))}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

interface QuestionCardProps {
  readonly id: string;
  readonly question: Question;
  readonly takesAnswer: boolean;
}

function QuestionCard({ id, question, takesAnswer }: QuestionCardProps) {
  const { t } = useTranslation();
  const { mayPlan } = useRights();
  return (
    <li className="card">
      <div className="row">
        <strong>{question.provider_name}</strong>
        <span className="quiet">{momentText(question.asked_at)}</span>
      </div>
      <p>{question.question}</p>
      {question.answer !== null ? (
        <p>
          <strong>{t('planner.questions.answer')}</strong> {question.answer}
        </p>
      ) : takesAnswer && !mayPlan ? (
        <p className="quiet">{t('planner.questions.open')}</p>
      ) : takesAnswer ? (
        <AnswerForm id={id} question={question} />
      ) : (
        <p className="quiet">{t('planner.questions.over')}</p>
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
