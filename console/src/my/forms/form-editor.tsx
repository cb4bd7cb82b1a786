// Answers a form. What is typed is saved as a draft after a moment. Issues are named before anything is sent. An answer
// is sent once, however often the button is pressed.
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../api/clients.ts';
import { Problem } from '../../api/problem.ts';
import { useRequestKey } from '../../app/request-key.ts';
import { type Filled, startOf } from '../../forms/filled.ts';
import type { Form } from '../../forms/form.ts';
import { FormView } from '../../forms/form-view.tsx';
import { IssueList } from '../../forms/issue-list.tsx';
import { type FormIssues, issuesOf, refusedIssues } from '../../forms/issues.ts';
import { toResponseItems } from '../../forms/response.ts';
import { useIssues } from '../../forms/use-issues.ts';
import { timeText } from '../../i18n/format.ts';
import { useLaunchContext, useOwnPatientGuid } from '../../shared/launch-context.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import type { OpenForm } from './form-page.tsx';
import { useDraft } from './use-draft.ts';

interface FormEditorProps {
  readonly open: OpenForm;
  readonly form: Form;
}

export function FormEditor({ open, form }: FormEditorProps) {
  const { t } = useTranslation();
  const guid = open.patient_form_guid;
  const isAnswered = open.status === 'answered';
  const stored = isAnswered ? open.answer : open.draft;
  const draft = useDraft({ guid, isKept: !isAnswered, start: () => startOf(form.items, stored ?? undefined) });
  const context = useLaunchContext(form, useOwnPatientGuid());
  const { issues, setIssues, summary } = useIssues();
  const send = useSend({ guid, isAnswered, onSent: draft.drop });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = issuesOf(form.items, draft.filled);
    setIssues(found);
    if (found.size > 0) return;
    const item = toResponseItems(form.items, draft.filled);
    send.mutate(item, { onError: (error) => setIssues(issuesIn(form, error)) });
  };
  const change = (next: Filled) => {
    draft.change(next, toResponseItems(form.items, next));
  };
  return (
    <form onSubmit={submit} noValidate>
      <IssueList ref={summary} items={form.items} issues={issues} />
      <FormView
        form={form}
        filled={draft.filled}
        issues={issues}
        isReadOnly={false}
        context={context}
        onChange={change}
      />
      {send.error !== null && issues.size === 0 && <ErrorCard error={send.error} />}
      <p className="actions">
        <Button type="submit" loading={send.isPending}>
          {t(isAnswered ? 'forms.correct' : 'forms.send')}
        </Button>
        {isAnswered && <WithdrawButton guid={guid} />}
      </p>
      <p className="quiet small" role="status">
        {draft.savedAt !== undefined && t('forms.saved', { time: timeText(draft.savedAt) })}
        {draft.error !== null && t('forms.unsaved')}
      </p>
    </form>
  );
}

function issuesIn(form: Form, error: Error): FormIssues {
  return error instanceof Problem ? refusedIssues(form.items, error.messages) : new Map();
}

interface SendOptions {
  readonly guid: string;
  readonly isAnswered: boolean;
  readonly onSent: () => void;
}

function useSend({ guid, isAnswered, onSent }: SendOptions) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const key = useRequestKey(`answer-${guid}`);
  const path = { guid };
  return useMutation({
    mutationFn: (item: readonly unknown[]) => {
      const body = { resourceType: 'QuestionnaireResponse' as const, item: [...item] };
      const address = '/api/v1/patient-forms/{guid}/response';
      if (isAnswered) return read(dispatch.PUT(address, { params: { path }, body }));
      const header = { 'Idempotency-Key': key.of(body) };
      return read(dispatch.POST(address, { params: { path, header }, body }));
    },
    onSuccess: async () => {
      onSent();
      await queries.invalidateQueries({ queryKey: ['forms'] });
      queries.removeQueries({ queryKey: ['form', guid] });
      await navigate({ to: '/my/forms', state: { isFormSent: true } });
    },
    onSettled: (_, error) => key.settled(error),
  });
}

function WithdrawButton({ guid }: { readonly guid: string }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const withdraw = useMutation({
    mutationFn: () => read(dispatch.DELETE('/api/v1/patient-forms/{guid}/response', { params: { path: { guid } } })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['forms'] });
      await queries.resetQueries({ queryKey: ['form', guid] });
    },
  });
  return (
    <>
      <Button variant="default" loading={withdraw.isPending} onClick={() => withdraw.mutate()}>
        {t('forms.withdraw')}
      </Button>
      {withdraw.error !== null && <ErrorCard error={withdraw.error} />}
    </>
  );
}
