// Pauses, revokes and archives a request, or says why that cannot be done now. What cannot be taken back asks for a
// typed word. Going on after a pause is the next act, at the top of the page.
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { postJson } from '../../api/fhir.ts';
import { useKept } from '../../app/use-kept.ts';
import { Dialog } from '../../shell/dialog.tsx';
import { ErrorCard } from '../../shell/error-card.tsx';
import { type Situation, whyNot } from './moves.ts';
import { useRefresh } from './request-queries.ts';

interface MoveButtonsProps {
  readonly id: string;
  readonly situation: Situation;
}

const FINAL = ['revoke', 'archive'] as const;
type Final = (typeof FINAL)[number];

export function MoveButtons({ id, situation }: MoveButtonsProps) {
  const { t } = useTranslation();
  const refresh = useRefresh(id);
  const [asking, setAsking] = useState<Final>();
  const hold = useMutation({
    mutationFn: () => postJson(`/dispatch/api/v1/ServiceRequest/${id}/hold`, {}),
    onSuccess: refresh,
  });
  return (
    <section aria-labelledby="moves">
      <h2 id="moves">{t('planner.moves.title')}</h2>
      {hold.error !== null && <ErrorCard error={hold.error} />}
      <p className="actions">
        {whyNot('hold', situation) === undefined && (
          <Button variant="default" loading={hold.isPending} onClick={() => hold.mutate()}>
            {t('planner.moves.hold')}
          </Button>
        )}
        {FINAL.filter((name) => whyNot(name, situation) === undefined).map((name) => (
          <Button key={name} variant="default" onClick={() => setAsking(name)}>
            {t(`planner.moves.${name}`)}
          </Button>
        ))}
      </p>
      <ul className="quiet">
        {FINAL.map((name) => {
          const why = whyNot(name, situation);
          return why === undefined ? null : (
            <li key={name}>{t(`planner.moves.not.${name}`, { why: t(`planner.request.why.${why}`) })}</li>
          );
        })}
      </ul>
      {asking !== undefined && <FinalDialog id={id} name={asking} onClose={() => setAsking(undefined)} />}
    </section>
  );
}

interface FinalDialogProps {
  readonly id: string;
  readonly name: Final;
  readonly onClose: () => void;
}

function FinalDialog({ id, name, onClose }: FinalDialogProps) {
  const { t } = useTranslation();
  const refresh = useRefresh(id);
  const [typed, setTyped] = useState('');
  const [reason, setReason, drop] = useKept(`revoke-${id}`, '');
  const word = t(`planner.moves.word.${name}`);
  const act = useMutation({
    mutationFn: () => {
      const body = name === 'revoke' && reason.trim() !== '' ? { reason: reason.trim() } : {};
      return postJson(`/dispatch/api/v1/ServiceRequest/${id}/${name}`, body);
    },
    onSuccess: async () => {
      drop();
      onClose();
      await refresh();
    },
  });
  const isTyped = typed.trim().toLocaleLowerCase() === word.toLocaleLowerCase();
  return (
    <Dialog title={t(`planner.moves.sure.${name}`)} onClose={onClose}>
      <p>{t(`planner.moves.effect.${name}`)}</p>
      {name === 'revoke' && (
        <TextInput
          label={t('planner.moves.reason')}
          value={reason}
          maxLength={2000}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
      )}
      <TextInput
        mt="md"
        label={t('planner.moves.type', { word })}
        value={typed}
        autoComplete="off"
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {act.error !== null && <ErrorCard error={act.error} />}
      <p className="actions">
        <Button disabled={!isTyped} loading={act.isPending} onClick={() => act.mutate()}>
          {t(`planner.moves.now.${name}`)}
        </Button>
        <Button variant="default" onClick={onClose}>
          {t('planner.back')}
        </Button>
      </p>
    </Dialog>
  );
}
