// Changes a concept: its name, its code and what is answered. What the form does not show stays as it is.
import { type FormEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useKeptForm } from '../../app/use-kept.ts';
import { ChangeEnd } from './change/change-end.tsx';
import { fingerprintOf, useChange } from './change/use-change.ts';
import { ConceptFields } from './concept-fields.tsx';
import type { Concept } from './library-queries.ts';

export function changeName({ concept_guid: guid }: Concept): string {
  return `change-concept-${guid}`;
}

const FIELDS = ['concept_name', 'concept_display_text', 'concept_code', 'response_type'] as const;

export function ConceptChange({ concept, onClose }: { readonly concept: Concept; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const [opened] = useState(concept);
  const start = useMemo(
    () => ({
      library: opened.canonical_lib,
      // What is shown everywhere.
      name: opened.concept_display_text ?? opened.concept_name,
      code: opened.concept_code,
      type: opened.response_type ?? '',
      opened: fingerprintOf<Concept>(opened, FIELDS),
    }),
    [opened],
  );
  const [form, change, drop] = useKeptForm(changeName(concept), start);
  const close = () => {
    drop();
    onClose();
  };
  const store = useChange<Concept>({
    path: `/concepts/${concept.concept_guid}`,
    fields: FIELDS,
    titleOf: (now) => now.concept_display_text ?? now.concept_name,
    onChanged: close,
  });
  const send = (from: string) => {
    const name = form.name.trim();
    const named = opened.concept_display_text === null ? { concept_name: name } : { concept_display_text: name };
    const changes = { ...named, concept_code: form.code.trim(), response_type: form.type === '' ? null : form.type };
    store.mutate({ changes, opened: from });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send(form.opened);
  };
  const isReady = form.name.trim() !== '' && form.code.trim() !== '';
  return (
    <form onSubmit={submit}>
      <ConceptFields form={form} onChange={change} isStored />
      {form.code.trim() !== opened.concept_code && <p className="note">{t('planner.concepts.codeEffect')}</p>}
      <ChangeEnd change={store} isReady={isReady} onClose={close} onKeepMine={send} />
    </form>
  );
}
