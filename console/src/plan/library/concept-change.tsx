// Changes a concept: its name, its code and what is answered. What the form does not show stays as it is.
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useKeptForm } from '../../app/use-kept.ts';
import { ChangeForm } from './change/change-form.tsx';
import type { Part } from './change/parts.ts';
import { useChange } from './change/use-change.ts';
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
  // What was opened, though the list is read again meanwhile.
  const [first] = useState(concept);
  const start = useMemo(
    () => ({
      library: first.canonical_lib,
      name: shownName(first),
      code: first.concept_code,
      type: first.response_type ?? '',
      opened: first,
    }),
    [first],
  );
  const parts = useParts();
  const [form, change, drop] = useKeptForm(changeName(concept), start);
  const close = () => {
    drop();
    onClose();
  };
  const store = useChange<Concept>({
    path: `/concepts/${concept.concept_guid}`,
    versionOf: ({ version }) => version,
    parts,
    onChanged: close,
  });
  const { opened } = form;
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
