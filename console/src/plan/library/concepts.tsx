// Concepts: what is measured or done, each in a code system. By its code a provider is found, and results are compared.
// Each is changed in its place, or deleted while nothing uses it.
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useKeptForm, useOpenWhereKept } from '../../app/use-kept.ts';
import { Cards } from '../../shared/cards.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { AddForm } from './add-form.tsx';
import { ChangeButton } from './change/change-button.tsx';
import { RemoveButton } from './change/remove-button.tsx';
import { usesOfConcept } from './change/uses.ts';
import { CodeSystems } from './code-systems.tsx';
import { ConceptChange, changeName } from './concept-change.tsx';
import { ConceptFields, EMPTY_CONCEPT } from './concept-fields.tsx';
import { type Concept, useActivities, useConcepts, useGoals } from './library-queries.ts';
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
            <p className="quiet">{t('planner.library.copies')}</p>
            <p className="quiet" role="status">
              {t('planner.concepts.count', { count: total })}
            </p>
            <Cards items={data} none={t('planner.concepts.none')}>
              {(concept) => <ConceptCard key={concept.concept_guid} concept={concept} />}
            </Cards>
          </>
        )}
      </Loaded>
      <NewConcept />
      <CodeSystems />
      <NewLibrary />
    </>
  );
}

function ConceptCard({ concept }: { readonly concept: Concept }) {
  const { t } = useTranslation();
  const [isChanging, setChanging] = useOpenWhereKept(changeName(concept));
  const activities = useActivities();
  const goals = useGoals();
  const guid = concept.concept_guid;
  const title = concept.concept_display_text ?? concept.concept_name;
  const library = { activities: activities.data?.data ?? [], goals: goals.data?.data ?? [] };
  return (
    <li className="card">
      <div className="row">
        <strong>{title}</strong>
        <code>{concept.concept_code}</code>
      </div>
      <p className="quiet">{[concept.canonical_lib_name, concept.response_type_name].filter(Boolean).join(', ')}</p>
      {isChanging ? (
        <ConceptChange concept={concept} onClose={() => setChanging(false)} />
      ) : (
        <p className="actions">
          <ChangeButton title={title} onClick={() => setChanging(true)} />
          <RemoveButton
            path={`/concepts/${guid}`}
            version={concept.version}
            title={title}
            effect={t('planner.concepts.removeEffect')}
            uses={usesOfConcept(guid, library)}
          />
        </p>
      )}
    </li>
  );
}

function NewConcept() {
  const { t } = useTranslation();
  const [form, change] = useKeptForm('new-concept', EMPTY_CONCEPT);
  const { library, name, code, type } = form;
  const add = useAdd('/concepts', () => change({ name: '', code: '' }));
  const body = {
    canonical_lib: library,
    concept_name: name.trim(),
    ...(code.trim() === '' ? {} : { concept_code: code.trim() }),
    ...(type === '' ? {} : { response_type: type }),
  };
  const isReady = library !== '' && name.trim() !== '';
  return (
    <AddForm title={t('planner.concepts.new')} {...{ add, body, isReady }} button={t('planner.concepts.add')}>
      <ConceptFields form={form} onChange={change} />
    </AddForm>
  );
}

const EMPTY_LIBRARY = { name: '', url: '' };

function NewLibrary() {
  const { t } = useTranslation();
  const [{ name, url }, change, drop] = useKeptForm('new-library', EMPTY_LIBRARY);
  const add = useAdd('/canonical-libs', drop);
  const body = { name: name.trim(), url: url.trim() };
  return (
    <AddForm
      title={t('planner.concepts.newLibrary')}
      {...{ add, body }}
      isReady={body.name !== '' && URL.canParse(body.url)}
      button={t('planner.concepts.addLibrary')}
      isSecond
    >
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
    </AddForm>
  );
}
