// Reports when the connection is lost, when the session is about to end for want of use, and when it has ended. What
// was typed stays on the screen behind.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../api/clients.ts';
import { probe, sessionView, signInAddress, subscribe } from '../api/session.ts';
import { timeText } from '../i18n/format.ts';
import { Dialog } from '../shell/dialog.tsx';
import { OwnerGuard } from './owner-guard.tsx';
import { endOfSession } from './session-end.ts';

const CHECK_MS = 5_000;
const PROBE_MS = 3_000;

export function SessionGuard() {
  const { t } = useTranslation();
  const { state, connection } = useSyncExternalStore(subscribe, sessionView, sessionView);
  useEffect(() => {
    if (connection === 'online') return undefined;
    const timer = setInterval(() => void probe(), PROBE_MS);
    return () => clearInterval(timer);
  }, [connection]);
  return (
    <>
      <div className="banner" role="status">
        {connection === 'offline' ? t('session.offline') : ''}
      </div>
      {state === 'ended' ? <EndedDialog /> : <EndingDialog />}
      <OwnerGuard />
    </>
  );
}

function EndedDialog() {
  const { t } = useTranslation();
  return (
    <Dialog title={t('session.endedTitle')}>
      <p>{t('session.ended')}</p>
      <p className="actions">
        <Button component="a" href={signInAddress()}>
          {t('session.signIn')}
        </Button>
      </p>
    </Dialog>
  );
}

/** Shown two minutes before the end; a press is use, and so is every request. */
function EndingDialog() {
  const { t } = useTranslation();
  const { usedAt } = useSyncExternalStore(subscribe, sessionView, sessionView);
  // Not the list of sessions: the audit log has who read that.
  const { data: session, refetch } = useQuery({
    queryKey: ['session-ends'],
    queryFn: () => read(identity.GET('/api/auth/sessions/current')),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { isLater: true },
  });
  const readAt = useRef(0);
  useEffect(() => {
    if (session !== undefined) readAt.current = Date.now();
  }, [session]);
  const now = useNow();
  const end = session && endOfSession({ session, readAt: readAt.current, usedAt, now });
  if (end === undefined) return null;
  return (
    <Dialog title={t('session.endingTitle')}>
      <p>{t(end.isFinal ? 'session.endingFinal' : 'session.ending', { time: timeText(new Date(end.at)) })}</p>
      {!end.isFinal && (
        <p className="actions">
          <Button onClick={() => void refetch()}>{t('session.stay')}</Button>
        </p>
      )}
    </Dialog>
  );
}

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), CHECK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
