// The address of a form in the builder: a new one, a copy of another, or one that is there. A form that is not stored
// yet has an address of its own, too, so that two of them are never kept in the same place.
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../../i18n/i18n.ts';
import { LoadedScreen } from '../../shell/loaded.tsx';
import { Loading } from '../../shell/loading.tsx';
import { OnlyPlanners } from '../only-planners.tsx';
import { FormBuilder } from './builder.tsx';
import { copyOfForm, newForm } from './model/form.ts';
import { readForm } from './store.ts';
import { newDraftName } from './use-draft.ts';

export function NewFormPage() {
  return (
    <OnlyPlanners>
      <NewForm />
    </OnlyPlanners>
  );
}

function NewForm() {
  const { draft, from } = useSearch({ strict: false }) as { draft?: string; from?: string };
  const navigate = useNavigate();
  const isNamed = draft !== undefined;
  useEffect(() => {
    if (isNamed) return;
    const search = { draft: crypto.randomUUID(), ...(from === undefined ? {} : { from }) };
    void navigate({ to: '/plan/forms/new', search: search as never, replace: true });
  }, [isNamed, from, navigate]);
  if (!isNamed) return <Loading />;
  const name = newDraftName(draft);
  if (from !== undefined) return <Copy key={draft} name={name} from={from} />;
  return (
    <FormBuilder key={draft} name={name} start={() => ({ form: newForm(currentLanguage()), version: undefined })} />
  );
}

function Copy({ name, from }: { readonly name: string; readonly from: string }) {
  const { t } = useTranslation();
  return (
    <LoadedScreen query={useForm(from)}>
      {({ form }) => {
        const title = t('formBuilder.copyTitle', { title: form.title ?? '' });
        const start = () => ({ form: copyOfForm(form, title), version: undefined });
        return <FormBuilder name={name} start={start} />;
      }}
    </LoadedScreen>
  );
}

export function FormPage() {
  return (
    <OnlyPlanners>
      <StoredForm />
    </OnlyPlanners>
  );
}

function StoredForm() {
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
