// Edits a stored resource as JSON. It is saved over the version that it was made from and no other. Where somebody else
// has saved meanwhile, the difference is shown, and one decides.
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getText, type RawAnswer, sendText } from '../../api/raw.ts';
import { DiffView } from '../../shared/difference/diff-view.tsx';
import { serves, useServed } from '../fhir/capability.ts';
import { resourcePath, validateAddress } from '../fhir/services.ts';
import { Editor, isOvertaken } from './editor.tsx';
import { KeptDraft } from './kept-draft.tsx';
import { addressOf, type Place } from './resource-page.tsx';
import { isSameContent } from './same-content.ts';
import { useTextDraft } from './use-draft.ts';

interface EditTabProps {
  readonly place: Place;
  readonly current: RawAnswer;
}

export function EditTab({ place, current }: EditTabProps) {
  const { t } = useTranslation();
  const { service, type, id } = place;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [overtakenBy, setOvertakenBy] = useState<RawAnswer>();
  const served = useServed(service);
  const description = served.data?.types.find((each) => each.type === type);
  const draft = useTextDraft(`${service}-${type}-${id}`, current.text, current.etag ?? '');
  const finish = async () => {
    draft.drop();
    await queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => String(name).startsWith('fhir-') });
    await navigate({ to: resourcePath(service, type, id) });
  };
  const save = useMutation({
    mutationFn: () =>
      sendText(addressOf(place), { method: 'PUT', body: draft.text, headers: { 'if-match': draft.base } }),
    onSuccess: finish,
    onError: async (error) => {
      if (!isOvertaken(error)) return;
      const theirs = await getText(`${addressOf(place)}?_pretty=true`);
      // A save whose response was lost has been done.
      if (isSameContent(theirs.text, draft.text)) await finish();
      else setOvertakenBy(theirs);
    },
  });
  const leave = () => {
    setOvertakenBy(undefined);
    save.reset();
  };
  if (description !== undefined && !serves(description, 'update'))
    return <p>{t('developer.edit.readOnly', { type })}</p>;
  return (
    <Editor
      label={t('developer.edit.label', { name: `${type}/${id}` })}
      text={draft.text}
      onChange={draft.change}
      validateAt={validateAddress(type)}
      save={save}
      saveLabel={t('developer.edit.save')}
      canSave={draft.isChanged}
    >
      {overtakenBy === undefined ? (
        <KeptDraft draft={draft} text={t('developer.edit.kept')} dropLabel={t('developer.edit.discard')} />
      ) : (
        <div className="note" role="alert">
          <h2>{t('developer.edit.overtaken')}</h2>
          <p>{t('developer.edit.overtakenText')}</p>
          <DiffView before={overtakenBy.text} after={draft.text} label={t('developer.edit.overtakenDiff')} />
          <p className="actions">
            <Button
              variant="default"
              onClick={() => {
                draft.rebase(overtakenBy.etag ?? '');
                leave();
              }}
            >
              {t('developer.edit.keepMine')}
            </Button>
            <Button
              variant="default"
              onClick={() => {
                queries.setQueryData(['fhir-resource', service, type, id], overtakenBy);
                draft.drop();
                leave();
              }}
            >
              {t('developer.edit.takeTheirs')}
            </Button>
          </p>
        </div>
      )}
    </Editor>
  );
}
