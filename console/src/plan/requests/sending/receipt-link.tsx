// The link by which a provider without a system sees and answers a request: by mail, to copy, or as a QR code. It is
// shown once; another ends it.
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../../api/clients.ts';
import { Problem } from '../../../api/problem.ts';
import { useRequestKey } from '../../../app/request-key.ts';
import { useKept } from '../../../app/use-kept.ts';
import { dayText } from '../../../i18n/format.ts';
import { currentLanguage } from '../../../i18n/i18n.ts';
import { CopyText } from '../../../shared/copy.tsx';
import { ErrorCard } from '../../../shell/error-card.tsx';
import { Loaded } from '../../../shell/loaded.tsx';

interface ReceiptLinkProps {
  readonly id: string;
  readonly matchGuid: string;
  /** Whether the mail with the link was given up: another link is needed. */
  readonly isNeeded: boolean;
}

const ADDRESS = '/api/v1/ServiceRequest/{id}/matches/{match_guid}/link';

export function ReceiptLink(props: ReceiptLinkProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(props.isNeeded);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('planner.link.title')}</summary>
      {isOpen && <LinkForm {...props} />}
    </details>
  );
}

function LinkForm({ id, matchGuid }: Omit<ReceiptLinkProps, 'isNeeded'>) {
  const { t } = useTranslation();
  const path = { id, match_guid: matchGuid };
  const [email, setEmail, drop] = useKept(`link-${matchGuid}`, '');
  const key = useRequestKey(`link-${matchGuid}`);
  const state = useQuery({
    queryKey: ['receipt-link', matchGuid],
    queryFn: () => read(dispatch.GET(ADDRESS, { params: { path } })),
  });
  const queries = useQueryClient();
  /** The match says what became of the mail. */
  const refetch = () =>
    Promise.all([state.refetch(), queries.invalidateQueries({ queryKey: ['request-matches', id] })]);
  const make = useMutation({
    mutationFn: () => {
      const to = email.trim() === '' ? {} : { email: email.trim() };
      const body = { ...to, language: currentLanguage(), qr: true };
      return read(dispatch.POST(ADDRESS, { params: { path }, headers: { 'idempotency-key': key.of(body) }, body }));
    },
    onSettled: (_, error) => key.settled(error),
    onSuccess: () => {
      drop();
      return refetch();
    },
  });
  const withdraw = useMutation({
    mutationFn: () => read(dispatch.DELETE(ADDRESS, { params: { path } })),
    onSuccess: () => {
      make.reset();
      return refetch();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  /** The service says what an address is; what else was sent is this code's. */
  const isWrong = make.error instanceof Problem && make.error.status === 400;
  const error = (isWrong ? null : make.error) ?? withdraw.error;
  return (
    <form onSubmit={submit} noValidate>
      <p>{t('planner.link.lead')}</p>
      <Loaded query={state}>
        {({ state: now, created_at: made }) => (
          <p className="quiet">{t(`planner.link.state.${now}`, { day: made === null ? '' : dayText(made) })}</p>
        )}
      </Loaded>
      <TextInput
        type="email"
        label={t('planner.link.email')}
        error={isWrong && t('planner.link.wrongEmail')}
        value={email}
        onChange={({ currentTarget }) => {
          if (isWrong) make.reset();
          setEmail(currentTarget.value);
        }}
      />
      {error !== null && <ErrorCard error={error} />}
      {make.data !== undefined && <Made link={make.data.link} qr={make.data.qr_svg} />}
      <p className="actions">
        <Button type="submit" variant="default" loading={make.isPending}>
          {t(state.data?.state === 'works' ? 'planner.link.renew' : 'planner.link.make')}
        </Button>
        {state.data?.state === 'works' && (
          <Button variant="default" loading={withdraw.isPending} onClick={() => withdraw.mutate()}>
            {t('planner.link.withdraw')}
          </Button>
        )}
      </p>
    </form>
  );
}

function Made({ link, qr }: { readonly link: string; readonly qr: string | undefined }) {
  const { t } = useTranslation();
  return (
    <div className="note" role="status">
      <p>{t('planner.link.once')}</p>
      <CopyText text={link} label={t('planner.link.title')} />
      {qr !== undefined && (
        <p>
          <img className="qr" alt={t('planner.link.qr')} src={`data:image/svg+xml,${encodeURIComponent(qr)}`} />
        </p>
      )}
    </div>
  );
}
