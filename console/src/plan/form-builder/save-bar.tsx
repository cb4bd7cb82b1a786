// Saves the form as a draft, or publishes it; says what is missing, and when somebody else was faster.
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Problem } from '../../api/problem.ts';
import { dayText } from '../../i18n/format.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { useBuilder, useTitleOf } from './builder-context.ts';
import { Conflict } from './conflict.tsx';
import { rowId } from './item-list.tsx';
import { asPublished } from './model/form.ts';
import { itemNamedBy } from './model/issues.ts';
import { itemAt } from './model/tree.ts';
import { readForm, storeForm } from './store.ts';

interface SaveBarProps {
  /** Gets the focus when something is missing. */
  readonly summary: RefObject<HTMLDivElement | null>;
  readonly onWant: () => void;
  readonly onStored: (id: string) => void;
}

interface Storing {
  readonly isPublishing: boolean;
  /** The version at the service; that of the draft where it is left out. */
  readonly version?: string | undefined;
}

export function SaveBar({ summary, onWant, onStored }: SaveBarProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { draft, issues } = useBuilder();
  const [asked, ask] = useState<'publish' | 'drop'>();
  const store = useMutation({
    mutationFn: ({ isPublishing, version = draft.version }: Storing) => {
      const form = isPublishing ? asPublished(draft.form, dayText(new Date().toISOString())) : draft.form;
      return storeForm({ form, version });
    },
    onSettled: () => ask(undefined),
    onSuccess: async (saved) => {
      draft.settle(saved);
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['forms-of-library'] }),
        queries.invalidateQueries({ queryKey: ['form-catalogue'] }),
      ]);
      queries.removeQueries({ queryKey: ['form-definition'] });
      onStored(saved.form.id ?? '');
    },
  });
  const drop = useMutation({
    mutationFn: () => readForm(draft.form.id ?? ''),
    onSuccess: (saved) => draft.settle(saved),
    onSettled: () => ask(undefined),
  });
  const publish = () => {
    onWant();
    if (issues.length === 0) ask('publish');
    else requestAnimationFrame(() => summary.current?.focus());
  };
  const isPublished = draft.form.status !== 'draft';
  const wasPublishing = store.variables?.isPublishing ?? false;
  const isOvertaken = store.error instanceof Problem && store.error.status === 412;
  const stored = isPublished ? 'publishedNow' : 'savedNow';
  const state = draft.isChanged ? (draft.isKept ? 'unsaved' : 'notKept') : stored;
  return (
    <div className="save-bar">
      <p className="actions">
        <Button disabled={!draft.isChanged && isPublished} onClick={publish}>
          {t(isPublished ? 'formBuilder.publishNew' : 'formBuilder.publish')}
        </Button>
        {!isPublished && (
          <Button
            variant="default"
            disabled={!draft.isChanged}
            loading={store.isPending}
            onClick={() => store.mutate({ isPublishing: false })}
          >
            {t('formBuilder.saveDraft')}
          </Button>
        )}
        <Button variant="default" disabled={!draft.canUndo} onClick={() => draft.undo()}>
          {t('formBuilder.undo')}
        </Button>
        {draft.isChanged && draft.version !== undefined && (
          <button type="button" className="plain-button" onClick={() => ask('drop')}>
            {t('formBuilder.dropChanges')}
          </button>
        )}
      </p>
      <p className="quiet small" role="status">
        {(draft.version !== undefined || draft.isChanged) && t(`formBuilder.${state}`)}
      </p>
      {isOvertaken ? (
        <Conflict
          onStore={(version) => store.mutate({ isPublishing: wasPublishing, version })}
          onTaken={() => store.reset()}
        />
      ) : (
        store.error !== null && <Refused error={store.error} />
      )}
      {drop.error !== null && <ErrorCard error={drop.error} />}
      {asked === 'publish' && (
        <ConfirmDialog
          title={t('formBuilder.sure')}
          effect={t('formBuilder.effect')}
          confirm={t('formBuilder.publishNow')}
          act={{ isPending: store.isPending, mutate: () => store.mutate({ isPublishing: true }) }}
          onClose={() => ask(undefined)}
        />
      )}
      {asked === 'drop' && (
        <ConfirmDialog
          title={t('formBuilder.dropSure')}
          effect={t('formBuilder.dropEffect')}
          confirm={t('formBuilder.dropNow')}
          act={drop}
          onClose={() => ask(undefined)}
        />
      )}
    </div>
  );
}

/** What the service says of the form, each with the item that it is about. */
function Refused({ error }: { readonly error: Error }) {
  const { t } = useTranslation();
  const { items, open } = useBuilder();
  const titleOf = useTitleOf();
  const messages = error instanceof Problem && error.status === 422 ? error.messages : [];
  return (
    <>
      <ErrorCard error={error} />
      {messages.length > 0 && (
        <>
          <p>{t('formBuilder.refused')}</p>
          <ul>
            {messages.map((message) => {
              const item = itemNamedBy(message, items);
              return (
                <li key={message}>
                  {item !== undefined && (
                    <button type="button" className="plain-button" onClick={() => open(item.linkId)}>
                      {titleOf(item)}
                    </button>
                  )}{' '}
                  <span lang="en">{message}</span>
                </li>
              );
            })}
          </ul>
        </>
      )}
    </>
  );
}

/** What is missing before it can be published, each a way to it. */
export function ToDo({ ref }: { readonly ref: RefObject<HTMLDivElement | null> }) {
  const { t } = useTranslation();
  const { issues, items, showsAll, open } = useBuilder();
  const titleOf = useTitleOf();
  if (!showsAll || issues.length === 0) return null;
  const show = (linkId: string) => {
    open(linkId);
    requestAnimationFrame(() => document.getElementById(rowId(linkId))?.focus());
  };
  return (
    <div className="alert" role="alert" tabIndex={-1} ref={ref}>
      <h2>{t('formBuilder.toDo', { count: issues.length })}</h2>
      <ul>
        {[...new Map(issues.map((issue) => [`${issue.linkId}.${issue.code}`, issue]))].map(
          ([key, { linkId, code, at = 0 }]) => (
            <li key={key}>
              {linkId === undefined ? (
                t('formBuilder.formItself')
              ) : (
                <button type="button" className="link-button" onClick={() => show(linkId)}>
                  {titleOf(itemAt(items, linkId))}
                </button>
              )}{' '}
              – {t(`formBuilder.issue.${code}`, { at })}
            </li>
          ),
        )}
      </ul>
    </div>
  );
}
