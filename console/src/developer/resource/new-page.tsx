// Makes a new resource of a type from JSON.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { FhirResource } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { sendText } from '../../api/raw.ts';
import { useRequestKey } from '../../app/request-key.ts';
import { Page } from '../../shell/page.tsx';
import { baseOf, resourcePath, serviceOf, typePath, validateAddress } from '../fhir/services.ts';
import { Editor } from './editor.tsx';
import { useTextDraft } from './use-draft.ts';

export function NewResourcePage() {
  const { t } = useTranslation();
  const { service: named, type = '' } = useParams({ strict: false }) as { service?: string; type?: string };
  const service = serviceOf(named);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const key = useRequestKey('resource');
  const draft = useTextDraft(`new-${service}-${type}`, `{\n  "resourceType": "${type}"\n}`, '');
  const save = useMutation({
    mutationFn: async () => {
      const headers = { 'idempotency-key': key.of(draft.text) };
      const { text } = await sendText(`${baseOf(service)}/${type}`, { method: 'POST', body: draft.text, headers });
      return JSON.parse(text) as FhirResource;
    },
    onSettled: (_data, error) => key.settled(error),
    onSuccess: async ({ id = '' }) => {
      draft.drop();
      await queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => String(name).startsWith('fhir-') });
      await navigate({ to: resourcePath(service, type, id) });
    },
  });
  return (
    <Page title={t('developer.search.new', { type })}>
      <p>
        <Link to={typePath(service, type)}>{t('developer.resource.toSearch', { type })}</Link>
      </p>
      <Editor
        label={t('developer.edit.label', { name: type })}
        text={draft.text}
        onChange={draft.change}
        validateAt={validateAddress(type)}
        save={save}
        saveLabel={t('developer.edit.create')}
        canSave
      />
    </Page>
  );
}
