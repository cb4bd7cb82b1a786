// The content of a draft as JSON, for who knows it. What is wrong is said at its line, and the service checks all of it
// when it is saved. What is typed is kept in the tab until then.
import { Button, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { putJson } from '../../../api/fhir.ts';
import { Problem } from '../../../api/problem.ts';
import { useKept } from '../../../app/use-kept.ts';
import { ErrorCard } from '../../../shell/error-card.tsx';
import { type Snapshot, useRefresh } from '../request-queries.ts';
import { readJson } from './read-json.ts';

interface SnapshotJsonProps {
  readonly id: string;
  readonly snapshot: Snapshot;
  readonly etag: string | undefined;
}

export function SnapshotJson(props: SnapshotJsonProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('planner.request.editJson')}</summary>
      {isOpen && <Editor {...props} />}
    </details>
  );
}

function Editor({ id, snapshot, etag }: SnapshotJsonProps) {
  const { t } = useTranslation();
  const refresh = useRefresh(id);
  const saved = JSON.stringify(snapshot, null, 2);
  const [text, setText, drop] = useKept(`request-json-${id}`, saved);
  const read = readJson(text);
  const save = useMutation({
    mutationFn: (value: object) =>
      putJson(`/dispatch/api/v1/ServiceRequest/${id}/snapshot`, value, /"(.+)"/.exec(etag ?? '')?.[1]),
    onSuccess: async () => {
      drop();
      await refresh();
    },
  });
  const messages = save.error instanceof Problem && save.error.status !== 412 ? save.error.messages : [];
  const wrong = 'issue' in read ? t(`planner.request.json.${read.issue}`, { line: read.line ?? '' }) : undefined;
  return (
    <>
      <Textarea
        label={t('planner.request.jsonField')}
        description={t('planner.request.jsonHint')}
        error={wrong}
        rows={16}
        spellCheck={false}
        className="json-field"
        value={text}
        onChange={({ currentTarget }) => {
          save.reset();
          setText(currentTarget.value);
        }}
      />
      {save.error !== null && <ErrorCard error={save.error} />}
      {messages.length > 0 && (
        <ul lang="en">
          {messages.map((message) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
      <p className="actions">
        <Button
          variant="default"
          disabled={!('value' in read) || text === saved}
          loading={save.isPending}
          onClick={() => 'value' in read && save.mutate(read.value)}
        >
          {t('planner.request.saveJson')}
        </Button>
        {text !== saved && (
          <button type="button" className="plain-button" onClick={drop}>
            {t('planner.request.dropJson')}
          </button>
        )}
      </p>
    </>
  );
}
