// Changes a concept: its name, its code and what is answered. What the form does not show stays as it is.
import { useTranslation } from 'react-i18next';
import type { Part } from '../../shared/change/parts.ts';
import { ChangeForm } from './change/change-form.tsx';
import { useChangeForm } from './change/use-change-form.ts';
import { ConceptFields } from './concept-fields.tsx';
import type { Concept } from './library-queries.ts';

export function changeName({ concept_guid: guid }: Concept): string {
  return `change-concept-${guid}`;
}

/** What is shown everywhere. */
function shownName({ concept_display_text: shown, concept_name: name }: Concept): string {
  return shown ?? name;
}

function useParts(): readonly Part<Concept>[] {
  const { t } = useTranslation();
  const name = t('planner.concepts.name');
  return [
    { field: 'concept_name', label: name, words: ({ concept_name: words }) => words },
    { field: 'concept_display_text', label: name, words: shownName },
    { field: 'concept_code', label: t('planner.concepts.itsCode'), words: ({ concept_code: code }) => code },
    {
      field: 'response_type',
      label: t('planner.concepts.answer'),
      words: ({ response_type_name: words }) => words ?? '',
    },
  ];
}

export function ConceptChange({ concept, onClose }: { readonly concept: Concept; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const parts = useParts();
  const { form, opened, change, close, store } = useChangeForm({
    name: changeName(concept),
    record: concept,
    formOf: (record: Concept) => ({
      library: record.canonical_lib,
      name: shownName(record),
      code: record.concept_code,
      type: record.response_type ?? '',
    }),
    path: `/concepts/${concept.concept_guid}`,
    versionOf: ({ version }) => version,
    parts,
    onClose,
  });
  const name = form.name.trim();
  const named = opened.concept_display_text === null ? { concept_name: name } : { concept_display_text: name };
  const changes = { ...named, concept_code: form.code.trim(), response_type: form.type === '' ? null : form.type };
  const isReady = name !== '' && form.code.trim() !== '';
  return (
    <ChangeForm<Concept> {...{ change: store, parts, opened, changes, isReady }} onClose={close}>
      <ConceptFields form={form} onChange={change} isStored />
      {form.code.trim() !== opened.concept_code && <p className="note">{t('planner.concepts.codeEffect')}</p>}
    </ChangeForm>
  );
}
