// The address of a form in the builder: a new one, a copy of another, or one that is there.
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../../i18n/i18n.ts';
import { LoadedScreen } from '../../shell/loaded.tsx';
import { FormBuilder } from './builder.tsx';
import { copyOfForm, newForm } from './model/form.ts';
import { readForm } from './store.ts';

export function NewFormPage() {
  const { t } = useTranslation();
  const { from } = useSearch({ strict: false }) as { from?: string };
  const original = useForm(from);
  if (from === undefined) {
    return <FormBuilder name="new" start={() => ({ form: newForm(currentLanguage()), version: undefined })} />;
  }
  return (
    <LoadedScreen query={original}>
      {({ form }) => {
        const title = t('formBuilder.copyTitle', { title: form.title ?? '' });
        const start = () => ({ form: copyOfForm(form, title), version: undefined });
        return <FormBuilder key={from} name={`copy-${from}`} start={start} />;
      }}
    </LoadedScreen>
  );
}

export function FormPage() {
  const { id } = useParams({ strict: false }) as { id?: string };
  return (
    <LoadedScreen query={useForm(id)}>
      {(kept) => <FormBuilder key={id} name={id ?? ''} start={() => kept} />}
    </LoadedScreen>
  );
}

function useForm(id: string | undefined) {
  return useQuery({
    queryKey: ['form-definition', id],
    queryFn: () => readForm(id ?? ''),
    enabled: id !== undefined,
    // What is being changed is newer than what a second read would find.
    refetchOnWindowFocus: false,
    staleTime: 0,
    gcTime: 0,
  });
}
