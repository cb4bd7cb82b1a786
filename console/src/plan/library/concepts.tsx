// Concepts: what is measured or done, each in a code system. By its code a provider is found, and results are compared.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useKeptForm } from '../../app/use-kept.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty } from '../../shell/page.tsx';
import { useConcepts, useLibraries, useResponseTypes } from './library-queries.ts';
import { useAdd } from './use-add.ts';

export function Concepts() {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  return (
    <>
      <search>
        <TextInput
          type="search"
          label={t('planner.concepts.search')}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </search>
      <Loaded query={useConcepts(search)}>
        {({ data, total }) => (
          <>
            <p className="quiet" role="status">
              {t('planner.concepts.count', { count: total })}
            </p>
            {data.length === 0 && <Empty>{t('planner.concepts.none')}</Empty>}
            <ul className="cards">
              {data.map((concept) => (
                <li key={concept.concept_guid} className="card">
                  <div className="row">
                    <strong>{concept.concept_display_text ?? concept.concept_name}</strong>
                    <code>{concept.concept_code}</code>
                  </div>
                  <p className="quiet">
                    {[concept.canonical_lib_name, concept.response_type_name].filter(Boolean).join(', ')}
                  </p>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <NewConcept />
      <NewLibrary />
    </>
  );
}

const EMPTY_CONCEPT = { library: '', name: '', code: '', type: '' };

function NewConcept() {
  const { t } = useTranslation();
  const libraries = useLibraries();
  const types = useResponseTypes();
  const [{ library, name, code, type }, change] = useKeptForm('new-concept', EMPTY_CONCEPT);
  const add = useAdd('/concepts', () => change({ name: '', code: '' }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate({
      canonical_lib: library,
      concept_name: name.trim(),
      ...(code.trim() === '' ? {} : { concept_code: code.trim() }),
      ...(type === '' ? {} : { response_type: type }),
    });
  };
  return (
    <form className="card" onSubmit={submit}>
      <h3>{t('planner.concepts.new')}</h3>
      <div className="filters">
        <NativeSelect
          label={t('planner.concepts.library')}
          value={library}
          onChange={({ currentTarget }) => change({ library: currentTarget.value })}
          data={[
            { value: '', label: t('planner.concepts.chooseLibrary') },
            ...(libraries.data?.data ?? []).map((each) => ({ value: each.canonical_lib_guid, label: each.name })),
          ]}
        />
        <TextInput
          label={t('planner.concepts.name')}
          value={name}
          maxLength={200}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        <TextInput
          label={t('planner.concepts.code')}
          value={code}
          onChange={({ currentTarget }) => change({ code: currentTarget.value })}
        />
        <NativeSelect
          label={t('planner.concepts.answer')}
          value={type}
          onChange={({ currentTarget }) => change({ type: currentTarget.value })}
          data={[
            { value: '', label: t('planner.concepts.noAnswer') },
            ...(types.data?.data ?? []).map((each) => ({ value: each.response_type_guid, label: each.name })),
          ]}
        />
      </div>
      {add.error !== null && <ErrorCard error={add.error} />}
      <p className="actions">
        <Button type="submit" disabled={library === '' || name.trim() === ''} loading={add.isPending}>
          {t('planner.concepts.add')}
        </Button>
      </p>
    </form>
  );
}

const EMPTY_LIBRARY = { name: '', url: '' };

function NewLibrary() {
  const { t } = useTranslation();
  const [{ name, url }, change, drop] = useKeptForm('new-library', EMPTY_LIBRARY);
  const add = useAdd('/canonical-libs', drop);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate({ name: name.trim(), url: url.trim() });
  };
  return (
    <form className="card" onSubmit={submit}>
      <h3>{t('planner.concepts.newLibrary')}</h3>
      <div className="filters">
        <TextInput
          label={t('planner.concepts.libraryName')}
          value={name}
          maxLength={200}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        <TextInput
          type="url"
          label={t('planner.concepts.libraryUrl')}
          description={t('planner.concepts.urlHint')}
          value={url}
          onChange={({ currentTarget }) => change({ url: currentTarget.value })}
        />
      </div>
      {add.error !== null && <ErrorCard error={add.error} />}
      <p className="actions">
        <Button
          type="submit"
          variant="default"
          disabled={name.trim() === '' || !URL.canParse(url.trim())}
          loading={add.isPending}
        >
          {t('planner.concepts.addLibrary')}
        </Button>
      </p>
    </form>
  );
}
