// Changes a user: names, address, organisations, and of a professional role, phases and the right to every access log.
import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { useKeptForm } from '../../app/use-kept.ts';
import { CheckBox } from '../../shared/fields/check-box.tsx';
import { ActDialog } from '../act-dialog.tsx';
import { OrganisationPicker } from '../organisations/organisation-picker.tsx';
import { nameOf } from '../person.ts';
import { useAct } from '../use-act.ts';
import { changeOf, formOf, PHASES, ROLES } from './change.ts';
import { ofUser, type User } from './queries.ts';

interface ChangeDialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

export function ChangeDialog({ user, onClose }: ChangeDialogProps) {
  const { t } = useTranslation();
  const [before] = useState(() => formOf(user));
  const [form, change, drop] = useKeptForm(`user-${user.user_guid}`, before);
  const body = changeOf(before, form);
  const save = useAct<unknown>(
    () => read(identity.PATCH('/api/admin/users/{user_guid}', { ...ofUser(user.user_guid), body })),
    {
      changes: ['user', 'users'],
      onDone: () => {
        drop();
        onClose();
      },
    },
  );
  return (
    <ActDialog
      title={t('admin.act.change.title', { name: nameOf(user) })}
      confirm={t('admin.act.change.now')}
      act={save}
      onClose={() => {
        drop();
        onClose();
      }}
      isReady={Object.keys(body).length > 0}
    >
      {(['firstName', 'lastName'] as const).map((name) => (
        <TextInput
          key={name}
          mt="sm"
          label={t(`admin.field.${name}`)}
          maxLength={100}
          autoComplete="off"
          value={form[name]}
          onChange={({ currentTarget }) => change({ [name]: currentTarget.value })}
        />
      ))}
      <TextInput
        mt="sm"
        type="email"
        label={t('admin.user.email')}
        autoComplete="off"
        value={form.email}
        onChange={({ currentTarget }) => change({ email: currentTarget.value })}
      />
      <OrganisationPicker
        chosen={form.organisations}
        isOne={user.user_type === 'patient'}
        onChange={(organisations) => change({ organisations })}
      />
      {user.professional !== undefined && form.organisations.length === 0 && (
        <p className="note" role="status">
          {t('admin.act.change.nowhere')}
        </p>
      )}
      {user.professional !== undefined && (
        <>
          <NativeSelect
            mt="md"
            label={t('admin.user.role')}
            value={form.role}
            onChange={({ currentTarget }) =>
              change({ role: ROLES.find((role) => role === currentTarget.value) ?? 'other' })
            }
            data={ROLES.map((role) => ({ value: role, label: t(`account.kind.${role}`) }))}
          />
          <fieldset>
            <legend>{t('admin.user.phases')}</legend>
            {PHASES.map((phase) => (
              <CheckBox
                key={phase}
                label={t(`account.phase.${phase}`)}
                isChecked={form.phases.includes(phase)}
                onChange={(isChecked) =>
                  change({
                    phases: isChecked ? [...form.phases, phase] : form.phases.filter((other) => other !== phase),
                  })
                }
              />
            ))}
          </fieldset>
          <CheckBox
            label={t('admin.field.officer')}
            isChecked={form.isOfficer}
            onChange={(isChecked) => change({ isOfficer: isChecked })}
          />
        </>
      )}
    </ActDialog>
  );
}
