// Names a proxy. Whether there is such a person is not disclosed; what is known to be refused is said before that.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { Problem } from '../../api/problem.ts';
import { useRequestKey } from '../../app/request-key.ts';
import { useKeptForm } from '../../app/use-kept.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { useMe } from '../../shell/me.ts';
import { type Invitation, type InviteIssue, inviteIssues } from './invite-issues.ts';
import type { NamedProxy } from './use-proxies.ts';

const RIGHTS = ['read', 'act'] as const;
const START: Invitation = { named: '', may: 'read', until: '' };

/** @param open those whom the patient has named, and who have not ended */
export function InviteForm({ open }: { readonly open: readonly NamedProxy[] }) {
  const { t } = useTranslation();
  const { data: me } = useMe();
  const queries = useQueryClient();
  const [form, change, drop] = useKeptForm('proxy', START);
  const [isChecked, setChecked] = useState(false);
  const key = useRequestKey('proxy');
  const invite = useMutation({
    mutationFn: (given: Invitation) => {
      const { may, until } = given;
      const named = given.named.trim();
      const body = { ...(named.includes('@') ? { email: named } : { personnummer: named }), may, until };
      const params = { header: { 'Idempotency-Key': key.of(body) } };
      return read(identity.POST('/api/patient/proxies', { params, body }));
    },
    onSettled: (_, error) => key.settled(error),
    onSuccess: async () => {
      drop();
      setChecked(false);
      await queries.invalidateQueries({ queryKey: ['proxies'] });
    },
  });
  /** Until it is answered or withdrawn. */
  const isSent = open.some(({ proxy_guid: guid, status }) => guid === invite.data?.proxy_guid && status === 'invited');
  const issues = inviteIssues(form, { email: me?.email, open, now: new Date() });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (issues.named === undefined && issues.until === undefined) invite.mutate(form);
    else invite.reset();
  };
  const wordsOf = (issue: InviteIssue | undefined) => {
    if (!isChecked || issue === undefined) return undefined;
    return issue === 'required' ? t('form.issue.required') : t(`proxies.issue.${issue}`);
  };
  return (
    <form className="card" onSubmit={submit} noValidate>
      <h3>{t('proxies.new')}</h3>
      <TextInput
        label={t('proxies.named')}
        description={t('proxies.namedHint')}
        error={wordsOf(issues.named)}
        value={form.named}
        onChange={({ currentTarget }) => change({ named: currentTarget.value })}
      />
      <NativeSelect
        mt="lg"
        label={t('proxies.right')}
        value={form.may}
        onChange={({ currentTarget }) => change({ may: currentTarget.value === 'act' ? 'act' : 'read' })}
        data={RIGHTS.map((value) => ({ value, label: t(`proxies.may.${value}`) }))}
      />
      <TextInput
        mt="lg"
        type="date"
        label={t('proxies.lastDay')}
        error={wordsOf(issues.until)}
        value={form.until}
        onChange={({ currentTarget }) => change({ until: currentTarget.value })}
      />
      {invite.error !== null && (isRefused(invite.error) ? <Refused /> : <ErrorCard error={invite.error} />)}
      <p className="actions">
        <Button type="submit" loading={invite.isPending}>
          {t('proxies.send')}
        </Button>
      </p>
      <p role="status">{isSent && t('proxies.sent')}</p>
    </form>
  );
}

/** By what was typed, not by the person. */
function isRefused(error: unknown): boolean {
  return error instanceof Problem && error.status === 400;
}

function Refused() {
  const { t } = useTranslation();
  return (
    <div className="alert" role="alert">
      <p>{t('proxies.refused')}</p>
    </div>
  );
}
