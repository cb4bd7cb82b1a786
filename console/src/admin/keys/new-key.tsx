// Makes a key: its name, whose records it reads, what it may do with them, and until when.
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import { useKept } from '../../app/use-kept.ts';
import { type Named, OrganisationPicker } from '../organisations/organisation-picker.tsx';
import { ProblemCard } from '../problem-card.tsx';
import { useProviders } from '../providers/queries.ts';
import { useAct } from '../use-act.ts';

const OWNERS = ['organisation', 'provider', 'none'] as const;
type Owner = (typeof OWNERS)[number];

interface NewKeyProps {
  readonly onSecret: (secret: string) => void;
}

export function NewKey({ onSecret }: NewKeyProps) {
  const { t } = useTranslation();
  const [name, setName, dropName] = useKept('key-name', '');
  const [scopes, setScopes, dropScopes] = useKept('key-scopes', '');
  const [owner, setOwner] = useState<Owner>('organisation');
  const [organisation, setOrganisation] = useState<readonly Named[]>([]);
  const [provider, setProvider] = useState('');
  const [until, setUntil] = useState('');
  const providers = useProviders({ per_page: 200 });
  const make = useAct(
    (body: ReturnType<typeof bodyOf>, key: string) =>
      read(engine.POST('/api/v1/api-keys', { headers: { 'idempotency-key': key }, body })),
    {
      changes: ['api-keys'],
      onDone: ({ key }) => {
        dropName();
        dropScopes();
        onSecret(key);
      },
    },
  );
  const [chosen] = organisation;
  const isReady =
    name.trim() !== '' && (owner === 'none' || (owner === 'organisation' ? chosen !== undefined : provider !== ''));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) make.mutate(bodyOf({ name, scopes, until, owner, organisation: chosen, provider }));
  };
  return (
    <form onSubmit={submit}>
      <h2>{t('admin.keys.new')}</h2>
      <TextInput
        label={t('admin.keys.name')}
        description={t('admin.keys.nameHint')}
        value={name}
        maxLength={200}
        autoComplete="off"
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <NativeSelect
        mt="md"
        label={t('admin.keys.owner')}
        value={owner}
        onChange={({ currentTarget }) => setOwner(OWNERS.find((each) => each === currentTarget.value) ?? 'none')}
        data={OWNERS.map((each) => ({ value: each, label: t(`admin.keys.of.${each}`) }))}
      />
      {owner === 'organisation' && <OrganisationPicker chosen={organisation} onChange={setOrganisation} isOne />}
      {owner === 'provider' && (
        <NativeSelect
          mt="md"
          label={t('admin.providers.one')}
          value={provider}
          onChange={({ currentTarget }) => setProvider(currentTarget.value)}
          data={[
            { value: '', label: t('admin.choose') },
            ...(providers.data?.data ?? []).map((each) => ({ value: each.provider_guid, label: each.name })),
          ]}
        />
      )}
      <Textarea
        mt="md"
        rows={3}
        label={t('admin.keys.scopes')}
        description={t('admin.keys.scopesHint')}
        value={scopes}
        spellCheck={false}
        onChange={({ currentTarget }) => setScopes(currentTarget.value)}
      />
      <TextInput
        mt="md"
        type="date"
        label={t('admin.keys.until')}
        value={until}
        onChange={({ currentTarget }) => setUntil(currentTarget.value)}
      />
      {make.error !== null && <ProblemCard error={make.error} />}
      <p className="actions">
        <Button type="submit" disabled={!isReady} loading={make.isPending}>
          {t('admin.keys.make')}
        </Button>
      </p>
    </form>
  );
}

interface KeyForm {
  readonly name: string;
  readonly scopes: string;
  readonly until: string;
  readonly owner: Owner;
  readonly organisation: Named | undefined;
  readonly provider: string;
}

function bodyOf({ name, scopes, until, owner, organisation, provider }: KeyForm) {
  return {
    name: name.trim(),
    scopes: scopes.split(/[\s,]+/).filter((scope) => scope !== ''),
    ...(owner === 'organisation' && organisation !== undefined
      ? { organisation_guid: organisation.organisation_guid }
      : {}),
    ...(owner === 'provider' ? { provider_guid: provider } : {}),
    ...(until === '' ? {} : { expires_at: new Date(`${until}T23:59:59`).toISOString() }),
  };
}
