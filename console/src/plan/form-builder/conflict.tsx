// Two people have changed the same form: what differs, and which of both counts.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Loaded } from '../../shell/loaded.tsx';
import { useBuilder } from './builder-context.ts';
import { differencesOf } from './model/form.ts';
import { readForm } from './store.ts';
import type { Kept } from './use-draft.ts';

interface ConflictProps {
  /** Called when mine is to be stored after theirs, which has that version. */
  readonly onStore: (version: string | undefined) => void;
  readonly onTaken: () => void;
}

export function Conflict({ onStore, onTaken }: ConflictProps) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const theirs = useQuery({
    queryKey: ['form-overtaken', draft.form.id, draft.version],
    queryFn: () => readForm(draft.form.id ?? ''),
    staleTime: 0,
  });
  return (
    <div className="alert" role="alert">
      <h2>{t('formBuilder.overtaken')}</h2>
      <p>{t('formBuilder.overtakenText')}</p>
      <Loaded query={theirs}>
        {(saved) => (
          <>
            <Differences saved={saved} />
            <p className="actions">
              <Button
                onClick={() => {
                  draft.rebase(saved.version);
                  onStore(saved.version);
                }}
              >
                {t('formBuilder.keepMine')}
              </Button>
              <Button
                variant="default"
                onClick={() => {
                  draft.settle(saved);
                  onTaken();
                }}
              >
                {t('formBuilder.takeTheirs')}
              </Button>
            </p>
          </>
        )}
      </Loaded>
    </div>
  );
}

function Differences({ saved }: { readonly saved: Kept }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const { hasOtherTitle, added, removed, changed, isReordered } = differencesOf(saved.form, draft.form);
  const named = (names: readonly string[]) =>
    names.map((name) => `”${name.trim() || t('formBuilder.noText')}”`).join(', ');
  const lines = [
    ...(hasOtherTitle ? [t('formBuilder.difference.title')] : []),
    ...(added.length > 0 ? [t('formBuilder.difference.added', { names: named(added) })] : []),
    ...(removed.length > 0 ? [t('formBuilder.difference.removed', { names: named(removed) })] : []),
    ...(changed.length > 0 ? [t('formBuilder.difference.changed', { names: named(changed) })] : []),
    ...(isReordered ? [t('formBuilder.difference.order')] : []),
  ];
  return (
    <ul>
      {(lines.length === 0 ? [t('formBuilder.difference.none')] : lines).map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
