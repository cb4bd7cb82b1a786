// An editor of one resource: the text with its issues at their lines, and the buttons below it.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { OperationOutcome } from 'fhir/r5';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Problem } from '../../api/problem.ts';
import { sendText } from '../../api/raw.ts';
import { Refusal } from '../../shared/refusal.tsx';
import { CodeArea, type CodeHandle } from '../code/code-area.tsx';
import { IssueView } from '../code/issue-view.tsx';
import { issuesOf, refusedIssues, syntaxIssue } from './issues.ts';

interface EditorProps {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** The address of `$validate`. */
  readonly validateAt: string;
  readonly save: { readonly isPending: boolean; readonly error: Error | null; mutate(): void; reset(): void };
  readonly saveLabel: string;
  readonly canSave: boolean;
  /** Shown above the buttons. */
  readonly children?: ReactNode;
}

export function Editor({ label, text, onChange, validateAt, save, saveLabel, canSave, children }: EditorProps) {
  const { t } = useTranslation();
  const area = useRef<CodeHandle>(null);
  // What was validated; issues of another text would point to wrong lines.
  const [checked, setChecked] = useState<string>();
  const syntax = syntaxIssue(text);
  const validate = useMutation({
    mutationFn: async (sent: string) => {
      const { text: answer } = await sendText(validateAt, { method: 'POST', body: sent });
      return issuesOf(JSON.parse(answer) as OperationOutcome, sent);
    },
    onSuccess: (_issues, sent) => setChecked(sent),
  });
  const refused = save.error === null ? undefined : refusedIssues(save.error, text);
  const found = checked === text ? validate.data : undefined;
  const issues = syntax === undefined ? (refused ?? found ?? []) : [syntax];
  const marked = new Set(issues.flatMap(({ line }) => line ?? []));
  const isFaultless = syntax === undefined && found !== undefined && found.length === 0 && refused === undefined;
  const shownId = issues.length > 0 ? 'issues' : undefined;
  return (
    <>
      <CodeArea
        ref={area}
        label={label}
        value={text}
        marked={marked}
        describedBy={shownId}
        onChange={(next) => {
          save.reset();
          onChange(next);
        }}
      />
      <div role="status">
        {isFaultless && <p>{t('developer.edit.faultless')}</p>}
        {issues.length > 0 && <p className="bad">{t('developer.edit.issues', { count: issues.length })}</p>}
      </div>
      {issues.length > 0 && <IssueView id="issues" issues={issues} area={area} />}
      {validate.error !== null && <Refusal error={validate.error} />}
      {save.error !== null && refused === undefined && !isOvertaken(save.error) && <Refusal error={save.error} />}
      {children}
      <p className="actions">
        <Button disabled={!canSave || syntax !== undefined} loading={save.isPending} onClick={() => save.mutate()}>
          {saveLabel}
        </Button>
        <Button
          variant="default"
          disabled={syntax !== undefined}
          loading={validate.isPending}
          onClick={() => validate.mutate(text)}
        >
          {t('developer.edit.validate')}
        </Button>
      </p>
    </>
  );
}

/** Somebody else has saved meanwhile. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof Problem && error.status === 412;
}
