// The fields of a concept. Its code system is chosen when it is made.
import { NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useLibraries, useResponseTypes } from './library-queries.ts';

export interface ConceptForm {
  /** The guid of the code system. */
  readonly library: string;
  readonly name: string;
  readonly code: string;
  /** The guid of a response type; empty for none. */
  readonly type: string;
}

export const EMPTY_CONCEPT: ConceptForm = { library: '', name: '', code: '', type: '' };

interface ConceptFieldsProps {
  readonly form: ConceptForm;
  readonly onChange: (next: Partial<ConceptForm>) => void;
  readonly isStored?: boolean;
}

export function ConceptFields({ form, onChange, isStored = false }: ConceptFieldsProps) {
  const { t } = useTranslation();
  const libraries = useLibraries();
  const types = useResponseTypes();
  const { library, name, code, type } = form;
  return (
    <div className="filters">
      {!isStored && (
        <NativeSelect
          label={t('planner.concepts.library')}
          value={library}
          onChange={({ currentTarget }) => onChange({ library: currentTarget.value })}
          data={[
            { value: '', label: t('planner.concepts.chooseLibrary') },
            ...(libraries.data?.data ?? []).map((each) => ({ value: each.canonical_lib_guid, label: each.name })),
          ]}
        />
      )}
      <TextInput
        label={t('planner.concepts.name')}
        value={name}
        maxLength={200}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <TextInput
        label={t(isStored ? 'planner.concepts.itsCode' : 'planner.concepts.code')}
        value={code}
        onChange={({ currentTarget }) => onChange({ code: currentTarget.value })}
      />
      <NativeSelect
        label={t('planner.concepts.answer')}
        value={type}
        onChange={({ currentTarget }) => onChange({ type: currentTarget.value })}
        data={[
          { value: '', label: t('planner.concepts.noAnswer') },
          ...(types.data?.data ?? []).map((each) => ({ value: each.response_type_guid, label: each.name })),
        ]}
      />
    </div>
  );
}
