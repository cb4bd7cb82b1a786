// The forms of the library: found by name, changed, copied, taken out of use.
import './builder.css';
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Questionnaire } from 'fhir/r5';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Cards } from '../../shared/cards.tsx';
import { useDebounced } from '../../shared/use-debounced.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { MOST_FORMS, readForm, storeForm, useForms } from './store.ts';
import { dropNewDraft, type NewDraft, newDrafts } from './use-draft.ts';

export function FormList() {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const text = useDebounced(search.trim());
  return (
    <>
      <p className="actions">
        <Button component={Link} to="/plan/forms/new">
          {t('formBuilder.make')}
        </Button>
      </p>
      <NewDrafts />
      <search className="form-search">
        <TextInput
          type="search"
          label={t('formBuilder.search')}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </search>
      <Loaded query={useForms(text)}>
        {(forms) => (
          <>
            <p className="quiet" role="status">
              {t('formBuilder.count', { count: forms.length })}
            </p>
            <Cards items={forms} none={t(text === '' ? 'formBuilder.noForms' : 'formBuilder.noneFound')}>
              {(form) => <FormCard key={form.id} form={form} />}
            </Cards>
            {forms.length === MOST_FORMS && <p className="quiet">{t('formBuilder.many', { count: MOST_FORMS })}</p>}
          </>
        )}
      </Loaded>
    </>
  );
}

/** What was begun in this tab and is not stored yet. */
function NewDrafts() {
  const { t } = useTranslation();
  const [drafts, setDrafts] = useState(newDrafts);
  const [asking, setAsking] = useState<NewDraft>();
  if (drafts.length === 0) return null;
  const titleOf = ({ title }: NewDraft) => title || t('formBuilder.untitled');
  return (
    <section className="note" aria-labelledby="new-drafts">
      <h3 id="new-drafts">{t('formBuilder.newDrafts')}</h3>
      <ul>
        {drafts.map((each) => (
          <li key={each.draft}>
            <Link to="/plan/forms/new" search={{ draft: each.draft } as never}>
              {titleOf(each)}
            </Link>{' '}
            <button
              type="button"
              className="plain-button"
              aria-label={t('formBuilder.dropDraftOf', { title: titleOf(each) })}
              onClick={() => setAsking(each)}
            >
              {t('formBuilder.dropDraft')}
            </button>
          </li>
        ))}
      </ul>
      {asking !== undefined && (
        <ConfirmDialog
          title={t('formBuilder.dropDraftSure', { title: titleOf(asking) })}
          effect={t('formBuilder.dropDraftEffect')}
          confirm={t('formBuilder.dropDraftNow')}
          act={{
            isPending: false,
            mutate() {
              dropNewDraft(asking.draft);
              setDrafts(newDrafts());
              setAsking(undefined);
            },
          }}
          onClose={() => setAsking(undefined)}
        />
      )}
    </section>
  );
}

function FormCard({ form }: { readonly form: Questionnaire }) {
  const { t } = useTranslation();
  const { id = '', status, version } = form;
  const title = form.title ?? form.name ?? t('formBuilder.untitled');
  return (
    <li className="card">
      <div className="row">
        <h3>{title}</h3>
        <span className={status === 'active' ? 'badge strong' : 'badge'}>{t(`formBuilder.state.${status}`)}</span>
      </div>
      {version !== undefined && <p className="quiet">{t('formBuilder.version', { version })}</p>}
      <p className="actions">
        <Button
          component={Link}
          to={`/plan/forms/${id}`}
          variant="default"
          aria-label={t('formBuilder.changeOf', { title })}
        >
          {t('formBuilder.change')}
        </Button>
        <Button
          renderRoot={(props) => <Link to="/plan/forms/new" search={{ from: id }} {...props} />}
          variant="default"
          aria-label={t('formBuilder.copyOf', { title })}
        >
          {t('formBuilder.copy')}
        </Button>
        {status !== 'draft' && <RetireButton id={id} isRetired={status === 'retired'} />}
      </p>
    </li>
  );
}

/** Taking it out of use is asked for; taking it back is not. */
function RetireButton({ id, isRetired }: { readonly id: string; readonly isRetired: boolean }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const act = useMutation({
    mutationFn: async () => {
      const { form, version } = await readForm(id);
      return storeForm({ form: { ...form, status: isRetired ? 'active' : 'retired' }, version });
    },
    onSettled: () => setAsking(false),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['forms-of-library'] });
      await queries.invalidateQueries({ queryKey: ['form-catalogue'] });
    },
  });
  return (
    <>
      <button
        type="button"
        className="plain-button"
        disabled={act.isPending}
        onClick={() => (isRetired ? act.mutate() : setAsking(true))}
      >
        {t(isRetired ? 'formBuilder.restore' : 'formBuilder.retire')}
      </button>
      {isAsking && (
        <ConfirmDialog
          title={t('formBuilder.retireSure')}
          effect={t('formBuilder.retireEffect')}
          confirm={t('formBuilder.retireNow')}
          act={act}
          onClose={() => setAsking(false)}
        />
      )}
      {act.error !== null && <ErrorCard error={act.error} />}
    </>
  );
}
